/* test_margin.c - means, slopes and chances of margins, against numbers that
 * were worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "policies/deadline/margin.h"
#include "policies/hct_policy.h"
#include "tests/unit/draw.h"

static void near(double is, double wanted)
{
    if (!(fabs(is - wanted) < 1e-9))
        fail_msg("%.12g is not %.12g", is, wanted);
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 9 1 1 1 0 0 4 16, of 7 freedoms. */
static void welford(void **state)
{
    static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    struct margin m = { .n = 0 };

    (void)state;
    near(margin_deviation(&m), 0);
    for (unsigned i = 0; i < 8; i++)
        margin_add(&m, x[i]);
    near(m.mean, 5);
    near(m.m2, 32);
    near(margin_deviation(&m), sqrt(32 / 7.0));
    margin_replace(&m, 9, 1);           /* mean 4; 4 0 0 0 1 1 9 9 */
    near(m.mean, 4);
    near(m.m2, 24);
    assert_int_equal(m.n, 8);
}

/* Pairs of 1, 2, 4, 3: slopes 1, 3/2, 2/3, 2, 1/2, -1: median of -1, 1/2, 2/3,
 * 1, 3/2, 2 is 5/6. */
static void theil_sen(void **state)
{
    static const double few[] = { 1, 2, 4, 3 }, odd[] = { 1, 2, 100 },
        same[] = { 3, 3, 3, 3, 3 };
    double v[MARGIN_POINTS];
    struct margin_slope is;

    (void)state;
    near(margin_slope(few, 4).slope, 5 / 6.0);
    near(margin_slope(odd, 3).slope, 49.5);     /* of 1, 49.5, 98 */
    near(margin_slope(same, 5).slope, 0);
    near(margin_slope(same, 1).slope, 0);
    for (uint32_t i = 0; i < MARGIN_POINTS; i++)
        v[i] = 0.4 - 0.01 * i;
    v[7] = -100;                        /* outliers turn nothing around */
    v[20] = 50;
    is = margin_slope(v, MARGIN_POINTS);
    near(is.slope, -0.01);
    assert_true(is.falls);
    assert_false(is.rises);
    for (uint32_t i = 0; i < MARGIN_POINTS; i++)
        v[i] = i % 2 ? 0.3 : 0.4;
    is = margin_slope(v, MARGIN_POINTS);
    assert_false(is.falls);
    assert_false(is.rises);
}

/* The median of pairs by sorting all of them. */
static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void any_points(void **state)
{
    double v[MARGIN_POINTS], s[MARGIN_POINTS * MARGIN_POINTS];

    (void)state;
    for (unsigned run = 0; run < 2000; run++) {
        uint32_t n = 2 + (uint32_t)(draw() % (MARGIN_POINTS - 1)), k = 0;

        for (uint32_t i = 0; i < n; i++)
            v[i] = run % 3 ? draw_part() : (double)(draw() % 4);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++)
                s[k++] = (v[j] - v[i]) / (j - i);
        qsort(s, k, sizeof(*s), by_size);
        near(margin_slope(v, n).slope,
             k % 2 ? s[k / 2] : (s[k / 2 - 1] + s[k / 2]) / 2);
    }
}

/* Of 0.01 and 0.09 in turns the level is 0.05, the median of what is left 0.04:
 * each is met by the chance of 0.05 / (1.4826 * 0.04) deviations. */
static void chances(void **state)
{
    double v[MARGIN_POINTS], one;
    struct margin_slope none = { .slope = -1 };         /* not more than chance */

    (void)state;
    for (uint32_t i = 0; i < MARGIN_POINTS; i++)
        v[i] = i % 2 ? 0.01 : 0.09;
    one = erfc(-0.05 / (1.4826 * 0.04) / sqrt(2)) / 2;
    near(margin_chance(v, MARGIN_POINTS, none, 1), 1 - one);
    near(margin_chance(v, MARGIN_POINTS, none, 10), 1 - pow(one, 10));
    for (uint32_t i = 0; i < MARGIN_POINTS; i++)
        v[i] = 0.33 - 0.01 * i;         /* 0.02 at last: 0 in two more */
    near(margin_chance(v, MARGIN_POINTS, margin_slope(v, MARGIN_POINTS), 1), 0);
    near(margin_chance(v, MARGIN_POINTS, margin_slope(v, MARGIN_POINTS), 3), 1);
}

static void points(void **state)
{
    struct margin m = { .n = 0 };
    double v[MARGIN_POINTS];

    (void)state;
    assert_null(margin_last(&m, 0));
    assert_false(margin_collect(&m, 0.5, 0, 3));
    assert_false(margin_collect(&m, 0.2, 1, 3));
    assert_true(margin_collect(&m, 0.4, 2, 3));
    near(margin_last(&m, 0)->margin, 0.2);
    assert_int_equal(margin_last(&m, 0)->rank, 1);
    for (uint32_t i = 0; i < 40; i++) {
        assert_false(margin_is_known(&m) && m.npoints < MARGIN_LEAST);
        assert_true(margin_collect(&m, i, 5, 1));
        margin_fit(&m, 10, 1 + i * 1000000000ull);
    }
    assert_true(margin_is_known(&m));
    near(m.slope, 1);
    assert_int_equal(margin_points(&m, v), MARGIN_POINTS);
    near(v[0], 8);
    near(v[31], 39);
    assert_int_equal(margin_worst(&m, 32), 5);
}

static void extremes(void **state)
{
    static const int64_t t[] = { INT64_MIN, -1, 0, 1, INT64_MAX };

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < 5; j++) {
            double x = hct_margin(t[i], t[j], 1);
            double y = hct_margin(t[i], t[j], UINT64_MAX);

            assert_true(isfinite(x) && fabs(x) <= 1e6);
            assert_true(isfinite(y) && fabs(y) <= 1);
        }
    near(hct_margin(100, 59, 100), 0.41);
    near(hct_margin(100, 116, 100), -0.16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welford),    cmocka_unit_test(theil_sen),
        cmocka_unit_test(any_points), cmocka_unit_test(chances),
        cmocka_unit_test(points),     cmocka_unit_test(extremes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
