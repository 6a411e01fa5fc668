/* test_moment.c - times that have been, as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "master/hector/core/moment.h"

#define S 1000000000ull
/* Friday, November 20, 2026, 14:03:20 in UTC. */
#define NOW (1795183400 * S)

static int utc(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

static void test_good(void **state)
{
    static const struct { const char *text; uint64_t before_s; } v[] = {
        { "5m", 300 }, { "90s", 90 }, { "10", 10 }, { "1h", 3600 },
        { "14:03", 20 }, { "14:03:19", 1 }, { "13:00:20", 3780 },
        { "14:04", 24 * 3600 - 40 }, { "23:03:20", 15 * 3600 },
        { "2026-11-20", 14 * 3600 + 200 }, { "2026-11-20 14:03", 20 },
        { "2026-11-20T14:03", 20 }, { "2026-11-20T14:03:10", 10 },
        { "2026-11-20 14:03:10", 10 }, { "2026-11-19 14:03:20", 24 * 3600 },
        { "2026-11-20T14:03:10Z", 10 }, { "2026-10-31 14:03:20", 20 * 24 * 3600 },
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        uint64_t ns = 0;

        assert_int_equal(moment_parse(&ns, v[i].text, NOW, &err), 0);
        assert_int_equal((NOW - ns) / S, v[i].before_s);
    }
}

/* With a Z it is the same everywhere, without it is of here. */
static void test_zone(void **state)
{
    uint64_t ns = 0;

    (void)state;
    setenv("TZ", "EET-2", 1);
    tzset();
    assert_int_equal(moment_parse(&ns, "2026-11-20T14:03Z", NOW, NULL), 0);
    assert_int_equal(NOW - ns, 20 * S);
    assert_int_equal(moment_parse(&ns, "2026-11-20T14:03", NOW, NULL), 0);
    assert_int_equal(NOW - ns, 7220 * S);
    assert_int_equal(moment_parse(&ns, "16:03", NOW, NULL), 0);
    assert_int_equal(NOW - ns, 20 * S);
}

static void test_bad(void **state)
{
    static const char *const v[] = {
        "", "soon", "0", "0s", "-5m", "5 m", "25:00", "14:03x", "14:60",
        "2026-02-30", "2026-11-31 10:00", "2026-11-20 14", "2026-13-01",
        "2026-11-20T14:03:20Z", "2026-11-20 14:03:20", "2026-11-21", "2999-01-01",
        "1969-12-31", "99999d", "2026-11-20T14:03ZZ",
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        uint64_t ns = 7;

        err.text[0] = '\0';
        assert_int_equal(moment_parse(&ns, v[i], NOW, &err), -1);
        assert_int_equal(ns, 7);
        assert_true(err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_good, utc),
        cmocka_unit_test_setup(test_zone, utc),
        cmocka_unit_test_setup(test_bad, utc),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
