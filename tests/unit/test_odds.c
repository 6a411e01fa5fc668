/* test_odds.c - the list of tasks that are furthest from their like, as the policy
 * outlier gives it to its host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policies/outlier/outlier.h"

enum { TASKS = 6, ODDS = 16 };

static struct outlier policy;
static struct hct_odd odds[ODDS];

/* So far is each task from the nearest one, by rank. */
static uint32_t list(const double far[TASKS])
{
    struct hct_score scores[TASKS] = { { 0 } };
    struct hct_snapshot in = { .nranks = TASKS, .scores = scores,
                               .score_size = sizeof(*scores), .nscores = TASKS };
    struct hct_out out = { .odds = odds, .odds_max = ODDS };

    for (uint32_t i = 0; i < TASKS; i++) {
        scores[i].method = HCT_METHOD_NEIGHBOUR;
        scores[i].rank = i;
        scores[i].score = far[i];
    }
    memset(odds, 0, sizeof(odds));
    outlier_add_odds(&policy, &in, &out);
    return out.nodds;
}

static uint32_t rank_at(uint32_t n, uint32_t place)
{
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < n; i++)
        if (odds[i].place == place) {
            assert_int_equal(found, UINT32_MAX);        /* nobody else is there */
            found = odds[i].rank;
        }
    return found;
}

static void test_order(void **state)
{
    uint32_t n = list((double[TASKS]){ 1, 6, 2, 5, 3, 4 });

    (void)state;
    assert_true(n > 0);
    assert_int_equal(rank_at(n, 1), 1);
    assert_int_equal(rank_at(n, 2), 3);
    assert_int_equal(rank_at(n, 3), 5);
}

/* Two that are each other's nearest neighbour are as far from it. */
static void test_pairs(void **state)
{
    uint32_t n = list((double[TASKS]){ 1, 6, 2, 4, 6, 4 });

    (void)state;
    assert_int_equal(rank_at(n, 1), 1);
    assert_int_equal(rank_at(n, 2), 4);
    assert_int_equal(rank_at(n, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_pairs),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
