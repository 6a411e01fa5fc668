/* test_alone.c - who is in no call that waits while all others wait: looks at
 * eight tasks, of which number 5 computes behind its call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/outlier/alone.h"

enum { TASKS = 8, RECV = 1, ISEND };
#define MS 1000000ull

static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Recv", .class_ = HCT_CLASS_RECV,
      .flags = HCT_CALL_BLOCKING },
    { .name = "MPI_Isend", .class_ = HCT_CLASS_SEND },
};
static struct hct_rank rank[TASKS];
static struct hct_snapshot in = {
    .size = sizeof(in), .calls = calls, .call_size = sizeof(calls[0]),
    .ncalls = sizeof(calls) / sizeof(calls[0]), .ranks = rank, .nranks = TASKS,
    .rank_size = sizeof(rank[0]) };
static struct stands found;

/* For 3 s; a look each 250 ms, changed by that. */
static const struct stand *look(void (*change)(uint64_t ms))
{
    found = (struct stands){ .n = 0 };
    for (uint64_t at = 250; at <= 3000; at += 250) {
        in.now_ns = (10000 + at) * MS;
        for (uint32_t i = 0; i < TASKS; i++)
            rank[i] = (struct hct_rank){
                .rank = i, .life = HCT_LIFE_RUNNING, .site = i, .calls = 100,
                .call = RECV, .age_ns = at * MS,
                .flags = HCT_OBSERVED | HCT_PAGE | HCT_RUNS |
                         (i == 5 ? 0 : HCT_IN_MPI) };
        if (change)
            change(at);
        alone_look(&found, &in);
    }
    return stands_get(&found, 0);
}

static void sleeps(uint64_t ms)
{
    (void)ms;
    rank[5].flags &= (uint16_t)~HCT_RUNS;
}
static void in_isend(uint64_t ms)
{
    (void)ms;
    rank[5].call = ISEND;
    rank[5].flags |= HCT_IN_MPI;
}

static void test_one(void **state)
{
    void (*const is[])(uint64_t) = { NULL, sleeps, in_isend };

    (void)state;
    for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
        const struct stand *w = look(is[i]);

        assert_non_null(w);
        assert_int_equal(w->rank, 5);
        assert_int_equal(w->site, 5);
        assert_int_equal(w->others, TASKS - 1);
        assert_int_equal(w->cost_ns, 3000 * MS);
        assert_null(stands_get(&found, 1));
    }
}

static void waits_too(uint64_t ms)
{
    (void)ms;
    rank[5].flags |= HCT_IN_MPI;
}
static void goes_on(uint64_t ms)
{
    rank[5].calls = ms;
    rank[5].age_ns = 50 * MS;
}
static void other_goes_on(uint64_t ms)
{
    rank[2].calls = ms;
    rank[2].age_ns = 50 * MS;
}
static void two_compute(uint64_t ms)
{
    (void)ms;
    rank[2].flags &= (uint16_t)~HCT_IN_MPI;
}
static void is_stopped(uint64_t ms)
{
    (void)ms;
    rank[5].flags |= HCT_STOPPED;
}
static void has_no_page(uint64_t ms)
{
    (void)ms;
    rank[5].flags &= (uint16_t)~HCT_PAGE;
}
static void finalizes(uint64_t ms)
{
    (void)ms;
    rank[5].life = HCT_LIFE_DONE;
}

static void test_nobody(void **state)
{
    void (*const is[])(uint64_t) = { waits_too, goes_on, other_goes_on,
                                     two_compute, is_stopped, has_no_page,
                                     finalizes };

    (void)state;
    for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
        assert_null(look(is[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_nobody),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
