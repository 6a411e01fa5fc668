/* test_kept.c - was somebody kept from the processor for what it takes longer? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/slow/slow.h"

static struct slow_suspicion x;

/* ms for a call, of one that takes 8 longer. */
static bool kept(double starved, double asleep)
{
    const struct region_grown g = { .starved_ns = 1e6 * starved,
                                    .asleep_ns = 1e6 * asleep };

    x.extra_ns = 8e6;
    return slow_kept(&x, &g);
}

/* Who sleeps for longer outside of MPI is also kept in it for longer, on a machine
 * that others take at the same moment. */
static void test_sleeps(void **state)
{
    (void)state;
    x = (struct slow_suspicion){ .found = { .nodd = 1, .alike = 1 } };
    assert_true(kept(6, 0));
    assert_true(kept(6, NAN));
    assert_false(kept(3, 0));
    assert_true(kept(20, 3));
    assert_false(kept(20, 8));
}

/* Where work is compared, what the load takes is none: but of one that has much less
 * of its processor than others of its node. */
static void test_of_work(void **state)
{
    (void)state;
    x = (struct slow_suspicion){ .found = { .nodd = 1, .alike = 1 },
                                 .of_work = true };
    assert_false(kept(20, 0));
    x.alone = true;
    assert_true(kept(0, 0));
    x.found.nodd = 0;
    assert_false(kept(20, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sleeps), cmocka_unit_test(test_of_work),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
