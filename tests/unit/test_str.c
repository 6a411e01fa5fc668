/* test_str.c - the growing string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/str.h"

static void test_add(void **state)
{
    struct str b = { 0 };

    (void)state;
    assert_string_equal(str_text(&b), "");
    str_add(&b, "ab");
    str_addf(&b, "-%d-%s", 7, "x");
    str_add_bytes(&b, "cdef", 2);
    str_add_bytes(&b, NULL, 0);
    assert_string_equal(str_text(&b), "ab-7-xcd");
    assert_int_equal(b.n, 8);
    str_reset(&b);
    assert_string_equal(str_text(&b), "");
    str_add(&b, "again");
    char *s = str_take(&b);

    assert_string_equal(s, "again");
    free(s);
    assert_string_equal(str_text(&b), "");
    s = str_take(&b);
    assert_string_equal(s, "");
    free(s);
    str_fini(&b);
    str_fini(&b);
}

/* Around every size where the memory has to grow. */
static void test_growth(void **state)
{
    (void)state;
    for (int step = 1; step < 70; step++) {
        struct str b = { 0 };
        char word[80];

        memset(word, 'a' + step % 26, sizeof(word));
        word[step] = '\0';
        for (int i = 1; i < 40; i++) {
            str_addf(&b, "%s", word);
            assert_int_equal(b.n, (size_t)step * (size_t)i);
            assert_int_equal(strlen(str_text(&b)), b.n);
        }
        str_fini(&b);
    }
}

static void test_failure_sticks(void **state)
{
    struct str b = { 0 };

    (void)state;
    str_add(&b, "x");
    assert_false(str_failed(&b));
    str_add_bytes(&b, "y", (size_t)2 << 30);
    assert_true(str_failed(&b));
    str_add(&b, "z");
    assert_string_equal(str_text(&b), "x");
    assert_null(str_take(&b));
    str_add(&b, "fresh");
    assert_string_equal(str_text(&b), "fresh");
    str_fini(&b);
}

/* Of a text that is too long nothing is there, though there was room for some. */
static void test_format_too_long(void **state)
{
    struct str b = { 0 };

    (void)state;
    str_addf(&b, "%s", "x");
    str_addf(&b, "y%*d", 1 << 30, 1);
    assert_true(str_failed(&b));
    assert_string_equal(str_text(&b), "x");
    str_addf(&b, "%s", "z");
    assert_string_equal(str_text(&b), "x");
    str_fini(&b);
}

/* What a shell makes of it is the word again. */
static void test_quoted(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "plain-1.x/y=z", "plain-1.x/y=z" },
        { "", "''" },
        { "a b", "'a b'" },
        { "$HOME", "'$HOME'" },
        { "it's", "'it'\\''s'" },
        { "'", "''\\'''" },
        { "~", "'~'" },
        { "*", "'*'" },
        { "a\nb", "'a\nb'" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct str b = { 0 };
        char got[64] = "";

        str_add_quoted(&b, table[i].in);
        assert_string_equal(str_text(&b), table[i].out);
        struct str cmd = { 0 };

        str_addf(&cmd, "printf %%s. %s", str_text(&b));
        FILE *p = popen(str_text(&cmd), "r");
        size_t n = fread(got, 1, sizeof(got) - 1, p);

        pclose(p);
        assert_true(n > 0);
        got[n - 1] = '\0';
        assert_string_equal(got, table[i].in);
        str_fini(&b);
        str_fini(&cmd);
    }
}

static void test_visible(void **state)
{
    static const struct { const char *in; size_t size; const char *out; }
    cases[] = {
        { "plain text", 64, "plain text" },
        { "\033[31m", 64, "\\x1b[31m" },
        { "a\nb\177", 64, "a\\x0ab\\x7f" },
        { "\303\274ber", 64, "\303\274ber" },
        { "\302\233x", 64, "\\xc2\\x9bx" },         /* CSI as UTF-8 */
        { "\302\240", 64, "\302\240" },
        { "\302", 64, "\302" },
        { "ab\n", 7, "ab\\x0a" },
        { "ab\n", 6, "ab" },            /* nothing by half */
        { "", 1, "" },
    };
    char out[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = str_visible(out, cases[i].size, cases[i].in,
                               strlen(cases[i].in));

        assert_string_equal(out, cases[i].out);
        assert_int_equal(n, strlen(out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_failure_sticks),
        cmocka_unit_test(test_format_too_long),
        cmocka_unit_test(test_quoted),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
