/* test_parse.c - numbers as people write them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/parse.h"

/* None of these is a number of any kind. */
static const char *const junk[] = {
    "", " ", "x", " 1", "1 ", "1x", "0x10", "--1", "+", "-", "1,5", "nan",
    "inf", "1e999", "\n1", ".", "-.",
};

static void test_u64(void **state)
{
    static const struct { const char *in; uint64_t min, max; int code; }
    table[] = {
        { "0", 0, 10, 0 },          { "10", 0, 10, 0 },
        { "007", 0, 10, 0 },        { "18446744073709551615", 0, UINT64_MAX,
                                      0 },
        { "11", 0, 10, ERANGE },    { "1", 2, 10, ERANGE },
        { "18446744073709551616", 0, UINT64_MAX, ERANGE },
        { "-1", 0, UINT64_MAX, EINVAL }, { "+1", 0, 10, EINVAL },
        { "1.5", 0, 10, EINVAL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        uint64_t v = 99;
        struct err err = { 0 };
        int rc = parse_u64(&v, table[i].in, table[i].min, table[i].max, &err);

        assert_int_equal(rc, table[i].code ? -1 : 0);
        assert_int_equal(err.code, table[i].code);
        if (rc < 0)
            assert_int_equal(v, 99);
    }
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
        uint64_t v;

        assert_int_equal(parse_u64(&v, junk[i], 0, UINT64_MAX, NULL), -1);
    }
}

static void test_i64(void **state)
{
    int64_t v = 0;
    struct err err;

    (void)state;
    assert_int_equal(parse_i64(&v, "-5", -10, 10, &err), 0);
    assert_int_equal(v, -5);
    assert_int_equal(parse_i64(&v, "+5", -10, 10, &err), 0);
    assert_int_equal(v, 5);
    assert_int_equal(parse_i64(&v, "-9223372036854775808", INT64_MIN,
                               INT64_MAX, &err), 0);
    assert_true(v == INT64_MIN);
    assert_int_equal(parse_i64(&v, "9223372036854775808", INT64_MIN,
                               INT64_MAX, &err), -1);
    assert_int_equal(parse_i64(&v, "11", -10, 10, &err), -1);
    assert_string_equal(err.text, "11 is not from -10 to 10");
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
        assert_int_equal(parse_i64(&v, junk[i], INT64_MIN, INT64_MAX, NULL),
                         -1);
}

static void test_double(void **state)
{
    double v = 0;

    (void)state;
    assert_int_equal(parse_double(&v, "-1.5e2", -1e3, 1e3, NULL), 0);
    assert_true(fabs(v + 150) < 1e-9);
    assert_int_equal(parse_double(&v, ".5", 0, 1, NULL), 0);
    assert_int_equal(parse_double(&v, "1.5", 0, 1, NULL), -1);
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
        assert_int_equal(parse_double(&v, junk[i], -1e300, 1e300, NULL), -1);
}

static void test_bool(void **state)
{
    static const struct { const char *in; int want; } table[] = {
        { "yes", 1 }, { "YES", 1 }, { "true", 1 }, { "on", 1 }, { "1", 1 },
        { "no", 0 }, { "False", 0 }, { "off", 0 }, { "0", 0 },
        { "", -1 }, { "y", -1 }, { "2", -1 }, { "yes ", -1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        bool v = false;
        int rc = parse_bool(&v, table[i].in, NULL);

        assert_int_equal(rc < 0 ? -1 : v, table[i].want);
    }
}

static void test_duration(void **state)
{
    static const struct { const char *in; uint64_t ns; } table[] = {
        { "10", 10000000000 },      { "1.5s", 1500000000 },
        { "200ms", 200000000 },     { "50us", 50000 },
        { "7ns", 7 },               { "2m", 120000000000 },
        { "2min", 120000000000 },   { "1h", 3600000000000 },
        { "0.5d", 43200000000000 }, { "0", 0 }, { "1.5H", 5400000000000 },
    };
    static const char *const bad[] = { "-1", "1 s", "1w", "s", "1ss", "1e18",
                                       "1000000d", "-0.1" };
    uint64_t ns;

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        assert_int_equal(parse_duration(&ns, table[i].in, NULL), 0);
        assert_int_equal(ns, table[i].ns);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct err err = { 0 };

        if (parse_duration(&ns, bad[i], &err) == 0)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_true(*err.text);
    }
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
        assert_int_equal(parse_duration(&ns, junk[i], NULL), -1);
}

static void test_bytes(void **state)
{
    static const struct { const char *in; uint64_t bytes; } table[] = {
        { "4096", 4096 }, { "64k", 65536 }, { "64KiB", 65536 },
        { "64kB", 65536 }, { "1.5M", 1572864 }, { "2G", 2147483648 },
        { "1T", 1099511627776 }, { "17B", 17 }, { "0", 0 },
    };
    static const char *const bad[] = { "-1", "1 k", "1kk", "k", "9000000T",
                                       "1Q" };
    uint64_t bytes;

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        assert_int_equal(parse_bytes(&bytes, table[i].in, NULL), 0);
        assert_int_equal(bytes, table[i].bytes);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse_bytes(&bytes, bad[i], NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_u64),
        cmocka_unit_test(test_i64),
        cmocka_unit_test(test_double),
        cmocka_unit_test(test_bool),
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_bytes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
