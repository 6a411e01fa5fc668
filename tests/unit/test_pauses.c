/* test_pauses.c - when a job stood as a whole: looks that are late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policies/outlier/pauses.h"

#define MS 1000000ull

static struct hct_rank rank[2];
static struct hct_snapshot in = { .size = sizeof(in), .ranks = rank, .nranks = 2,
                                  .rank_size = sizeof(rank[0]) };
static struct pauses pauses;

/* A look, so much later, with calls of so many ms; the next one is asked for in half a
 * second. */
static void later_with(uint64_t ms, uint64_t calls_ms)
{
    in.now_ns += ms * MS;
    rank[0].calls += 3 * calls_ms;
    rank[1].calls += 2 * calls_ms;
    pauses_look(&pauses, &in);
    pauses_asked(&pauses, in.now_ns + 500 * MS);
}

static void later(uint64_t ms)
{
    later_with(ms, ms < 400 ? ms : 400);
}

static uint64_t since(uint64_t ago_ms)
{
    return pauses_since(&pauses, in.now_ns - ago_ms * MS, in.now_ns) / MS;
}

static int begin(void **state)
{
    (void)state;
    memset(&pauses, 0, sizeof(pauses));
    in.now_ns = 0;
    rank[0].calls = rank[1].calls = 0;
    for (int i = 0; i < 8; i++)
        later(500);
    return 0;
}

/* A machine is busy. */
static void test_none(void **state)
{
    (void)state;
    later_with(1100, 20);
    later_with(200, 20);
    later_with(1150, 20);
    assert_int_equal(since(5000), 0);
    assert_int_equal(pauses_since(&pauses, 0, in.now_ns), 0);
}

/* Only who looks is late: the tasks have made most of their calls. */
static void test_watcher_late(void **state)
{
    (void)state;
    later_with(5000, 3000);
    later(500);
    assert_int_equal(since(9000), 0);
    later_with(5000, 1500);
    later(500);
    assert_int_equal(since(9000), 5500);
}

static void test_stood(void **state)
{
    (void)state;
    later(9000);
    assert_int_equal(since(12000), 9000);       /* it stands yet */
    assert_int_equal(since(2000), 2000);
    later(500);                                 /* ... or did until just now */
    assert_int_equal(since(12000), 9500);
    later(500);
    later(500);
    assert_int_equal(since(12000), 9500);
    assert_int_equal(since(2000), 1000);        /* of a part of the time */
    assert_int_equal(since(1000), 0);
    later(1300);
    later(1300);
    later(300);
    assert_int_equal(since(3000), 2900);
    assert_int_equal(pauses_since(&pauses, 0, in.now_ns), 12400 * MS);
}

/* More often than is remembered, one by one: of all time they all count. */
static void test_often(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * PAUSES_KEPT; i++) {
        later(2000);
        later(500);
    }
    assert_int_equal(pauses_since(&pauses, 0, in.now_ns),
                     3 * PAUSES_KEPT * 2500 * MS);
    assert_int_equal(since(5000), 5000);
}

/* Looks come in time, and show one that is stopped; others go on meanwhile. It counts
 * twice. */
static void test_stopped(void **state)
{
    (void)state;
    rank[1].flags = HCT_STOPPED;
    for (int i = 0; i < 4; i++)
        later(500);
    rank[1].flags = 0;
    assert_in_range(since(5000), 3000, 5000);
    later(500);
    assert_in_range(since(5500), 4000, 5000);
    later(500);
    assert_in_range(since(6000), 4000, 5000);
}

/* Of a stop of 3 s looks show no more than 2.5 s, and it costs who is first in it, and
 * last out of it, 3.4 s. */
static void test_explains(void **state)
{
    (void)state;
    later(500);
    rank[0].flags = rank[1].flags = HCT_STOPPED;
    for (int i = 0; i < 4; i++)
        later_with(500, 0);
    rank[0].flags = rank[1].flags = 0;
    later(500);
    assert_in_range(since(5000), 3400, 7999);
    later(3000);                        /* late, and nobody is stopped: as it is */
    later(500);
    assert_int_equal(since(3500), 3500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_none, begin),
        cmocka_unit_test_setup(test_watcher_late, begin),
        cmocka_unit_test_setup(test_stood, begin),
        cmocka_unit_test_setup(test_often, begin),
        cmocka_unit_test_setup(test_stopped, begin),
        cmocka_unit_test_setup(test_explains, begin),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("pauses", tests, NULL, NULL);
}
