/* test_isolate.c - the steps in which a task differs from one other and from many:
 * which are first, in which order, and none where nothing differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "policies/smm/isolate.h"
#include "tests/unit/lknorm_table.h"

enum { EDGES = 6, OTHERS = 3 };

static struct smm_edge edge[1 + OTHERS][EDGES];
static struct smm smm[1 + OTHERS];

static void make(void)
{
    for (int i = 0; i <= OTHERS; i++) {
        for (int e = 0; e < EDGES; e++)
            edge[i][e] = (struct smm_edge){
                .n = 10, .probability = 1, .in = { 1000, 100 }, .out = { 5000, 500 } };
        smm[i] = (struct smm){ edge[i], EDGES };
    }
}

static size_t find(uint32_t *found, size_t others, size_t k)
{
    return isolate(&(struct isolate){ &table, &smm[0], &smm[1], others }, found, k);
}

static void test_order(void **state)
{
    uint32_t found[EDGES];

    (void)state;
    make();
    edge[0][1].in.mean += 20;           /* a little */
    edge[0][4].out.mean *= 3;
    edge[0][3].n = 0;                   /* it does not take this one at all */
    assert_int_equal(find(found, 1, EDGES), 3);
    assert_int_equal(found[0], 3);
    assert_int_equal(found[1], 4);
    assert_int_equal(found[2], 1);
    assert_int_equal(find(found, 1, 2), 2);
    assert_int_equal(found[0], 3);
    assert_int_equal(found[1], 4);
}

/* One other is as odd in step 5; all together are not. */
static void test_others(void **state)
{
    uint32_t found[EDGES];

    (void)state;
    make();
    edge[1][5].out.mean *= 9;
    edge[0][2].out.mean += 400;
    assert_int_equal(find(found, 1, EDGES), 2);
    assert_int_equal(found[0], 5);
    assert_int_equal(find(found, OTHERS, 1), 1);
    assert_int_equal(found[0], 5);      /* 2 of one is more than 3 times 0.6 */
    edge[0][2].out.mean += 800;
    assert_int_equal(find(found, OTHERS, 1), 1);
    assert_int_equal(found[0], 2);
}

static void test_none(void **state)
{
    uint32_t found[EDGES];

    (void)state;
    make();
    assert_int_equal(find(found, OTHERS, EDGES), 0);
    edge[0][0].in.mean *= 5;
    assert_int_equal(find(found, 0, EDGES), 0);
    assert_int_equal(find(found, OTHERS, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_none),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
