/* test_pace.c - what an iteration takes: a factor is found and told, a single
 * one that is far off, or that calls move more, is not taken for it; iterations
 * are found by visits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/pace/iterations.h"
#include "policies/pace/pace.h"
#include "tests/unit/draw.h"

static struct pace p;
static struct pace_change c;

static double about(double x, double part)
{
    return x * (1 + part * (2 * draw_part() - 1));
}

static void add(unsigned n, double ns, double bytes)
{
    while (n--)
        pace_add(&p, about(ns, 0.05), bytes);
}

static void test_factor(void **state)
{
    (void)state;
    memset(&p, 0, sizeof(p));
    add(50, 1e6, 0);
    assert_true(!pace_change(&p, 2, 10, &c) || c.p < 0.5);
    add(4, 2.5e6, 0);
    assert_true(pace_change(&p, 2, 10, &c));
    assert_true(c.p > 0.99);
    assert_int_equal(c.since, 4);
    assert_true(fabs(c.times - 2.5) < 0.25);
    assert_false(c.other_bytes);
    assert_true(fabs(pace_times(&p, 4) - 2.5) < 0.25);
    add(20, 2.5e6, 0);          /* by now it is how it is */
    assert_true(!pace_change(&p, 2, 10, &c) || c.p < 0.5);
}

static void test_stall(void **state)
{
    (void)state;
    for (unsigned run = 0; run < 200; run++) {
        memset(&p, 0, sizeof(p));
        add(40, 1e6, 0);
        add(1, 50e6, 0);
        for (unsigned i = 0; i < 12; i++) {
            add(1, 1e6, 0);
            assert_true(!pace_change(&p, 2, 10, &c) || c.p < 0.5 ||
                        c.times < 1.1);
        }
    }
}

static void test_bytes(void **state)
{
    (void)state;
    memset(&p, 0, sizeof(p));
    add(30, 1e6, 4096);
    add(5, 2e6, 8192);
    assert_true(pace_change(&p, 2, 10, &c));
    assert_true(c.other_bytes);
}

static void test_restart(void **state)
{
    (void)state;
    memset(&p, 0, sizeof(p));
    add(40, 1e6, 0);
    add(8, 3e6, 0);
    pace_restart(&p, 8);
    assert_int_equal(p.n, 8);
    add(20, 3e6, 0);
    assert_true(!pace_change(&p, 2, 10, &c) || c.p < 0.5);
    pace_add(&p, 0, 0);         /* and what is no time is none */
    pace_add(&p, (double)NAN, 0);
    pace_add(&p, (double)INFINITY, 0);
    assert_int_equal(p.n, 28);
}

/* A loop of 7 calls, of which two are made at the same place, around a loop of
 * three calls that is seen seldom. */
static void test_iterations(void **state)
{
    struct iterations t = { 0 };
    struct hct_rank k = { .flags = HCT_PAGE | HCT_IN_MPI, .bytes = 800 };

    (void)state;
    assert_true(iterations_each(&t) == ITERATIONS_CALLS);
    for (uint64_t i = 1; i < 2000; i++) {
        bool seldom = i % 20 == 0;

        k.calls = 7 * i + 5;
        k.polls = 3;            /* which are none */
        k.site = seldom ? 9 : 4;
        k.site_calls = seldom ? i / 20 : i;
        iterations_look(&t, &k);
    }
    assert_true(fabs(iterations_each(&t) - 7) < 1e-9);
    assert_true(iterations_bytes(&t) == 800);
    /* The program goes on to its next loop. */
    for (uint64_t i = 1; i < 2000; i++) {
        k.calls = 20000 + 11 * i;
        k.site = 77;
        k.site_calls = i;
        iterations_look(&t, &k);
    }
    assert_true(fabs(iterations_each(&t) - 11) < 1e-9);
    /* Places without end. */
    for (uint32_t i = 1; i < 1000; i++) {
        k.site = 1000 + i;
        k.site_calls = i;
        iterations_look(&t, &k);
    }
    assert_true(iterations_each(&t) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_iterations),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
