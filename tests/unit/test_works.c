/* test_works.c - who computes in a call while others wait: looks at two nodes of
 * eight tasks that have two processors each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policies/outlier/works.h"

enum { TASKS = 16, ALLREDUCE = 1 };
#define MS 1000000ull

static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Allreduce", .class_ = HCT_CLASS_COLLECTIVE,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL },
};
static struct hct_rank rank[TASKS];
static struct hct_snapshot in = {
    .size = sizeof(in), .calls = calls, .call_size = sizeof(calls[0]),
    .ncalls = sizeof(calls) / sizeof(calls[0]), .ranks = rank, .nranks = TASKS,
    .rank_size = sizeof(rank[0]) };
static struct works works;
static struct works_rank was[TASKS];

/* All are in the same call for 2 s; who waits has 2 ms of each second, number 7
 * 600. A look each 250 ms, changed by that. */
static const struct stand *stall(void (*change)(uint64_t ms))
{
    memset(&works, 0, sizeof(works));
    memset(was, 0, sizeof(was));
    for (uint64_t at = 250; at < 2000; at += 250) {
        in.now_ns = (10000 + at) * MS;
        for (uint32_t i = 0; i < TASKS; i++)
            rank[i] = (struct hct_rank){
                .rank = i, .life = HCT_LIFE_RUNNING, .call = ALLREDUCE,
                .flags = HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI | HCT_RUNS,
                .calls = 100, .age_ns = at * MS, .node = 1 + i / 8, .site = i,
                .own_cpu_ns = at < 500 ? 0 : (i == 7 ? 600 : 2) * at * MS / 1000 };
        if (change)
            change(at);
        works_look(&works, was, &in);
    }
    return stands_get(&works.found, 0);
}

static void test_one(void **state)
{
    const struct stand *w = stall(NULL);

    (void)state;
    assert_non_null(w);
    assert_int_equal(w->rank, 7);
    assert_int_equal(w->site, 7);
    assert_int_equal(w->others, 7);
    assert_int_equal(w->cost_ns, 1250 * MS);
    assert_null(stands_get(&works.found, 1));
}

static void all_spin(uint64_t ms)
{
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i].own_cpu_ns = ms * MS;
}
static void alone_on_its_node(uint64_t ms)
{
    (void)ms;
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i].node = i == 7 ? 2 : 1;
}
static void no_node(uint64_t ms)
{
    (void)ms;
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i].node = 0;
}
static void others_go_on(uint64_t ms)
{
    for (uint32_t i = 0; i < 7; i++)
        rank[i].calls = ms;
}
static void goes_on(uint64_t ms) { rank[7].calls = ms; }
static void out_of_mpi(uint64_t ms)
{
    (void)ms;
    rank[7].flags &= (uint16_t)~HCT_IN_MPI;
}
static void a_little_more(uint64_t ms)
{
    rank[7].own_cpu_ns = 15 * ms * MS / 1000;
}

static void test_nobody(void **state)
{
    (void)state;
    assert_null(stall(all_spin));       /* each has a processor */
    assert_null(stall(alone_on_its_node));
    assert_null(stall(no_node));
    assert_null(stall(others_go_on));
    assert_null(stall(goes_on));
    assert_null(stall(out_of_mpi));
    assert_null(stall(a_little_more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one), cmocka_unit_test(test_nobody),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
