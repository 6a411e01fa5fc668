/* test_lknorm.c - the Lk-norm: its closed form against integration, and the
 * table against the closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/smm/lknorm.h"
#include "tests/unit/draw.h"
#include "tests/unit/lknorm_table.h"

#define LARGEST     2.0
#define TABLE_ERROR (1e-3 * LARGEST)

static double density(struct normal n, double x)
{
    double z = (x - n.mean) / n.sd;

    return exp(-z * z / 2) / (n.sd * sqrt(2 * M_PI));
}

/* Equation (1) with k = 1 by the middles of many pieces: of each of the two
 * distributions' own width. */
static double integral(struct normal a, struct normal b)
{
    enum { PIECES = 200000 };
    double low = fmin(a.mean - 9 * a.sd, b.mean - 9 * b.sd);
    double high = fmax(a.mean + 9 * a.sd, b.mean + 9 * b.sd);
    double width = (high - low) / PIECES, sum = 0;

    for (int i = 0; i < PIECES; i++) {
        double x = low + (i + 0.5) * width;

        sum += fabs(density(a, x) - density(b, x)) * width;
    }
    return sum;
}

static void test_exact(void **state)
{
    static const double sds[] = { 1, 1 + 1e-9, 1 + 1e-5, 1.01, 1.5,
                                 2, 5,        30,       300 };
    static const double means[] = { 0, 1e-6, 0.01, 0.3, 1, 2.5, 6, 40, 400 };

    (void)state;
    for (size_t i = 0; i < sizeof(sds) / sizeof(sds[0]); i++)
        for (size_t j = 0; j < sizeof(means) / sizeof(means[0]); j++) {
            struct normal a = { 0, 1 }, b = { means[j], sds[i] };

            assert_true(fabs(lknorm_exact(a, b) - integral(a, b)) < 2e-5);
        }
}

/* What is written about them: two of the same width, one deviation apart. */
static void test_known(void **state)
{
    struct normal a = { 10, 2 }, b = { 12, 2 }, far = { 1e6, 2 };

    (void)state;
    assert_true(fabs(lknorm_exact(a, b) - 2 * 0.3829249225) < 1e-9);
    assert_true(lknorm_exact(a, a) == 0);
    assert_true(fabs(lknorm_exact(a, far) - 2) < 1e-12);
    assert_true(fabs(lknorm(&table, a, a)) < 1e-12);
    assert_true(fabs(lknorm(&table, a, far) - 2) < TABLE_ERROR);
}

static void test_table(void **state)
{
    double worst = 0;

    (void)state;
    for (int i = 0; i < 1000000; i++) {
        double unit = exp(20 * draw_part() - 10);
        struct normal a = { 0, unit }, b = { 0, unit * exp(12 * draw_part() * draw_part()) };
        double differ;

        b.mean = exp(16 * draw_part() - 8) * (draw_part() < 0.5 ? a.sd : b.sd);
        differ = fabs(lknorm(&table, a, b) - lknorm_exact(a, b));
        worst = fmax(worst, differ);
    }
    if (worst >= TABLE_ERROR)
        print_message("# off by %g\n", worst);
    assert_true(worst < TABLE_ERROR);
}

/* Neither order nor unit nor origin matters. */
static void test_same(void **state)
{
    (void)state;
    for (int i = 0; i < 10000; i++) {
        struct normal a = { 10 * draw_part(), 0.01 + draw_part() };
        struct normal b = { 10 * draw_part(), 0.01 + draw_part() };
        struct normal c = { 1000 * a.mean + 64, 1000 * a.sd };
        struct normal d = { 1000 * b.mean + 64, 1000 * b.sd };
        double is = lknorm(&table, a, b);

        assert_true(is >= 0 && is <= LARGEST);
        assert_true(lknorm(&table, b, a) == is);
        assert_true(fabs(lknorm(&table, c, d) - is) < 1e-6);
    }
}

static void test_extremes(void **state)
{
    struct normal thin = { 1e9, 1e-300 }, wide = { 0, 1e300 };
    struct normal none = { NAN, 1 };

    (void)state;
    assert_true(fabs(lknorm(&table, thin, wide) - 2) < TABLE_ERROR);
    assert_true(fabs(lknorm(&table, thin, (struct normal){ 0, 1 }) - 2) <
                TABLE_ERROR);
    assert_true(fabs(lknorm(&table, none, wide) - 2) < TABLE_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),    cmocka_unit_test(test_known),
        cmocka_unit_test(test_table),    cmocka_unit_test(test_same),
        cmocka_unit_test(test_extremes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
