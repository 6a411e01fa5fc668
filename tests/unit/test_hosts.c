/* test_hosts.c - lists of hosts as -H and hostfiles have them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/batch/hosts.h"

static void describe(const struct hosts *h, struct str *s)
{
    for (size_t i = 0; i < h->n; i++) {
        str_addf(s, "%s%s%s%s:%u", i ? " " : "",
                 h->v[i].user ? h->v[i].user : "", h->v[i].user ? "@" : "",
                 h->v[i].name, h->v[i].slots);
        if (h->v[i].max_slots)
            str_addf(s, "<=%u", h->v[i].max_slots);
    }
}

static void expect(struct hosts *h, const char *in, const char *out)
{
    struct str s = { 0 };

    describe(h, &s);
    if (strcmp(str_text(&s), out) != 0)
        fail_msg("%s: got %s", in, str_text(&s));
    str_fini(&s);
    hosts_fini(h);
}

static void test_list(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "a", "a:1" },
        { "a,b", "a:1 b:1" },
        { "a,a,b", "a:2 b:1" },
        { "a:4", "a:4" },
        { "a:4,b:2,a", "a:5 b:2" },
        { "n[1-3]", "n1:1 n2:1 n3:1" },
        { "n[1-2,7]:2,m", "n1:2 n2:2 n7:2 m:1" },
        { "n[01-02]", "n01:1 n02:1" },
        { "joe@a:2", "joe@a:2" },
        { "joe@n[1-2]", "joe@n1:1 joe@n2:1" },
        { "10.0.0.1:2", "10.0.0.1:2" },
        { "a.example.org", "a.example.org:1" },
        { ",a,,b,", "a:1 b:1" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };

        if (hosts_add_list(&h, table[i].in, &err) < 0)
            fail_msg("%s: %s", table[i].in, err.text);
        expect(&h, table[i].in, table[i].out);
    }
}

static void test_lists_add_up(void **state)
{
    struct hosts h = { 0 };
    struct err err;

    (void)state;
    assert_int_equal(hosts_add_list(&h, "a,b", &err), 0);
    assert_int_equal(hosts_add_list(&h, "b:3,c", &err), 0);
    expect(&h, "-H a,b -H b:3,c", "a:1 b:4 c:1");
}

static void test_bad_list(void **state)
{
    static const char *const table[] = {
        "", ",", "a:0", "a:-1", "a:x", "a:", ":4", "@a", "a@", "a b", "n[1-",
        "n[3-1]", "a;rm", "$(x)", "a/b", "-a", "-o@x", "a:99999999999",
        "x@a,y@a", "a\tb", "a=b",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };

        if (hosts_add_list(&h, table[i], &err) == 0)
            fail_msg("\"%s\" was accepted", table[i]);
        assert_string_not_equal(err.text, "");
        hosts_fini(&h);
    }
}

static void test_file(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "a\n", "a:0" },
        { "a", "a:0" },
        { "a slots=4\n", "a:4" },
        { "a:4\n", "a:4" },
        { "a slots = 4\n", "a:4" },
        { "a  slots= 4 max_slots =8\n", "a:4<=8" },
        { "a max-slots=2 slots=4\n", "a:2<=2" },
        { "a max_slots=3\n", "a:3<=3" },
        { "a slot=2\n", "a:2" },
        { "a\na\n", "a:2" },
        { "a\na\na\nb\n", "a:3 b:0" },
        { "a slots=4\na slots=2\n", "a:6" },
        { "a:4\na\n", "a:5" },
        { "a\na:4\n", "a:5" },
        { "n[1-2,7] slots=2\n", "n1:2 n2:2 n7:2" },
        { "n[1-2]:3\n", "n1:3 n2:3" },
        { "joe@a slots=2\n", "joe@a:2" },
        { "# comment\n\n  \na # more\n#b\nc slots=2 # x\n", "a:0 c:2" },
        { "a\r\nb slots=2\r\n", "a:0 b:2" },
        { "\ta\tslots=2\n", "a:2" },
        { "a\n\n\n", "a:0" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };

        if (hosts_add_file(&h, table[i].in, strlen(table[i].in), "f",
                           &err) < 0)
            fail_msg("%s: %s", table[i].in, err.text);
        expect(&h, table[i].in, table[i].out);
    }
}

static void test_bad_file(void **state)
{
    static const struct { const char *in, *says; } table[] = {
        { "", "f names no host" },
        { "# nothing\n", "f names no host" },
        { "a\nb slots=x\n", "f:2: slots \"x\"" },
        { "a slots=0\n", "f:1: slots \"0\"" },
        { "a slots\n", "f:1: \"slots\" is not understood" },
        { "a b\n", "f:1: \"b\" is not understood" },
        { "a cpus=3\n", "f:1: \"cpus\" is not understood" },
        { "a:2 slots=3\n", "f:1: a has its slots twice" },
        { "ok\n\na max_slots=\n", "f:3: max_slots" },
        { "n[1- slots=2\n", "f:1: " },
        { "x@a\ny@a\n", "f:2: a has two users" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };

        if (hosts_add_file(&h, table[i].in, strlen(table[i].in), "f",
                           &err) == 0)
            fail_msg("%s: accepted", table[i].in);
        if (!strstr(err.text, table[i].says))
            fail_msg("%s: says %s", table[i].in, err.text);
        hosts_fini(&h);
    }
    struct hosts h = { 0 };
    struct err err;
    char line[6000];

    memset(line, 'a', sizeof(line));
    assert_int_equal(hosts_add_file(&h, line, sizeof(line), "f", &err), -1);
    assert_non_null(strstr(err.text, "f:1: the line is too long"));
    assert_int_equal(hosts_add_file(&h, "a\0b\n", 4, "f", &err), -1);
    assert_non_null(strstr(err.text, "not a text file"));
    assert_int_equal(hosts_load_file(&h, "/proc/nonexistent/x", &err), -1);
    assert_int_equal(err.code, ENOENT);
    hosts_fini(&h);
}

static void test_local(void **state)
{
    char name[256] = "";
    struct hosts h = { 0 };
    struct err err;

    (void)state;
    gethostname(name, sizeof(name) - 1);
    assert_int_equal(hosts_add_here(&h, &err), 0);
    assert_int_equal(h.n, 1);
    assert_string_equal(h.v[0].name, name);
    assert_true(h.v[0].local);
    assert_int_equal(h.v[0].slots, 0);
    hosts_fini(&h);
    assert_int_equal(hosts_add_list(&h, "localhost,127.0.0.1,192.0.2.1,"
                                    "nobody-we-know@127.0.0.2", &err), 0);
    hosts_find_local(&h);
    assert_true(h.v[0].local);
    assert_true(h.v[1].local);
    assert_false(h.v[2].local);
    assert_false(h.v[3].local);
    assert_true(hosts_any_remote(&h));
    assert_int_equal(h.n, 4);
    hosts_fini(&h);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_lists_add_up),
        cmocka_unit_test(test_bad_list),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_file),
        cmocka_unit_test(test_local),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
