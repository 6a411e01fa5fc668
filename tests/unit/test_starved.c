/* test_starved.c - what does the load of a node leave a task, and who is starved
 * alone? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/pace/load.h"

/* Of a second in which it wanted to run, that part. */
static struct load part(double had)
{
    return (struct load){ had * 1e9, (1 - had) * 1e9 };
}

static bool leaves(struct load own, struct load others, double had)
{
    return fabs(load_leaves(&own, &others) - log(had)) < 1e-9;
}

static void test_parts(void **state)
{
    static const struct { double own, others, left; } rows[] = {
        { 0.9, 0.9, 0.9 },      /* alike: the machine */
        { 0.2, 0.87, 0.87 },    /* a quota, where others have a little */
        { 0.2, 0.999, 0.999 },
        { 0.8, 0.999, 0.8 },    /* hardly less */
        { 0.7, 0.999, 0.999 },
        { 0.05, 0.08, 0.05 },   /* few turns: chance */
        { 0.04, 0.08, 0.04 },
        { 0.02, 0.08, 0.08 },
        { 0.5, 0.1, 0.5 },      /* more than others: as much as it had */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(leaves(part(rows[i].own), part(rows[i].others), rows[i].left));
}

/* Others that slept say nothing of the load, nor do those that are not there. */
static void test_nobody(void **state)
{
    const struct load none = { 0 }, slept = { 1e8, 1e6 }, less = { 4.9e8, 1e6 };
    const struct load enough = { 5e8, 1e6 };

    (void)state;
    assert_true(leaves(part(0.2), none, 0.2));
    assert_true(leaves(part(0.2), slept, 0.2));
    assert_true(leaves(part(0.2), less, 0.2));
    assert_true(leaves(part(0.2), enough, 5e8 / 5.01e8));
    assert_true(load_leaves(&none, &enough) == 0);      /* not known */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts), cmocka_unit_test(test_nobody),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
