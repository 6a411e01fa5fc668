/* test_speed.c - who computes longer for the same work, from windows of
 * counters; and where, from two readings of a model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/slow/region.h"
#include "policies/slow/speed.h"
#include "tests/unit/draw.h"

enum { TASKS = 8, CALLS = 50, PHASE = 2 };

static struct hct_rank rank[TASKS];
static struct hct_snapshot in = { .size = sizeof(in), .ranks = rank,
                                  .nranks = TASKS, .rank_size = sizeof(rank[0]) };
static struct speed_task task[TASKS];
static double shift[TASKS], words[TASKS];
static struct speed s;
static const struct speed_limit limit = { .windows = 3, .factor = 1.15,
                                          .share = 0.02 };
static struct speed_found f;
static struct speed_odd odd[TASKS];
static double load[TASKS];

static void begin(void)
{
    memset(task, 0, sizeof(task));
    memset(rank, 0, sizeof(rank));
    s = (struct speed){ .ntasks = TASKS, .task = task, .shift = shift,
                        .words = words };
    in.now_ns = 1000000000;
    for (uint32_t i = 0; i < TASKS; i++) {
        load[i] = 1;
        rank[i] = (struct hct_rank){ .rank = i, .flags = HCT_PAGE, .calls = 10,
                                     .in_ns = 1, .out_ns = 1,
                                     .node = 1 + i / 4 };
    }
    speed_read(&s, &in, SPEED_PHASES);
}

/* A call takes 10 us, and before it 1 ms of computation of a load of 1; all
 * wait for the last. */
static void windows(uint32_t n)
{
    while (n--) {
        double last = 0, out[TASKS];

        for (uint32_t i = 0; i < TASKS; i++) {
            out[i] = 1e6 * load[i] * (1 + 0.04 * (draw_part() - 0.5));
            last = fmax(last, out[i]);
        }
        for (uint32_t i = 0; i < TASKS; i++) {
            rank[i].calls += CALLS;
            rank[i].out_ns += (uint64_t)(CALLS * out[i]);
            rank[i].in_ns += (uint64_t)(CALLS * (last - out[i] + 1e4));
        }
        in.now_ns += 1000000000;
        speed_read(&s, &in, PHASE);
        speed_close(&s, PHASE, in.now_ns, SPEED_PHASES);
    }
}

static bool judge(uint32_t n)
{
    uint32_t found;
    uint64_t since = speed_since(&s, PHASE, n, &found);

    assert_int_equal(found, n);
    speed_recall(&s, PHASE, since);
    speed_settle(&s, since);
    if (!speed_judge(&s, PHASE, since, since, &limit, &f, odd, TASKS))
        return false;
    speed_agree(&s, PHASE, &f, f.nodd ? &odd[0] : NULL);
    return true;
}

static void test_same(void **state)
{
    (void)state;
    for (unsigned run = 0; run < 100; run++) {
        begin();
        for (uint32_t i = 0; i < TASKS; i++)    /* always there */
            load[i] = 0.5 + draw_part();
        windows(10 + run % 20);
        assert_true(judge(4));
        assert_int_equal(f.nodd, 0);
        assert_true(fabs(f.alike - 1) < 0.05);
    }
}

static void test_one(void **state)
{
    static const double factors[] = { 1.25, 1.5, 2, 4 };

    (void)state;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned who = 0; who < TASKS; who++) {
            begin();
            load[(who + 1) % TASKS] = 0.7;
            windows(20);
            load[who] *= factors[k];
            windows(4);
            assert_true(judge(4));
            assert_int_equal(f.nodd, 1);
            assert_int_equal(odd[0].rank, who);
            assert_true(fabs(odd[0].times - factors[k]) < 0.15 * factors[k]);
            assert_true(f.windows == 4 && f.of == 4 && !f.moved);
            assert_true(task[who].odd);
            assert_true(shift[who] > log(factors[k]) / 2);
        }
}

/* Half of all, on one of two nodes; all. */
static void test_node_and_all(void **state)
{
    (void)state;
    begin();
    windows(20);
    for (uint32_t i = 4; i < 8; i++)
        load[i] = 2;
    windows(4);
    assert_true(judge(4));
    assert_int_equal(f.nodd, 4);
    for (uint32_t i = 0; i < TASKS; i++)
        assert_int_equal(task[i].odd, i >= 4);
    begin();
    windows(20);
    for (uint32_t i = 0; i < TASKS; i++)
        load[i] = 1.6;
    windows(4);
    assert_true(judge(4));
    assert_int_equal(f.nodd, 0);
    assert_true(fabs(f.alike - 1.6) < 0.1);
}

/* What one has more another has less, or all. */
static void test_moved(void **state)
{
    (void)state;
    begin();
    load[2] = 1.8;
    windows(20);
    load[2] = 1;
    load[5] = 1.8;
    windows(4);
    assert_true(judge(4));
    assert_true(f.nodd == 1 && f.moved);
    begin();
    windows(20);
    for (uint32_t i = 0; i < TASKS; i++)
        load[i] = i == 3 ? 1.7 : 0.9;
    windows(4);
    assert_true(judge(4));
    assert_true(f.nodd == 1 && f.moved);
}

/* One window that is far off does not make three. */
static void test_agree(void **state)
{
    (void)state;
    begin();
    windows(20);
    load[1] = 30;
    windows(1);
    load[1] = 1;
    windows(3);
    assert_true(judge(4));
    assert_true(f.nodd == 0 || f.windows == 0);
}

static void test_bad(void **state)
{
    (void)state;
    begin();
    windows(2);
    assert_false(speed_judge(&s, PHASE, 0, 0, &limit, &f, odd, TASKS));
    windows(20);
    assert_false(speed_judge(&s, PHASE + 1, 0, 0, &limit, &f, odd, TASKS));
    rank[0].calls = 1;          /* counters that go back, no calls at all */
    rank[1].flags = 0;
    windows(4);
    assert_true(judge(4));
    assert_int_equal(f.nodd, 0);
    speed_relearn(&s, PHASE, s.windows);
    assert_false(judge(4));
}

/* ------------------------------------------------------------------- region */

static struct hct_model model;
static struct hct_state states[4];
static struct hct_edge edges[4];
static double bytes;

static void read_model(struct region *r, const double n[4], const double out[4])
{
    model = (struct hct_model){ .nstates = 4, .nedges = 4 };
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = (struct hct_state){ .site = 10 + i, .call = 1 + i,
                                        .place = 100 + i };
        edges[i] = (struct hct_edge){ .from = i, .to = (i + 1) % 4,
                                      .n = (uint64_t)n[i], .out_mean = out[i],
                                      .bytes_mean = bytes };
    }
    in.models = &model;
    in.nmodels = 1;
    in.model_size = sizeof(model);
    in.states = states;
    in.state_size = sizeof(states[0]);
    in.edges = edges;
    in.edge_size = sizeof(edges[0]);
    assert_true(region_keep(r, &in, 0));
    assert_false(region_keep(&(struct region){ 0 }, &in, 1));
}

static void test_region(void **state)
{
    static struct region a, b;
    struct region_grown g;

    (void)state;
    begin();
    read_model(&a, (double[]){ 1000, 1000, 1000, 1000 },
               (double[]){ 1e3, 5e5, 1e6, 1e3 });
    /* 100 more, in which the third step takes twice as long. */
    read_model(&b, (double[]){ 1100, 1100, 1100, 1100 },
               (double[]){ 1e3, 5e5, 1.2e9 / 1100, 1e3 });
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_int_equal(g.step.call, 3);
    assert_int_equal(g.step.to_call, 4);
    assert_int_equal(g.step.site, 12);
    assert_true(fabs(g.times - 2) < 1e-6);
    assert_true(fabs(g.each_ns - 1e6) < 1);
    assert_true(fabs(g.step_ns - 1e8) < 100);
    assert_true(fabs(g.calls - 400) < 1e-9);
    assert_true(isnan(g.kept_ns));
    /* Another step, which nobody knows: it explains nothing. */
    read_model(&a, (double[]){ 1000, 1000, 1000, 2 },
               (double[]){ 1e3, 5e5, 1e6, 1e3 });
    read_model(&b, (double[]){ 1000, 1000, 1000, 102 },
               (double[]){ 1e3, 5e5, 1e6, 9e6 });
    assert_false(region_find(&a, &b, a.at_ns, &g));
    assert_true(g.all_ns <= 0);
    /* The third step again, but its call moves more. */
    read_model(&a, (double[]){ 1000, 1000, 1000, 1000 },
               (double[]){ 1e3, 5e5, 1e6, 1e3 });
    bytes = 4096;
    rank[0].delayed_ns = 5;
    read_model(&a, (double[]){ 1000, 1000, 1000, 1000 },
               (double[]){ 1e3, 5e5, 1e6, 1e3 });
    bytes = 8192;
    rank[0].delayed_ns = 5 + 250000000;
    in.now_ns += 1000000000;
    read_model(&b, (double[]){ 2000, 2000, 2000, 2000 },
               (double[]){ 1e3, 5e5, 2e6, 1e3 });
    assert_false(region_find(&a, &b, a.at_ns, &g));
    /* 4,000 calls more, a quarter of a second of it without a processor. */
    assert_true(fabs(g.kept_ns - 250e6 / 4000) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_node_and_all),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_agree),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_region),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
