/* test_medoids.c - groups of tasks that are alike. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "policies/smm/medoids.h"
#include "tests/unit/draw.h"

enum { N = MEDOIDS_SAMPLE_MAX };

static double distance[N * N];

/* Of points on a line. */
static void lay(const double *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            distance[i * n + j] = fabs(at[i] - at[j]);
}

static double total(uint32_t n, const uint32_t *medoid, uint32_t k)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        double least = INFINITY;

        for (uint32_t g = 0; g < k; g++)
            least = fmin(least, distance[i * n + medoid[g]]);
        sum += least;
    }
    return sum;
}

static void test_line(void **state)
{
    static const double at[] = { 50, 1, 2, 3, 52, 51, 90 };
    struct medoids m;

    (void)state;
    lay(at, 7);
    medoids_find(&m, distance, 7, 1);
    assert_int_equal(m.medoid[0], 0);
    medoids_find(&m, distance, 7, 3);
    assert_int_equal(m.medoid[0], 2);
    assert_int_equal(m.medoid[1], 5);
    assert_int_equal(m.medoid[2], 6);
    assert_true(fabs(m.total - 4) < 1e-9);
    assert_int_equal(m.group[1], 0);
    assert_int_equal(m.group[0], 1);
    assert_int_equal(m.group[6], 2);
    medoids_find(&m, distance, 7, 7);
    assert_true(m.total == 0);
}

/* Of up to nine tasks the best groups are known; PAM ends in a local optimum,
 * which is seldom another one, and never much worse. */
static void test_best(void **state)
{
    unsigned worse = 0;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint32_t n = 3 + (uint32_t)(7 * draw_part()), id[2];
        double at[9], least = INFINITY;
        struct medoids m;

        for (uint32_t i = 0; i < n; i++)
            at[i] = draw_part();
        lay(at, n);
        for (id[0] = 0; id[0] < n; id[0]++)
            for (id[1] = id[0] + 1; id[1] < n; id[1]++)
                least = fmin(least, total(n, id, 2));
        medoids_find(&m, distance, n, 2);
        assert_true(fabs(m.total - total(n, m.medoid, 2)) < 1e-9);
        assert_true(m.total >= least - 1e-9);
        assert_true(m.total <= 1.5 * least);
        worse += m.total > least + 1e-9;
    }
    assert_true(worse < 100);
}

/* How many groups there are, in spaces of many dimensions: distances within a
 * group are almost the same there. */
static uint32_t groups_of(uint32_t n, uint32_t k, unsigned dimensions,
                          double apart)
{
    static double at[N][200];
    struct medoids m;

    for (uint32_t i = 0; i < n; i++)
        for (unsigned d = 0; d < dimensions; d++)
            at[i][d] = draw_part() + (d == i % k ? apart : 0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;

            for (unsigned d = 0; d < dimensions; d++)
                sum += fabs(at[i][d] - at[j][d]);
            distance[i * n + j] = sum;
        }
    medoids_best(&m, distance, n, MEDOIDS_MAX, 0.1);
    return m.k;
}

static void test_number(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        assert_int_equal(groups_of(60, 1, 200, 0), 1);
        assert_int_equal(groups_of(20, 1, 20, 0), 1);
        assert_int_equal(groups_of(60, 2, 20, 20), 2);
        assert_int_equal(groups_of(60, 2, 200, 200), 2);
        assert_int_equal(groups_of(60, 4, 20, 30), 4);
    }
}

static void test_small(void **state)
{
    static const double same[5] = { 7, 7, 7, 7, 7 }, two[2] = { 1, 5 };
    struct medoids m;

    (void)state;
    lay(same, 5);
    medoids_best(&m, distance, 5, MEDOIDS_MAX, 0.1);
    assert_int_equal(m.k, 1);
    assert_int_equal(m.medoid[0], 0);
    lay(same, 1);
    medoids_best(&m, distance, 1, MEDOIDS_MAX, 0.1);
    assert_int_equal(m.k, 1);
    lay(two, 2);
    medoids_best(&m, distance, 2, MEDOIDS_MAX, 0.1);
    assert_int_equal(m.k, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_small),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
