/* test_onset.c - what has become higher at once is told from what did so bit by
 * bit, in series that vary. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/pace/onset.h"
#include "tests/unit/draw.h"

enum { MANY = 48, RUNS = 1000 };

static const double sd = 0.05;
static double v[MANY];

static double normal(void)
{
    return sd * sqrt(-2 * log(draw_part())) * cos(6.283185307 * draw_part());
}

/* n numbers that rise by so much behind number at, for so many. */
static void rises(uint32_t n, uint32_t at, double lasts, double by)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] = normal() + by * fmin(fmax((double)i - (double)at + 1, 0) / lasts,
                                    1);
}

/* How often there is evidence for a step. */
static unsigned at_once(uint32_t n, uint32_t at, double lasts, double by)
{
    unsigned times = 0;

    for (unsigned i = 0; i < RUNS; i++) {
        struct onset o;

        rises(n, at, lasts, by);
        times += onset_find(v, n, sd, &o) && o.gain >= 2;
    }
    return times;
}

/* From three numbers behind it on, if it is six deviations high. */
static void test_step(void **state)
{
    struct onset o;

    (void)state;
    assert_true(at_once(23, 20, 1, 6 * sd) > RUNS * 95 / 100);
    assert_true(at_once(26, 20, 1, 6 * sd) > RUNS * 95 / 100);
    assert_true(at_once(26, 20, 2, 8 * sd) > RUNS * 95 / 100);  /* within one */
    rises(30, 20, 1, 0.5);
    assert_true(onset_find(v, 30, sd, &o));
    assert_int_equal(o.at, 20);
    assert_true(fabs(o.by - 0.5) < sd);
}

/* Whether it has come to its end, or not. */
static void test_ramp(void **state)
{
    (void)state;
    assert_true(at_once(40, 20, 12, 10 * sd) < RUNS / 20);
    assert_true(at_once(30, 20, 20, 20 * sd) < RUNS / 20);
    assert_true(at_once(40, 10, 30, 10 * sd) < RUNS / 20);
    assert_true(at_once(MANY, 1, MANY, 10 * sd) < RUNS / 20);
}

/* The second of two steps is one. */
static void test_two(void **state)
{
    unsigned times = 0;

    (void)state;
    for (unsigned i = 0; i < RUNS; i++) {
        struct onset o;

        rises(36, 30, 1, 10 * sd);
        for (uint32_t k = 24; k < 36; k++)
            v[k] += 6 * sd;
        times += onset_find(v, 36, sd, &o) && o.gain >= 2;
    }
    assert_true(times > RUNS * 95 / 100);
}

static void test_stall(void **state)
{
    unsigned times = 0;

    (void)state;
    for (unsigned i = 0; i < RUNS; i++) {
        struct onset o;

        rises(30, 24, 1, 8 * sd);
        v[12] += 3;             /* somebody was stopped for a while */
        times += onset_find(v, 30, sd, &o) && o.gain >= 2 && o.at == 24;
    }
    assert_true(times > RUNS * 95 / 100);
}

static void test_few(void **state)
{
    struct onset o;

    (void)state;
    rises(MANY, MANY, 1, 0);
    assert_false(onset_find(v, 5, sd, &o));
    assert_false(onset_find(v, 0, sd, &o));
    for (uint32_t i = 0; i < MANY; i++)
        v[i] = -(double)i;      /* it falls */
    assert_false(onset_find(v, MANY, sd, &o));
    for (uint32_t i = 0; i < MANY; i++)
        v[i] = 1;
    assert_false(onset_find(v, MANY, sd, &o));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_few),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
