/* test_polish.c - a step that takes too long in one task of many is found,
 * whatever the loads of the others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "policies/smm/polish.h"
#include "tests/unit/draw.h"

enum { TASKS = 512, STEPS = 200 };

static double left[TASKS * STEPS], normal[STEPS], spread[STEPS], slow[TASKS],
    words[TASKS];

static double gauss(void) /* Box and Muller, 1958 */
{
    return sqrt(-2 * log(draw_part())) * cos(2 * M_PI * draw_part());
}

static void test_median(void **state)
{
    double v[9];

    (void)state;
    assert_true(isnan(polish_median(v, 0)));
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + (size_t)(9 * draw_part());
        double is;
        size_t less = 0, more = 0;

        for (size_t i = 0; i < n; i++)
            v[i] = floor(5 * draw_part());
        is = polish_median(v, n);
        for (size_t i = 0; i < n; i++) {
            less += v[i] < is;
            more += v[i] > is;
        }
        assert_true(less <= n / 2 && more <= n / 2);
        if (n % 2 == 0) {       /* between the two in the middle */
            double two[2] = { -INFINITY, INFINITY };

            for (size_t i = 0; i < n; i++)
                if (v[i] <= is && v[i] > two[0])
                    two[0] = v[i];
            for (size_t i = 0; i < n; i++)
                if (v[i] >= is && v[i] < two[1])
                    two[1] = v[i];
            assert_true(fabs(two[0] + two[1] - 2 * is) < 1e-12);
        }
    }
}

static double score(const struct polish *p, uint32_t task, uint32_t step)
{
    return polish_score(p->left[task * p->steps + step], p->spread[step]);
}

/* Tasks differ by load in what they compute, each step varies by a part of
 * itself; one step of one task takes longer. Who is first? */
static bool found(uint32_t tasks, double load, double noise, double factor)
{
    struct polish p = { .tasks = tasks,
                       .steps = STEPS,
                       .left = left,
                       .normal = normal,
                       .spread = spread,
                       .slow = slow };
    uint32_t odd = (uint32_t)(tasks * draw_part()),
             step = (uint32_t)(STEPS * draw_part());
    uint32_t first = 0;

    for (uint32_t i = 0; i < tasks; i++) {
        double own = load * (2 * draw_part() - 1);

        for (uint32_t s = 0; s < STEPS; s++)
            left[i * STEPS + s] = exp(8 + s % 7 + own + noise * gauss());
    }
    left[odd * STEPS + step] *= factor;
    polish(&p, words);
    for (uint32_t i = 0; i < tasks * STEPS; i++)
        if (score(&p, i / STEPS, i % STEPS) >
            score(&p, first / STEPS, first % STEPS))
            first = i;
    if (first == odd * STEPS + step && noise < 0.02) {
        double normally = left[odd * STEPS + step],
               cost = polish_cost(normally, p.normal[step], p.slow[odd]);

        assert_true(fabs(normally - log(factor)) < 0.2);
        assert_true(cost > 0);
    }
    return first == odd * STEPS + step;
}

static void test_odd(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        assert_true(found(16, 0, 0.01, 1.3));
        assert_true(found(512, 0.05, 0.02, 1.3));
        assert_true(found(512, 0.2, 0.02, 1.3));
        assert_true(found(16, 0.2, 0.05, 2));
    }
}

/* One that is slow in all it does is slow, and no step of it is odd. */
static void test_slow(void **state)
{
    struct polish p = { .tasks = 8,
                       .steps = 10,
                       .left = left,
                       .normal = normal,
                       .spread = spread,
                       .slow = slow };

    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t s = 0; s < 10; s++)
            left[i * 10 + s] = 1e6 * (s + 1) * (i == 3 ? 1.5 : 1);
    polish(&p, words);
    assert_true(fabs(slow[3] - log(1.5)) < 1e-9);
    assert_true(fabs(slow[2]) < 1e-9);
    for (uint32_t s = 0; s < 10; s++)
        assert_true(fabs(score(&p, 3, s)) < 1e-6);
}

/* Steps that only some have, or nobody, and a single task. */
static void test_holes(void **state)
{
    struct polish p = { .tasks = 3,
                       .steps = 3,
                       .left = left,
                       .normal = normal,
                       .spread = spread,
                       .slow = slow };
    static const double times[9] = { 10, NAN, NAN, 10, 20, NAN, 11, 20, NAN };

    (void)state;
    for (int i = 0; i < 9; i++)
        left[i] = times[i];
    polish(&p, words);
    assert_true(isnan(score(&p, 0, 1)));
    assert_true(isnan(normal[2]));
    assert_true(isfinite(score(&p, 2, 0)));
    p.tasks = 1;
    for (int i = 0; i < 9; i++)
        left[i] = times[i];
    polish(&p, words);
    assert_true(score(&p, 0, 0) == 0);
    assert_true(slow[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_holes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
