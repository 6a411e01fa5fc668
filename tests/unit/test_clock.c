/* test_clock.c - clock arithmetic; time is an argument, nobody waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "proto/base/clock.h"

static void test_readings(void **state)
{
    (void)state;
    uint64_t a = clock_monotonic_ns(), b = clock_monotonic_ns();

    assert_true(b >= a);
    assert_true(clock_wall_ns() > 1600000000ull * CLOCK_NS_PER_S);
    struct timeval tv = clock_timeval(2500000999);

    assert_int_equal(tv.tv_sec, 2);
    assert_int_equal(tv.tv_usec, 500000);
}

/* An exchange: `there` and `back` ns on the wire, the peer's clock ahead. */
static struct clock_sample sample(uint64_t sent, uint64_t there, uint64_t held,
                                  uint64_t back, int64_t ahead)
{
    struct clock_sample s = { .sent = sent };

    s.peer_received = (uint64_t)((int64_t)(sent + there) + ahead);
    s.peer_sent = s.peer_received + held;
    s.received = sent + there + held + back;
    return s;
}

/* Whatever the two ways take, the true offset lies within the bound. */
static void test_offset_is_bounded(void **state)
{
    static const struct { uint64_t there, held, back; int64_t ahead; }
    table[] = {
        { 0, 0, 0, 0 },             { 100, 0, 100, 0 },
        { 100, 50, 100, 5000 },     { 1000, 0, 0, -5000 },
        { 0, 0, 1000, -5000 },      { 1, 1000000, 999, 123456789 },
        { 50000, 7, 3, -3600000000000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct clock_offset o = { 0 };
        struct clock_sample s = sample(1700000000000000000, table[i].there,
                                       table[i].held, table[i].back,
                                       table[i].ahead);

        clock_offset_add(&o, &s);
        assert_int_equal(o.samples, 1);
        assert_true((uint64_t)llabs(o.offset_ns - table[i].ahead) <=
                    o.error_ns);
        assert_true(o.error_ns <=
                    (table[i].there + table[i].back) / 2 + 1);
    }
}

/* The shortest round trip of the last few is believed, older ones are not:
 * clocks drift. */
static void test_best_of_window(void **state)
{
    struct clock_offset o = { 0 };
    uint64_t t = 1700000000000000000;
    struct clock_sample s = sample(t, 10, 0, 10, 1000);

    (void)state;
    clock_offset_add(&o, &s);
    s = sample(t, 90000, 0, 10, 1000);
    clock_offset_add(&o, &s);
    assert_int_equal(o.offset_ns, 1000);
    assert_int_equal(o.error_ns, 11);
    for (int i = 0; i < CLOCK_WINDOW; i++) {
        s = sample(t, 500, 0, 500, 2000);
        clock_offset_add(&o, &s);
    }
    assert_int_equal(o.offset_ns, 2000);
    assert_int_equal(o.error_ns, 501);
}

static void test_nonsense_is_ignored(void **state)
{
    static const struct clock_sample table[] = {
        { 1000, 5, 5, 999 },            /* our clock was set back */
        { 1000, 5, 4, 2000 },           /* the peer's was */
        { 1000, 0, 5000, 2000 },        /* it held it longer than it took */
    };
    struct clock_offset o = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        clock_offset_add(&o, &table[i]);
    assert_int_equal(o.samples, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readings),
        cmocka_unit_test(test_offset_is_bounded),
        cmocka_unit_test(test_best_of_window),
        cmocka_unit_test(test_nonsense_is_ignored),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
