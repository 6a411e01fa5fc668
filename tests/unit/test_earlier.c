/* test_earlier.c - tasks against earlier runs: steps that all of them take
 * longer in than any task of a good run has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/outlier/earlier.h"
#include "tests/unit/draw.h"
#include "tests/unit/lknorm_table.h"

enum { TASKS = 16, STEPS = 10, SEND = 1, WAIT };

static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Isend", .class_ = HCT_CLASS_SEND },
    { .name = "MPI_Wait", .class_ = HCT_CLASS_WAIT, .flags = HCT_CALL_BLOCKING },
};
static struct hct_model model[TASKS];
static struct hct_state states[TASKS * STEPS];
static struct hct_edge edges[TASKS * STEPS];
static struct hct_rank ranks[TASKS];
static struct hct_earlier was[STEPS];
static struct hct_snapshot in = {
    .size = sizeof(in), .ranks = ranks, .nranks = TASKS,
    .rank_size = sizeof(ranks[0]), .calls = calls,
    .ncalls = sizeof(calls) / sizeof(calls[0]), .call_size = sizeof(calls[0]),
    .models = model, .nmodels = TASKS, .model_size = sizeof(model[0]),
    .states = states, .nstates = TASKS * STEPS, .state_size = sizeof(states[0]),
    .edges = edges, .nedges = TASKS * STEPS, .edge_size = sizeof(edges[0]),
    .earlier = was, .nearlier = STEPS, .earlier_size = sizeof(was[0]) };
static struct dictionary d;
static struct groups groups;
static struct habits habits;
static struct earlier earlier;

/* A ring of steps, of 1 ms each; earlier runs have had 1.2 ms at most. The
 * calls in the middle wait. */
static int begin(void **state)
{
    (void)state;
    memset(ranks, 0, sizeof(ranks));
    for (uint32_t t = 0; t < TASKS; t++) {
        model[t] = (struct hct_model){ .rank = t, .threads = 1,
            .states = t * STEPS, .nstates = STEPS, .edges = t * STEPS,
            .nedges = STEPS };
        for (uint32_t s = 0; s < STEPS; s++) {
            states[t * STEPS + s] = (struct hct_state){ .rank = t, .place = 10 + s,
                .call = s == 5 ? WAIT : SEND };
            edges[t * STEPS + s] = (struct hct_edge){ .rank = t, .from = s,
                .to = (s + 1) % STEPS, .n = 100,
                .in_mean = 1e4 * (1 + 0.1 * draw_part()), .in_m2 = 1e8,
                .out_mean = 1e6 * (1 + 0.1 * draw_part()), .out_m2 = 1e12,
                .bytes_mean = 8 };
        }
    }
    for (uint32_t s = 0; s < STEPS; s++)
        was[s] = (struct hct_earlier){ .from = 10 + s, .to = 10 + (s + 1) % STEPS,
            .runs = 3, .tasks = TASKS, .n = 100, .in_mean = 1e4, .in_sd = 1e3,
            .out_mean = 1e6, .out_sd = 1e5, .in_most = 1.2e4, .out_most = 1.2e6,
            .bytes_mean = 8 };
    in.runs = 3;
    return 0;
}

static struct earlier_longer compare(void)
{
    earlier_take(&earlier, &in);
    groups.nsample = TASKS;
    for (uint32_t i = 0; i < TASKS; i++)
        groups.sample[i] = i;
    dictionary_make(&d, &in, groups.sample, groups.nsample);
    groups_make(&groups, &table, &d, &in, &(struct groups_most){ 4, 4, 0 });
    return earlier_compare(&earlier, &habits, &groups, &d, &in);
}

static void slow_down(uint32_t step, double in_times, double out_times)
{
    for (uint32_t t = 0; t < TASKS; t++) {
        edges[t * STEPS + step].in_mean *= in_times;
        edges[t * STEPS + step].out_mean *= out_times;
    }
}

static void test_same(void **state)
{
    (void)state;
    assert_int_equal(compare().runs, 0);
    slow_down(3, 1.2, 1.2);             /* it varies */
    assert_int_equal(compare().runs, 0);
    in.nearlier = 0;
    slow_down(3, 9, 9);
    assert_int_equal(compare().runs, 0);        /* none is known */
    in.nearlier = STEPS;
}

static void test_longer(void **state)
{
    struct earlier_longer is;

    (void)state;
    slow_down(3, 1, 4);
    is = compare();
    assert_int_equal(is.runs, 3);
    assert_false(is.in_call);
    assert_int_equal(d.place[d.step[is.step].from], 13);
    assert_true(is.each_ns > 4e6 && is.each_ns < 4.5e6);
    assert_true(is.most_ns > 1.19e6 && is.most_ns < 1.21e6);
    assert_true(fabs(is.cost_ns - 100 * (is.each_ns - is.most_ns)) < 1);
    assert_true(is.share > 0.1 && is.share < 0.3);
    slow_down(7, 1000, 1);              /* the most costly one is told */
    is = compare();
    assert_true(is.in_call);
    assert_int_equal(d.place[d.step[is.step].from], 17);
}

/* What says nothing: in a call that waits; some tasks only; time that they
 * wanted a processor in; more bytes; twice as long as in one run alone, or
 * two. */
static void test_silent(void **state)
{
    (void)state;
    slow_down(5, 1000, 1);
    assert_int_equal(compare().runs, 0);
    for (uint32_t t = 0; t < TASKS / 2; t++)
        edges[t * STEPS + 2].out_mean *= 10;
    assert_int_equal(compare().runs, 0);
    slow_down(3, 1, 2);
    assert_int_equal(compare().runs, 3);
    was[3].runs = 2;
    assert_int_equal(compare().runs, 0);
    was[3].runs = 3;
    for (uint32_t t = 0; t < TASKS; t++)
        ranks[t].delayed_ns = 90000000;
    assert_int_equal(compare().runs, 0);
    memset(ranks, 0, sizeof(ranks));
    for (uint32_t t = 0; t < TASKS; t++)
        edges[t * STEPS + 3].bytes_mean = 16;
    assert_int_equal(compare().runs, 0);
}

static void test_find(void **state)
{
    (void)state;
    earlier_take(&earlier, &in);
    for (uint32_t s = 0; s < STEPS; s++)
        assert_true(earlier_find(&earlier, 10 + s, 10 + (s + 1) % STEPS) ==
                    &earlier.v[s]);
    assert_null(earlier_find(&earlier, 10, 12));
    assert_null(earlier_find(&earlier, 0, 10));
    assert_null(earlier_find(&earlier, UINT64_MAX, UINT64_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_same, begin),
        cmocka_unit_test_setup(test_longer, begin),
        cmocka_unit_test_setup(test_silent, begin),
        cmocka_unit_test_setup(test_find, begin),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
