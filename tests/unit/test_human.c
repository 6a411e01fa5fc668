/* test_human.c - times, durations and sizes as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "master/hector/core/human.h"

#define S 1000000000ll

static void test_duration(void **state)
{
    static const struct { int64_t ns; const char *text; } v[] = {
        { 0, "0 ns" }, { 850, "850 ns" }, { 999, "999 ns" },
        { 1000, "1.00 us" }, { 12345, "12.3 us" }, { 999499, "999 us" },
        { 999500, "1.00 ms" }, { 4560000, "4.56 ms" },
        { 99960000, "100 ms" }, { 7890000000, "7.89 s" },
        { 59400000000, "59.4 s" }, { 59600000000, "1m00s" },
        { 125 * S, "2m05s" }, { 3600 * S, "1h00m" }, { 11520 * S, "3h12m" },
        { 99 * 3600 * S, "4d03h" }, { -12345, "-12.3 us" },
        { INT64_MIN, "-106751d23h" },
    };
    char buf[HUMAN_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_string_equal(human_duration(buf, v[i].ns), v[i].text);
}

static void test_bytes(void **state)
{
    static const struct { uint64_t bytes; const char *text; } v[] = {
        { 0, "0" }, { 1023, "1023" }, { 1024, "1.0K" }, { 1536, "1.5K" },
        { 25877741568ull, "24.1G" }, { 250ull << 20, "250M" },
        { UINT64_MAX, "16.0E" },
    };
    char buf[HUMAN_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_string_equal(human_bytes(buf, v[i].bytes), v[i].text);
}

static void test_time(void **state)
{
    uint64_t noon = 913723200ull * S;           /* 15 December 1998, 12:00 */
    char buf[HUMAN_MAX];

    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    assert_string_equal(human_time(buf, noon, noon + 3600 * S), "12:00:00");
    assert_string_equal(human_time(buf, noon, noon + 86400 * S),
                        "1998-12-15 12:00");
    assert_string_equal(human_stamp(buf, noon + 257503999), "12:00:00.257503");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
