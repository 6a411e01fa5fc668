/* test_hostlist.c - host names from and to their short form. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/hostlist.h"

static const char *joined(const struct hostlist *h)
{
    static char buf[8192];
    size_t at = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < h->n; i++)
        at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s%s",
                               i ? " " : "", h->v[i]);
    return buf;
}

static void test_expand(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "", "" },
        { "a", "a" },
        { "a,b,c", "a b c" },
        { ",a,,b,", "a b" },
        { "n[1-3,7]", "n1 n2 n3 n7" },
        { "node[01-03]x", "node01x node02x node03x" },
        { "n[8-11]", "n8 n9 n10 n11" },
        { "n[08-11]", "n08 n09 n10 n11" },
        { "n[099-101]", "n099 n100 n101" },
        { "[1-2]", "1 2" },
        { "n[5]", "n5" },
        { "n[7,1-2]", "n7 n1 n2" },
        { "r[0-1]c[1-2]", "r0c1 r0c2 r1c1 r1c2" },
        { "n[1-2],m,n[1-2]", "n1 n2 m n1 n2" },
        { "h-1.example.org,10.0.0.1", "h-1.example.org 10.0.0.1" },
        { "n[000000001]", "n000000001" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hostlist h = { 0 };
        struct err err;

        if (hostlist_expand(&h, table[i].in, &err) < 0)
            fail_msg("%s: %s", table[i].in, err.text);
        assert_string_equal(joined(&h), table[i].out);
        hostlist_fini(&h);
    }
}

static void test_expand_errors(void **state)
{
    static const char *const table[] = {
        "n[", "n]", "n[]", "n[1", "n1]", "n[[1]]", "n[1-]", "n[-1]", "n[3-1]",
        "n[a-b]", "n[1,]", "n[,1]", "n[1-2-3]", "n[1 ]", "n[1234567890]",
        "n[1-99999999]", "[1-300][1-300]", "n[1]]", "n[1],m[",
    };
    char longer[400];

    (void)state;
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    for (size_t i = 0; i <= sizeof(table) / sizeof(table[0]); i++) {
        const char *text = i < sizeof(table) / sizeof(table[0]) ? table[i]
                                                                : longer;
        struct hostlist h = { 0 };
        struct err err = { 0 };

        assert_int_equal(hostlist_add(&h, "was", &err), 0);
        if (hostlist_expand(&h, text, &err) == 0)
            fail_msg("\"%s\" was taken", text);
        assert_true(*err.text);
        assert_string_equal(joined(&h), "was");
        hostlist_fini(&h);
    }
}

static void test_bound(void **state)
{
    struct hostlist h = { 0 };
    struct err err;

    (void)state;
    assert_int_equal(hostlist_expand(&h, "n[0-65535]", &err), 0);
    assert_int_equal(h.n, HOSTLIST_MAX);
    assert_int_equal(hostlist_add(&h, "more", &err), -1);
    assert_int_equal(err.code, E2BIG);
    assert_int_equal(hostlist_add(&h, "", &err), -1);
    hostlist_fini(&h);
}

static void test_item(void **state)
{
    const char *text = ",n[1,3]:2,,m slots=2,[a,[b,c],d],", *p;
    static const char *const want[] = { "n[1,3]:2", "m slots=2",
                                        "[a,[b,c],d]" };
    size_t n, i = 0;

    (void)state;
    while ((p = hostlist_item(&text, &n))) {
        assert_true(i < 3);
        assert_int_equal(n, strlen(want[i]));
        assert_memory_equal(p, want[i], n);
        i++;
    }
    assert_int_equal(i, 3);
    assert_string_equal(text, "");
}

static void test_fold(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "", "" },
        { "a", "a" },
        { "n1", "n1" },
        { "a,b", "a,b" },
        { "n1,n2,n3,n7", "n[1-3,7]" },
        { "n9,n10,n11", "n[9-11]" },
        { "n09,n10,n11", "n[09-11]" },
        { "n9,n010", "n[9,010]" },
        { "n099,n100", "n[099-100]" },
        { "n99,n100", "n[99-100]" },
        { "n1,n01", "n[1,01]" },
        { "n3,n2,n1", "n[3,2,1]" },
        { "n1,n1,n2", "n[1,1-2]" },
        { "n1,m1,n2", "n1,m1,n2" },
        { "n1x,n2x,n3y", "n[1-2]x,n3y" },
        { "r1c1,r1c2,r2c1", "r1c[1-2],r2c1" },
        { "10.0.0.1,10.0.0.2", "10.0.0.[1-2]" },
        { "n12345678901,n12345678902", "n12[345678901-345678902]" },
        { "a,n1,n2,b", "a,n[1-2],b" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hostlist h = { 0 }, back = { 0 };
        char buf[200], small[4];

        assert_int_equal(hostlist_expand(&h, table[i].in, NULL), 0);
        int n = hostlist_fold(&h, buf, sizeof(buf));

        assert_string_equal(buf, table[i].out);
        assert_int_equal(n, strlen(table[i].out));
        assert_int_equal(hostlist_fold(&h, NULL, 0), n);
        assert_int_equal(hostlist_fold(&h, small, sizeof(small)), n);
        assert_int_equal(strncmp(small, buf, 3), 0);
        /* And back to the same names in the same order. */
        assert_int_equal(hostlist_expand(&back, buf, NULL), 0);
        assert_int_equal(back.n, h.n);
        for (size_t k = 0; k < h.n; k++)
            assert_string_equal(back.v[k], h.v[k]);
        hostlist_fini(&h);
        hostlist_fini(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expand),
        cmocka_unit_test(test_expand_errors),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_item),
        cmocka_unit_test(test_fold),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
