/* test_smm.c - models of tasks, and what they differ by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/smm/smm.h"
#include "tests/unit/lknorm_table.h"

static void test_time(void **state)
{
    struct normal regular = smm_time(100, 1e6, 0), once = smm_time(1, 1e6, 0);
    struct normal varied = smm_time(5, 1e6, 4 * 1e10);

    (void)state;
    assert_true(regular.mean == 1e6);
    assert_true(fabs(regular.sd - hypot(1000, 1e4)) < 1e-6);
    assert_true(once.sd >= 1e6);
    assert_true(fabs(varied.sd - 1e5) < 1e3);
    assert_true(smm_time(3, 0, 0).sd > 0);
}

static void test_probabilities(void **state)
{
    static const struct smm_step step[] = {
        { 0, 1, 1 }, { 1, 1, 1 }, { 1, 2, 1 }, { 4, 0, 1 }, { 4, 1, 1 } };
    struct smm_edge e[5] = { { .n = 1 }, { .n = 9 }, { .n = 1 }, { .n = 0 }, { .n = 0 } };
    struct smm m = { e, 5 };

    (void)state;
    smm_finish(&m, step);
    assert_true(e[0].probability == 1);
    assert_true(fabs(e[1].probability - 0.9) < 1e-12);
    assert_true(fabs(e[2].probability - 0.1) < 1e-12);
    assert_true(e[3].probability == 0 && e[4].probability == 0);
}

static struct smm_edge an_edge(double p, double in, double out)
{
    return (struct smm_edge){ 100, p, smm_time(100, in, 0),
                             smm_time(100, out, 0), 0 };
}

static void test_distance(void **state)
{
    struct smm_edge a[3] = {
        an_edge(1, 1e6, 1e6), an_edge(0.5, 1e6, 1e6), { .n = 0 } };
    struct smm_edge b[3] = { an_edge(1, 1e6, 5e6), an_edge(0.25, 1e6, 1e6),
                            an_edge(0.25, 1e6, 1e6) };
    struct smm first = { a, 3 }, second = { b, 3 };

    (void)state;
    assert_true(smm_distance(&table, &first, &first) < 1e-9);
    assert_true(fabs(smm_distance(&table, &first, &second) -
                     (2 + 0.25 + SMM_ALONE)) < 0.01);
    assert_true(smm_distance(&table, &first, &second) ==
                smm_distance(&table, &second, &first));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_distance),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
