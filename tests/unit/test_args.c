/* test_args.c - command lines by a table: what is stored, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/args.h"
#include "proto/base/str.h"

struct said {
    bool json;
    int verbose;
    uint32_t small;
    uint64_t count, wait_ns;
    const char *file, *maybe;
};

#define AT(f) offsetof(struct said, f)
static const struct args_option rows[] = {
    { "Answers", "j json", ARGS_NONE, NULL, "answer in JSON",
      args_flag, AT(json), 0, 0 },
    { NULL, "n count -cnt", ARGS_VALUE, "N", "how many, at most",
      args_u64, AT(count), 1, 1000 },
    { NULL, "small", ARGS_VALUE, "N", NULL, args_u32, AT(small), 0, 9 },
    { "Others", "wait", ARGS_VALUE, "TIME", "so long",
      args_duration, AT(wait_ns), 0, 0 },
    { NULL, "f file", ARGS_VALUE, "FILE", "this one",
      args_text, AT(file), 0, 0 },
    { NULL, "maybe", ARGS_MAY, "WHAT", "or not",
      args_text, AT(maybe), 0, 0 },
    { NULL, "v verbose", ARGS_NONE, NULL, "more", args_count, AT(verbose), 0,
      0 },
    { NULL, "old", ARGS_NONE, NULL, NULL, args_nothing, 0, 0, 0 },
    ARGS_COMMON,
};
enum { N = sizeof(rows) / sizeof(rows[0]) };

static int store(void *to, const struct args_given *g, struct err *err)
{
    return g->row->take(to, g, err);
}

/* The words of text behind the program's name, divided by blanks. Returns what
 * args_scan() does; the words that are left, with a blank before each, in left. */
static int scan(struct said *s, const char *text, struct str *left,
                struct err *err)
{
    char *argv[20] = { (char *)"prog" }, *copy = strdup(text), *save = NULL;
    int argc = 1, word;

    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save))
        argv[argc++] = p;
    *s = (struct said){ 0 };
    word = args_scan(rows, N, argc, argv, store, s, err);
    for (int i = word; left && word > 0 && i < argc; i++)
        str_addf(left, " %s", argv[i]);
    if (s->file)
        s->file = strcmp(s->file, "here") == 0 ? "here" : "?";
    if (s->maybe)
        s->maybe = strcmp(s->maybe, "so") == 0 ? "so" : "?";
    free(copy);
    return word;
}

static void test_values(void **state)
{
    struct str left = { 0 };
    struct said s;
    struct err err;

    (void)state;
    assert_true(scan(&s, "one -jvn 7 --small=3 two -v --fi here --wait 1.5s"
                     " --maybe=so -- -j", &left, &err) > 0);
    assert_true(s.json);
    assert_int_equal(s.verbose, 2);
    assert_int_equal(s.count, 7);
    assert_int_equal(s.small, 3);
    assert_int_equal(s.wait_ns, 1500000000);
    assert_string_equal(s.file, "here");
    assert_string_equal(s.maybe, "so");
    assert_string_equal(str_text(&left), " one two -j");
    str_fini(&left);
    assert_true(scan(&s, "--maybe so --old", NULL, &err) > 0);
    assert_null(s.maybe);       /* only by "=" */
}

static void test_refused(void **state)
{
    static const struct { const char *line, *why; } bad[] = {
        { "-n", "-n needs a value: -n N" },
        { "--count", "--count needs a value: --count N" },
        { "-jn", "-n needs a value: -n N" },
        { "-n 0", "-n: " }, { "--count 1001", "--count: " },
        { "--small 10", "--small: " }, { "--wait soon", "--wait: " },
        { "--json=3", "--json takes no value" },
        { "-x", "there is no option -x; " },
        { "-jx", "there is no option -x; " },
        { "--vebrose", "there is no option --vebrose; did you mean --verbose?" },
        { "--zzzzzz=1", "there is no option --zzzzzz; --help" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct said s;
        struct err err;

        assert_int_equal(scan(&s, bad[i].line, NULL, &err), -1);
        if (strncmp(err.text, bad[i].why, strlen(bad[i].why)) != 0)
            fail_msg("%s: %s", bad[i].line, err.text);
    }
}

static void test_help(void **state)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    args_print(rows, N, f);
    fclose(f);
    assert_non_null(strstr(text, "\nAnswers\n  -j, --json     "));
    assert_non_null(strstr(text, "  --maybe[=WHAT]  "));
    assert_non_null(strstr(text, "  -n, --count N  "));
    assert_null(strstr(text, "--old"));
    free(text);
}

static void test_names(void **state)
{
    (void)state;
    assert_ptr_equal(args_find(rows, N, "cnt"), &rows[1]);
    assert_ptr_equal(args_find(rows, N, "count"), &rows[1]);
    assert_null(args_find(rows, N, "coun"));
    assert_null(args_find(rows, N, ""));
    assert_string_equal(args_nearest(rows, N, "cuont"), "count");
    assert_null(args_nearest(rows, N, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_help), cmocka_unit_test(test_names),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
