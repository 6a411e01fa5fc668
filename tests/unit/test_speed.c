/* test_speed.c - who computes longer for the same work, from windows of
 * counters; and where, from two readings of a model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/pace/speed.h"
#include "policies/slow/crowd.h"
#include "policies/slow/odd.h"
#include "policies/slow/region.h"
#include "policies/slow/rise.h"
#include "policies/slow/suspicion.h"
#include "tests/unit/draw.h"

enum { TASKS = 8, CALLS = 50, PHASE = 2 };

static struct hct_rank rank[TASKS];
static struct hct_snapshot in = { .size = sizeof(in), .ranks = rank,
                                  .nranks = TASKS, .rank_size = sizeof(rank[0]) };
static struct speed_task task[TASKS];
static struct speed_parts parts[TASKS];
static double shift[TASKS], words[TASKS];
static struct speed s;
static const struct odd_limit limit = { .windows = 3, .factor = 1.15,
                                        .share = 0.02 };
static struct odd_found f;
static struct odd_task odd[TASKS];
static double load[TASKS];

static void begin(void)
{
    memset(task, 0, sizeof(task));
    memset(rank, 0, sizeof(rank));
    s = (struct speed){ .ntasks = TASKS, .task = task, .parts = parts,
                        .shift = shift,
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
    if (!odd_judge(&s, PHASE, since, since, &limit, &f, odd, TASKS))
        return false;
    rise_agree(&s, PHASE, &f, f.nodd ? &odd[0] : NULL);
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

/* One becomes slow while others leave the machine: of ten times that they
 * compute a little less it has taken over none. */
static void test_eases(void **state)
{
    (void)state;
    begin();
    windows(20);
    for (uint32_t i = 0; i < TASKS; i++)
        load[i] = i == 3 ? 1.71 : 0.948;
    windows(4);
    assert_true(judge(4));
    assert_true(f.nodd == 1 && odd[0].rank == 3 && !f.moved);
}

/* One window of each task's us a call, as a tape has them; others: for how many
 * there are on its processor. */
static unsigned others;
static void window_of(const double us[TASKS])
{
    double last = 0;

    for (uint32_t i = 0; i < TASKS; i++)
        last = fmax(last, us[i]);
    for (uint32_t i = 0; i < TASKS; i++) {
        rank[i].calls += CALLS;
        rank[i].out_ns += (uint64_t)(CALLS * us[i] * 1e3);
        rank[i].in_ns += (uint64_t)(CALLS * (last - us[i] + 10) * 1e3);
        rank[i].had_ns += 500000000;
        rank[i].wanted_ns += 500000000 * others;
    }
    in.now_ns += 1000000000;
    speed_read(&s, &in, PHASE);
    speed_close(&s, PHASE, in.now_ns, SPEED_PHASES);
}

/* From a run on a machine that others used: what all vary by becomes less at
 * the moment at which task 1 becomes slow; they have not given it their work. */
static void test_calms(void **state)
{
    static const double us[][TASKS] = {
        { 3068, 3059, 3056, 3061, 2968, 4055, 2874, 2750 },
        { 3005, 3037, 2974, 2984, 3200, 3771, 3011, 2983 },
        { 2939, 2936, 2876, 2897, 3063, 3020, 3212, 3172 },
        { 3008, 2992, 2977, 3010, 3320, 3301, 3277, 3246 },
        { 2936, 2947, 3006, 3027, 3218, 3185, 2932, 2972 },
        { 2912, 2924, 2837, 2815, 3522, 3324, 3058, 3034 },
        { 2952, 2963, 2919, 2965, 4084, 2935, 2982, 2976 },
        { 2646, 2641, 2643, 2640, 2803, 2812, 2797, 2807 },
        { 2850, 2873, 2859, 2837, 2939, 2944, 2957, 3373 },
        { 2972, 2983, 2954, 2954, 3097, 3059, 3086, 3300 },
        { 3174, 3193, 3222, 3129, 3095, 3218, 3095, 3087 },
        { 3047, 3051, 3030, 3033, 3140, 3145, 3146, 3132 },
        { 3511, 3547, 3340, 3477, 3243, 3232, 3745, 3281 },
        { 3254, 3024, 3301, 3010, 2861, 2819, 4384, 2826 },
        { 3432, 3401, 3558, 3547, 2924, 2961, 3804, 3211 },
        { 3665, 3687, 4001, 3984, 3173, 3165, 3965, 3970 },
        { 2779, 2802, 3059, 3205, 4040, 4147, 3048, 3148 },
        { 3228, 3194, 3274, 3399, 2949, 4136, 2971, 2815 },
        { 3087, 3064, 3041, 3034, 3335, 3276, 3050, 3163 },
        { 3106, 3110, 3074, 3044, 3361, 3348, 3318, 3308 },
        { 3095, 3062, 3036, 3029, 3206, 3222, 3347, 3415 },
        { 2917, 4267, 2893, 2884, 2952, 2912, 3640, 3806 },
        { 2975, 5279, 2929, 2970, 2820, 2826, 2839, 2842 },
        { 3024, 5375, 3036, 3032, 2847, 2839, 2922, 2847 },
        { 2832, 5225, 2872, 2866, 2961, 2914, 2985, 2956 } };

    (void)state;
    begin();
    for (unsigned i = 0; i < sizeof(us) / sizeof(us[0]); i++)
        window_of(us[i]);
    assert_true(judge(4));
    assert_true(f.nodd == 1 && odd[0].rank == 1 && !f.moved);
}

/* All become faster or slower together by a tenth from window to window, and
 * are faster when task 3 becomes slow: that is no work that it has got from
 * them. Where they hardly vary it is, or where nobody else is there: it is they
 * who vary. */
static void test_vary(void **state)
{
    (void)state;
    for (unsigned vary = 0; vary < 3; vary++) {
        others = vary == 1;
        begin();
        for (unsigned w = 0; w < 24; w++) {
            double all = w >= 20 ? 0.9 : vary ? 0.9 + 0.1 * (w % 3) : 1;
            double us[TASKS];

            for (uint32_t i = 0; i < TASKS; i++)
                us[i] = 3000 * all * (w >= 20 && i == 3 ? 1.8 : 1) +
                        10 * (i * 7 + w * 5 % 11) % 60;
            window_of(us);
        }
        assert_true(judge(4));
        assert_true(f.nodd == 1 && odd[0].rank == 3 && f.moved == !others);
    }
    others = 0;
}

/* From a run that had just begun, at a load of 55: no window is in a mean yet,
 * and all vary by a tenth. That two have less to do than just before is chance. */
static void test_begun(void **state)
{
    static const double us[][TASKS] = {
        { 22522, 22977, 24891, 24155, 21639, 20790, 22076, 22298 },
        { 25906, 28631, 24643, 23208, 23677, 23208, 21856, 21424 },
        { 21424, 19975, 24155, 21639, 20999, 21424, 24398, 24891 },
        { 25906, 23677, 20583, 24155, 21856, 27785, 23915, 25906 },
        { 18812, 23441, 22522, 21639, 22076, 24155, 21639, 24398 },
        { 22977, 20790, 21856, 24891, 22977, 24398, 31960, 26430 },
        { 25141, 32281, 24155, 24155, 22522, 22076, 28064, 23915 },
        { 22977, 24891, 26964, 22522, 25649, 26430, 23441, 22748 },
        { 23441, 25393, 25649, 23208, 26430, 22522, 22748, 23208 },
        { 32606, 18812, 22076, 24643, 24643, 22076, 23677, 20790 },
        { 25393, 22298, 22977, 20999, 20379, 22977, 21639, 20790 },
        { 29209, 23677, 23915, 38263, 26167, 20790, 23915, 26167 },
        { 19776, 23208, 22748, 33264, 25393, 22522, 22748, 23915 },
        { 25649, 24398, 22748, 33599, 21856, 32933, 26167, 22076 },
        { 24891, 21639, 23677, 34278, 22748, 26695, 26695, 24398 } };
    struct odd_limit plain = limit;
    uint32_t found;
    uint64_t since;

    (void)state;
    plain.windows = 4;
    plain.factor = 1.3;
    begin();
    for (unsigned i = 0; i < sizeof(us) / sizeof(us[0]); i++)
        window_of(us[i]);
    since = speed_since(&s, PHASE, 4, &found);
    assert_int_equal(task[3].phase[PHASE].n, 0);
    assert_true(speed_noise(&s, 3, PHASE) > 0.05 &&
                speed_noise(&s, 3, PHASE) < 0.15);
    speed_recall(&s, PHASE, since);
    assert_true(odd_judge(&s, PHASE, since, since, &plain, &f, odd, TASKS));
    assert_true(f.nodd == 1 && odd[0].rank == 3 && !f.moved);
}

/* Work is dealt out anew, of a mesh that adapts: most have more or less to do
 * than before, and who has the most more is not slow. */
static void test_dealt(void **state)
{
    static const double before[TASKS] = { 1.6, 0.9, 0.5, 1.7, 0.4, 1.2, 0.8,
                                          0.9 };
    static const double now[TASKS] = { 1.1, 0.45, 1.1, 0.9, 1.5, 0.8, 1.35,
                                       0.8 };

    (void)state;
    begin();
    memcpy(load, before, sizeof(load));
    windows(20);
    memcpy(load, now, sizeof(load));
    windows(4);
    assert_true(judge(4));
    assert_true(f.nodd > 0 && f.moved);
}

/* Others of its node are as short of a processor as who is slow: the machine
 * has too much to do. */
static void test_crowd(void **state)
{
    static struct slow_suspicion x;
    static struct region *one = &x.models.kept[0], *other = &x.models.kept[1];

    (void)state;
    begin();
    windows(20);
    load[5] = 2;
    load[6] = 1.1;
    windows(4);
    assert_true(judge(4) && f.nodd == 1);
    x.witness = crowd_witness(&s, 5);
    assert_true(x.witness == 4 || x.witness == 7);
    begin();
    windows(20);
    for (uint32_t i = 4; i < 8; i++)
        load[i] = 2;
    windows(4);
    assert_true(judge(4) && f.nodd == 4);
    assert_int_equal(crowd_witness(&s, 5), 5);  /* all of the node are */
    *one = (struct region){ .rank = 5, .at_ns = in.now_ns, .delayed_ns = 100 };
    *other = (struct region){ .rank = x.witness, .at_ns = in.now_ns,
                              .delayed_ns = 100 };
    x.models.n = 2;
    in.now_ns += 1000000000;
    rank[5].delayed_ns = 600000100;
    rank[x.witness].delayed_ns = 400000100;
    assert_true(crowd_is_there(&x, one, &in));
    rank[x.witness].delayed_ns = 50000100;
    assert_false(crowd_is_there(&x, one, &in));
    x.models.n = 1;             /* that of the witness has not come */
    assert_false(crowd_is_there(&x, one, &in));
}

/* Pairs that were uneven, each by another amount, are evened out: some have
 * more to do, by more than others have. */
static void test_balanced(void **state)
{
    static const double apart[TASKS] = { -0.2, 0.2, -0.4, 0.4, -0.5, 0.5, -0.7,
                                         0.7 };

    (void)state;
    begin();
    for (uint32_t i = 0; i < TASKS; i++)
        load[i] = 1 + apart[i];
    windows(20);
    for (uint32_t i = 0; i < TASKS; i++)
        load[i] = 1;
    windows(4);
    assert_true(judge(4));
    assert_true(f.nodd == 0 || f.moved);
}

/* What comes at once has a step, whatever window it is said to begin with; what
 * grows bit by bit has none. */
static void test_step(void **state)
{
    struct rise all, one;

    (void)state;
    for (unsigned early = 0; early < 4; early++) {
        begin();
        windows(20 + early);
        for (uint32_t i = 0; i < TASKS; i++)
            load[i] = i == 2 ? 3 : 1.5;
        windows(5);
        assert_true(judge(5 + early));
        assert_int_equal(odd[0].rank, 2);
        all = rise_of(&s, PHASE, s.windows - 5 - early, &f, NULL);
        one = rise_of(&s, PHASE, s.windows - 5 - early, &f, &odd[0]);
        assert_true(fabs(all.step - log(1.5)) < 0.05);
        assert_true(all.step > 0.9 * all.now && one.step > 0.9 * one.now);
        assert_true(all.grown < 0.25 * all.now);
    }
    begin();
    windows(20);
    for (unsigned w = 0; w < 10; w++) {
        for (uint32_t i = 0; i < TASKS; i++)
            load[i] *= i == 2 ? 1.06 : 1.02;
        windows(1);
    }
    assert_true(judge(10));
    assert_int_equal(odd[0].rank, 2);
    all = rise_of(&s, PHASE, s.windows - 10, &f, NULL);
    one = rise_of(&s, PHASE, s.windows - 10, &f, &odd[0]);
    assert_true(all.now > 0.12 && all.step < 0.6 * all.now);
    assert_false(all.grown < 0.25 * all.now);
    assert_true(one.now > 0.2 && one.step < 0.5 * one.now);
    assert_true(fabs(rise_trend(&s, PHASE, s.windows) - 4 * log(1.02)) < 0.03);
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
    assert_false(odd_judge(&s, PHASE, 0, 0, &limit, &f, odd, TASKS));
    windows(20);
    assert_false(odd_judge(&s, PHASE + 1, 0, 0, &limit, &f, odd, TASKS));
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

/* Two readings in ms, as tapes have them, of one step. */
static void of_tape(struct region *r, const double v[6])
{
    enum { AT, RAN, DELAYED, IN, MADE, OUT };

    *r = (struct region){ .nsteps = 1, .at_ns = (uint64_t)(v[AT] * 1e6),
                          .ran_ns = (uint64_t)(v[RAN] * 1e6),
                          .delayed_ns = (uint64_t)(v[DELAYED] * 1e6),
                          .in_ns = (uint64_t)(v[IN] * 1e6) };
    r->step[0].all = (struct region_sum){ .n = v[MADE],
                                          .out_ns = v[OUT] * 1e6 };
}

/* All tasks sleep for twice as long while others take the machine, and who
 * looks for messages is kept from it, half as long as they sleep longer and
 * more: they are not kept outside of MPI. Of one that computes for as long
 * nobody knows. */
static void test_sleeps(void **state)
{
    static const double before[6] = { 37769, 169, 21213, 20730, 3102, 16996 };
    static const double now[6] = { 40842, 178, 22683, 22159, 3253, 18643 };
    static const double later[6] = { 37490, 245, 24494, 23814, 5062, 13678 };
    static const double end[6] = { 73371, 401, 47263, 46009, 8098, 27364 };
    static struct region a, b;
    struct region_grown g;

    (void)state;
    of_tape(&a, before);
    of_tape(&b, now);
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(g.kept_ns * g.calls > 0.4 * g.all_ns && g.sleeps);
    a.ran_ns += 15000000000;    /* it computes in place of sleeping */
    b.ran_ns += 16500000000;
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_false(g.sleeps);
    of_tape(&a, later);
    of_tape(&b, end);
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(g.kept_ns * g.calls > g.all_ns && g.sleeps);
}

/* It was started slowly, and slept for 12 s before its first call. Each call
 * takes 11 ms longer since, most of it asleep, while others use the machine. */
static void test_started(void **state)
{
    static const double before[6] = { 48000, 150, 34050, 33000, 360, 2736 };
    static const double now[6] = { 54000, 170, 39526, 38316, 396, 3420 };
    static struct region a, b;
    struct region_grown g;

    (void)state;
    of_tape(&a, before);
    of_tape(&b, now);
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(fabs(g.all_ns / g.calls - 11.4e6) < 1e5);
    assert_true(g.asleep_ns > 5.7e6 && g.asleep_ns < 11.4e6);
}

/* Somebody is twice as slow, window after window, while the time of an
 * iteration tells it but half: the models that decide are asked for. */
static void test_sure(void **state)
{
    static struct slow w;
    static struct hct_out out;

    (void)state;
    begin();
    windows(20);
    load[3] = 2;
    windows(4);
    assert_true(judge(4));
    w = (struct slow){ .limit = limit, .windows.least_ns = 1000000000, .speed = s,
                       .x = { .stage = SLOW_SUSPECT, .phase = PHASE, .since = 20,
                              .agreed = SLOW_ODD_WINDOWS, .kept_at = 2,
                              .windows = 4, .models.n = 1,
                              .found = f, .change = { .p = 0.5, .since = 4,
                                                      .times = 1.1 } } };
    w.x.odd[0] = odd[0];
    suspicion_window(&w, &in, &out);
    assert_true(w.x.stage == SLOW_SUSPECT && w.x.agreed > SLOW_ODD_WINDOWS);
    assert_int_equal(w.x.models.wants, HCT_NEED_MODEL);
}

/* Who has half of a processor and computes for longer waits for it for longer,
 * too; who looks for messages now and then does not compute. */
static void test_starved(void **state)
{
    static const double before[6] = { 20000, 9000, 9000, 2000, 1000, 18000 };
    static const double more[6] = { 24000, 10800, 10800, 2400, 1100, 21600 };
    static const double kept[6] = { 24000, 9900, 11700, 2400, 1100, 21600 };
    static const double tenth[6] = { 20000, 900, 9000, 2000, 1000, 18000 };
    static const double little[6] = { 20000, 90, 9000, 2000, 1000, 18000 };
    static struct region a, b;
    struct region_grown g;

    (void)state;
    of_tape(&a, before);
    of_tape(&b, more);
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(fabs(g.kept_ns - 9e6) < 1 && fabs(g.starved_ns) < 1);
    of_tape(&b, kept);
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(fabs(g.kept_ns - 18e6) < 1 && fabs(g.starved_ns - 18e6) < 1);
    of_tape(&a, tenth);         /* amid ten others */
    b.ran_ns = a.ran_ns + 180000000;
    b.delayed_ns = a.delayed_ns + 1800000000;
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(fabs(g.kept_ns - 9e6) < 1 && fabs(g.starved_ns) < 1);
    assert_true(fabs(g.part - 10) < 1e-9 && fabs(g.takes_ns - 19.8e6) < 1);
    of_tape(&a, little);
    b.ran_ns = a.ran_ns + 18000000;
    assert_true(region_find(&a, &b, a.at_ns, &g));
    assert_true(fabs(g.starved_ns - g.kept_ns) < 1 && g.takes_ns <= 0);
}

/* The first reading came late, 2 s behind the beginning of what lasts for 4 s
 * more: half as many calls as since were slow in it. */
static void test_late(void **state)
{
    static const double before[6] = { 20000, 9500, 9500, 2000, 1000, 19000 };
    static const double now[6] = { 24000, 11500, 11500, 2400, 1100, 23000 };
    static struct region a, b;
    struct region_grown g;

    (void)state;
    of_tape(&a, before);
    of_tape(&b, now);
    assert_true(region_find(&a, &b, 18000000000, &g));
    assert_true(fabs(g.part - 1) < 1e-9 && g.kept_ns > 1e6);
    assert_true(fabs(g.starved_ns) < 1);
}

/* Windows that are in the means stay, and say how somebody became slow. */
static void test_history(void **state)
{
    const struct odd_task steps = { .rank = 3 }, grows = { .rank = 5 };
    bool known;
    double gain;

    (void)state;
    begin();
    windows(20);
    load[3] = 2;
    windows(4);
    assert_true(judge(4) && f.nodd == 1);
    assert_int_equal(speed_oldest(&s), 20);
    assert_int_equal(speed_first(&s), 0);
    gain = rise_gain(&s, PHASE, 20, &odd[0], &known);
    assert_true(known && gain > 10);
    for (unsigned i = 0; i < 20; i++) {
        load[5] += 0.05;
        windows(1);
    }
    assert_true(judge(4));
    gain = rise_gain(&s, PHASE, 40, &grows, &known);
    assert_true(known && gain < -10);
    assert_true(rise_gain(&s, PHASE, 24, &steps, &known) > 10);
    windows(60);                /* what it was before is forgotten */
    assert_int_equal(speed_first(&s), s.windows - SPEED_RING);
    assert_int_equal(speed_one(&s, PHASE, speed_first(&s) - 1).n, 0);
    assert_int_equal(speed_one(&s, PHASE + 1, s.windows - 1).n, 0);
    rise_gain(&s, PHASE, 24, &steps, &known);
    assert_false(known);
}

/* Models of a suspicion that came too early: of the calls that a task has made
 * since, it was slow in the last ones. */
static void test_narrow(void **state)
{
    static const double before[6] = { 33876, 86, 9403, 9340, 1210, 24485 };
    static const double now[6] = { 48141, 108, 12104, 11979, 1662, 36067 };
    static struct region a, b;
    struct region_grown g, all;

    (void)state;
    of_tape(&a, before);
    of_tape(&b, now);
    assert_true(region_find(&a, &b, a.at_ns + 8000000000, &g));
    assert_true(fabs(g.times - 1.27) < 0.01);
    all = g;
    region_narrow(&g, 174);
    assert_true(fabs(g.times - 1.7) < 0.02 && fabs(g.calls - 174) < 1e-9);
    assert_true(fabs(g.each_ns * g.calls - all.each_ns * all.calls) < 1);
    assert_true(fabs(g.all_ns - all.all_ns) < 1);
    all = g;
    region_narrow(&g, 500);     /* more than there are: all of them */
    assert_memory_equal(&g, &all, sizeof(g));
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
        cmocka_unit_test(test_eases),
        cmocka_unit_test(test_calms),
        cmocka_unit_test(test_vary),
        cmocka_unit_test(test_begun),
        cmocka_unit_test(test_dealt),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_starved),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_balanced),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_sleeps),
        cmocka_unit_test(test_started),
        cmocka_unit_test(test_sure),
        cmocka_unit_test(test_narrow),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
