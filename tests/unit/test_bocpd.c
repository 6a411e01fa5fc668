/* test_bocpd.c - change points that are there are found, where they are; in series
 * without any there are next to none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/pace/bocpd.h"
#include "tests/unit/draw.h"

static struct bocpd b;

static double normal(double mean, double sd)
{
    return mean + sd * sqrt(-2 * log(draw_part())) *
                      cos(6.283185307 * draw_part());
}

static bool changed(double least_p)
{
    double p;
    uint32_t since;

    return bocpd_change(&b, 3, 10, &p, &since) && p > least_p;
}

/* A step of so many deviations: numbers until it is found, and where. */
static void a_step(uint32_t before, double by, double sd, uint32_t *after,
                   uint32_t *since)
{
    double p;

    bocpd_begin(&b, 200, 0.05);
    for (uint32_t i = 0; i < before; i++)
        bocpd_add(&b, normal(3, sd));
    *after = 0;
    do {
        bocpd_add(&b, normal(3 + by, sd));
        ++*after;
    } while (*after < 30 &&
             !(bocpd_change(&b, 3, 10, &p, since) && p > 0.9));
}

static void test_steps(void **state)
{
    static const struct { double by, sd; } steps[] = {
        { 0.18, 0.02 }, { 0.4, 0.05 }, { 0.69, 0.1 }, { 1.38, 0.2 },
        { -0.4, 0.05 }, { -1.38, 0.05 },
    };
    uint32_t found = 0, right = 0, all = 0;

    (void)state;
    for (unsigned k = 0; k < sizeof(steps) / sizeof(steps[0]); k++)
        for (unsigned i = 0; i < 100; i++) {
            uint32_t after, since;

            a_step(20 + i * 3, steps[k].by, steps[k].sd, &after, &since);
            all++;
            found += after <= 6;
            right += after <= 6 && since == after;
        }
    print_message("# %u of %u steps in 6 numbers, %u of these at their place\n",
                  found, all, right);
    assert_true(found * 100 >= all * 99);
    assert_true(right * 100 >= all * 95);
}

/* Of 100,000 numbers. */
static void test_stationary(void **state)
{
    static const double sd[] = { 0.005, 0.02, 0.05, 0.1, 0.3 };
    unsigned alarms = 0;

    (void)state;
    for (unsigned k = 0; k < 5; k++)
        for (unsigned run = 0; run < 20; run++) {
            bool was = false;

            bocpd_begin(&b, 200, 0.05);
            for (unsigned i = 0; i < 1000; i++) {
                bocpd_add(&b, normal(5, sd[k]));
                alarms += changed(0.9) && !was;
                was = changed(0.5);
            }
        }
    print_message("# %u changes found in 100,000 numbers without any\n", alarms);
    assert_true(alarms <= 100);
}

/* Chances sum to 1, however long it is, and whatever comes. */
static void test_bounded(void **state)
{
    (void)state;
    bocpd_begin(&b, 200, 0.05);
    for (unsigned i = 0; i < 5000; i++) {
        double sum = 0;

        bocpd_add(&b, i % 1000 == 999 ? 1e6 : i % 777 == 776 ? (double)NAN
                                                : normal(i / 500, 0.1));
        for (uint32_t k = 0; k < b.nruns; k++) {
            assert_true(b.run[k].p >= 0);
            sum += b.run[k].p;
        }
        assert_true(fabs(sum - 1) < 1e-9);
        assert_true(b.nruns <= BOCPD_RUNS);
    }
    assert_true(b.n > 4900);
}

/* By hand: two numbers, algorithm 1 of the paper. */
static void test_two(void **state)
{
    (void)state;
    bocpd_begin(&b, 10, 1);
    bocpd_add(&b, 0);
    bocpd_add(&b, 0);
    /* The prior predicts 0 by t of 2 degrees and scale^2 101; one number behind
     * it by t of 3 degrees and scale^2 (1 / 1.5) * 2.01 / 1.01. */
    double fresh = 0.1 * tgamma(1.5) / tgamma(1) / sqrt(2 * M_PI * 101);
    double grown = 0.9 * tgamma(2) / tgamma(1.5) /
                   sqrt(3 * M_PI * (1 / 1.5) * 2.01 / 1.01);

    assert_int_equal(b.nruns, 2);
    assert_true(fabs(b.run[0].p - fresh / (fresh + grown)) < 1e-12);
    assert_true(fabs(b.run[1].p - grown / (fresh + grown)) < 1e-12);
    assert_int_equal(b.run[1].n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_stationary),
        cmocka_unit_test(test_bounded),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
