/* test_stands.c - who sleeps in a call while others wait for it, and who does not:
 * looks at sixteen tasks, of which all wait in MPI and run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policies/outlier/stands.h"

enum { TASKS = 16, ALLREDUCE = 1, ISEND, SPAWN };
#define MS 1000000ull

static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Allreduce", .class_ = HCT_CLASS_COLLECTIVE,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL },
    { .name = "MPI_Isend", .class_ = HCT_CLASS_SEND, .flags = HCT_CALL_REQUEST },
    { .name = "MPI_Comm_spawn", .class_ = HCT_CLASS_COLLECTIVE,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_PART },
};
static struct hct_rank rank[TASKS];
static struct hct_snapshot in = {
    .size = sizeof(in), .calls = calls, .call_size = sizeof(calls[0]),
    .ncalls = sizeof(calls) / sizeof(calls[0]), .ranks = rank, .nranks = TASKS,
    .rank_size = sizeof(rank[0]) };
static struct stands stands;

/* All are in the same call since entered_ns, and run. */
static void all_wait(uint64_t now_ns, uint64_t entered_ns)
{
    in.now_ns = now_ns;
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i] = (struct hct_rank){
            .rank = i, .life = HCT_LIFE_RUNNING, .call = ALLREDUCE,
            .flags = HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI | HCT_RUNS,
            .calls = 1 + entered_ns, .age_ns = now_ns - entered_ns,
            .site = 70 + i, .own_cpu_ns = now_ns / 4 };
}

static void sleeps(uint32_t i)
{
    rank[i].flags &= (uint16_t)~HCT_RUNS;
    rank[i].own_cpu_ns = 5 * MS;
}

static void begin(void)
{
    memset(&stands, 0, sizeof(stands));
}

/* From 10 s on, for 2 s; a look each 250 ms, changed by that. */
static const struct stand *stall(void (*change)(void))
{
    begin();
    for (uint64_t at = 10000; at < 12000; at += 250) {
        all_wait(at * MS, 10000 * MS);
        if (at >= 10500)
            sleeps(7);
        if (change)
            change();
        stands_look(&stands, &in);
    }
    return stands_get(&stands, 0);
}

static void test_one(void **state)
{
    const struct stand *w = stall(NULL);

    (void)state;
    assert_non_null(w);
    assert_int_equal(w->rank, 7);
    assert_int_equal(w->call, ALLREDUCE);
    assert_int_equal(w->site, 77);
    assert_int_equal(w->others, TASKS - 1);
    assert_int_equal(w->cost_ns, 1750 * MS);
    assert_int_equal(w->stays, 1);
    assert_null(stands_get(&stands, 1));
    assert_true(stands_now(w, &in));
    rank[7].calls++;
    assert_false(stands_now(w, &in));
}

static void late(void)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (i != 7)
            rank[i].age_ns = in.now_ns - 10900 * MS;
}
static void blocking(void)
{
    for (uint32_t i = 0; i < TASKS; i += 2)
        sleeps(i);
}
static void compute(void)
{
    for (uint32_t i = 0; i < 12; i++)
        if (i != 7)
            rank[i].flags &= (uint16_t)~HCT_IN_MPI;
}
static void debugged(void) { rank[3].flags |= HCT_TRACED; }
static void not_looked_at(void) { rank[7].own_cpu_ns = 0; }
static void wakes(void) { rank[7].own_cpu_ns = in.now_ns / 5; }
static void goes_on(void) { rank[7].calls = in.now_ns; }
static void spawns(void) { rank[7].call = SPAWN; }
static void sends(void) { rank[7].call = ISEND; }
static void no_page(void) { rank[7].flags &= (uint16_t)~HCT_PAGE; }
static void ends(void) { rank[7].life = HCT_LIFE_FINALIZE; }

/* Others wait only since they came to it. */
static void test_cost(void **state)
{
    const struct stand *w = stall(late);

    (void)state;
    assert_non_null(w);
    assert_int_equal(w->cost_ns, 850 * MS);
}

static void test_nobody(void **state)
{
    (void)state;
    assert_null(stall(blocking));       /* that is how this MPI waits */
    assert_null(stall(compute));        /* nobody waits for it */
    assert_null(stall(debugged));
    assert_null(stall(not_looked_at));
    assert_null(stall(wakes));
    assert_null(stall(goes_on));
    assert_null(stall(spawns));
    assert_null(stall(sends));
    assert_null(stall(no_page));
    assert_null(stall(ends));
}

/* Once more, and another one; the one that costs most comes first. */
static void test_again(void **state)
{
    (void)state;
    stall(NULL);
    for (uint64_t at = 20000; at < 28000; at += 500) {
        all_wait(at * MS, (at < 24000 ? 20000 : 24000) * MS);
        sleeps(at < 24000 ? 7 : 2);
        assert_int_equal(stands_look(&stands, &in), at != 20000 && at != 24000);
    }
    assert_int_equal(stands_get(&stands, 0)->rank, 7);
    assert_int_equal(stands_get(&stands, 0)->cost_ns, (1750 + 3500) * MS);
    assert_int_equal(stands_get(&stands, 0)->longest_ns, 3500 * MS);
    assert_int_equal(stands_get(&stands, 0)->stays, 2);
    assert_int_equal(stands_get(&stands, 1)->rank, 2);
    assert_null(stands_get(&stands, 2));
}

/* More than are remembered: those that cost most stay. */
static void test_many(void **state)
{
    (void)state;
    begin();
    for (uint32_t k = 0; k < 2 * STANDS_MAX; k++) {
        uint32_t who = k % TASKS;
        uint64_t from = (1 + k) * 10000 * MS;

        for (uint64_t at = 0; at <= 1000 + 10 * k; at += 250 + 2 * k) {
            all_wait(from + at * MS, from - 1000 * MS);
            sleeps(who);
            rank[who].rank = k;
            stands_look(&stands, &in);
        }
    }
    assert_int_equal(stands.n, STANDS_MAX);
    for (uint32_t k = 1; k < STANDS_MAX; k++)
        assert_true(stands_get(&stands, k)->cost_ns <=
                    stands_get(&stands, k - 1)->cost_ns);
    assert_int_equal(stands_get(&stands, 0)->rank, 2 * STANDS_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),   cmocka_unit_test(test_cost),
        cmocka_unit_test(test_nobody), cmocka_unit_test(test_again),
        cmocka_unit_test(test_many),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
