/* test_score.c - models as a snapshot has them: one numbering of a sample, its
 * groups, the question that these make, and what each task answers to it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "policies/outlier/ask.h"
#include "policies/smm/score.h"
#include "proto/model/scores.h"
#include "tests/unit/draw.h"
#include "tests/unit/lknorm_table.h"

enum { TASKS = 64, STATES = 40, EDGES = 80, SEND = 1, RECV, BARRIER };

static struct hct_job job = { .size = sizeof(job), .nranks = TASKS, .seed = 7 };
static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Isend", .class_ = HCT_CLASS_OTHER },
    { .name = "MPI_Recv", .class_ = HCT_CLASS_OTHER, .flags = HCT_CALL_BLOCKING },
    { .name = "MPI_Barrier", .class_ = HCT_CLASS_OTHER, .flags = HCT_CALL_ALL },
};
static struct hct_model models[TASKS];
static struct hct_state states[TASKS * STATES];
static struct hct_edge edges[TASKS * EDGES];
static struct hct_rank ranks[TASKS];
static struct hct_snapshot in = {
    .ranks = ranks,
    .rank_size = sizeof(ranks[0]),
    .size = sizeof(in),
    .job = &job,
    .calls = calls,
    .ncalls = sizeof(calls) / sizeof(calls[0]),
    .call_size = sizeof(calls[0]),
    .models = models,
    .model_size = sizeof(models[0]),
    .states = states,
    .state_size = sizeof(states[0]),
    .edges = edges,
    .edge_size = sizeof(edges[0]),
};
static struct dictionary d;
static struct groups groups;
static struct habits habits;
static struct smm_edge edge[DICTIONARY_STEPS];
static struct scores all;
static struct ask what = { .top = 5, .score = 6,
                                 .share = 0.01, .cost_ns = 1e6 };
static _Alignas(8) uint8_t question[HCT_QUESTION_MAX];
static uint32_t bytes;
static double kept_ns;          /* that tasks were kept from a processor */

static void begin(void)
{
    in.nmodels = in.nstates = in.nedges = in.nranks = 0;
}

static struct hct_model *a_task(uint32_t rank)
{
    struct hct_model *m = &models[in.nmodels++];

    *m = (struct hct_model){
        .rank = rank, .threads = 1, .states = in.nstates, .edges = in.nedges };
    return m;
}

/* Each task has its own order: number of the state, a new one if need be. */
static uint32_t a_state(struct hct_model *m, uint64_t place, uint32_t call)
{
    for (uint32_t i = 0; i < m->nstates; i++)
        if (states[m->states + i].place == place &&
            states[m->states + i].call == call)
            return i;
    states[in.nstates++] =
        (struct hct_state){ .rank = m->rank,
                           .call = call,
                           .site = 1000 * m->rank + (uint32_t)place,
                           .place = place };
    return m->nstates++;
}

static struct hct_edge *an_edge(struct hct_model *m, uint32_t a, uint32_t b,
                                uint64_t n, double in_ns, double out_ns)
{
    edges[in.nedges++] =
        (struct hct_edge){ .rank = m->rank,
                          .from = a,
                          .to = b,
                          .n = n,
                          .in_mean = in_ns,
                          .in_m2 = in_ns * in_ns / 100 * (double)n,
                          .out_mean = out_ns,
                          .out_m2 = out_ns * out_ns / 100 * (double)n };
    m->nedges++;
    return &edges[in.nedges - 1];
}

static void a_step(struct hct_model *m, uint64_t from, uint64_t to,
                   uint32_t call, uint64_t n, double in_ns, double out_ns)
{
    uint32_t a = a_state(m, from, call), b = a_state(m, to, call ? call : SEND);

    an_edge(m, a, b, n, in_ns, out_ns);
}

/* Rounds of ten steps, from place 10 on; of one task one of these takes
 * longer. */
static void rounds(uint32_t rank, uint64_t first, int odd, double factor,
                   double load)
{
    struct hct_model *m = a_task(rank);

    if (rank % 2)
        a_state(m, first + 5, SEND);
    for (int i = 0; i < 10; i++)
        a_step(m, first + (uint64_t)i, first + (uint64_t)(i + 1) % 10, SEND,
               100, 2000 * (1 + 0.02 * draw_part()),
               1e6 * (1 + i % 3) * (1 + 0.02 * draw_part()) * load *
                   (i == odd ? factor : 1));
}

static void make_dictionary(void)
{
    dictionary_make(&d, &in, NULL, in.nmodels);
}

/* Every task of the sample, or so many of them. */
static void make_question(uint32_t most)
{
    groups.nsample = 0;
    for (uint32_t i = 0; i < in.nmodels && groups.nsample < most; i++)
        groups.sample[groups.nsample++] = i;
    dictionary_make(&d, &in, groups.sample, groups.nsample);
    groups_make(&groups, &table, &d, &in, &(struct groups_most){ 4, 4, 0 });
    bytes = ask_write(&what, &habits, &groups, &d, &in, question,
                      sizeof(question));
    assert_true(bytes > 0);
}

/* As a slave has them. */
static size_t edges_of(const struct hct_model *m, struct score_edge *v)
{
    for (uint32_t i = 0; i < m->nedges; i++) {
        const struct hct_edge *e = hct_edge(&in, m, i);

        v[i] = (struct score_edge){
            .from = hct_state(&in, m, e->from)->place,
            .to = hct_state(&in, m, e->to)->place,
            .site = hct_state(&in, m, e->from)->site, .n = e->n,
            .in_mean = e->in_mean, .in_m2 = e->in_m2, .out_mean = e->out_mean,
            .out_m2 = e->out_m2, .bytes_mean = e->bytes_mean };
    }
    return m->nedges;
}

static void add(struct scores *s, struct score *q, const struct hct_model *m)
{
    struct score_edge v[EDGES];
    struct hct_score steps[HCT_TOP_MAX], x = { .method = 0 };
    struct score_task t;
    size_t n;

    score_task(q, m->rank, v, edges_of(m, v), &t);
    t.kept_ns = kept_ns;
    scores_count(s, HCT_CLUSTER_GROUP, t.group, t.far);
    scores_count(s, HCT_CLUSTER_KIND, t.kind, t.like);
    if (!score_differs(q, &t, &x))
        x = (struct hct_score){ .method = 0 };
    x.rank = m->rank;
    x.group = t.group;
    x.kind = t.kind;
    x.method = HCT_METHOD_CLUSTER;
    x.score = t.far;
    scores_put(s, &x);
    x.method = HCT_METHOD_NEIGHBOUR;
    x.score = t.near;
    scores_put(s, &x);
    n = score_steps(q, m->rank, &t, steps, s->top);
    for (size_t i = 0; i < n; i++)
        scores_put(s, &steps[i]);
}

/* All tasks are asked. */
static void answer(void)
{
    size_t need = score_room(question, bytes);
    void *room = malloc(need);
    struct score *q;

    assert_true(need > 0 && room);
    q = score_open(room, question, &table);
    memset(&all, 0, sizeof(all));
    all.width = TASKS;
    all.top = what.top;
    for (uint32_t i = 0; i < in.nmodels; i++)
        add(&all, q, &models[i]);
    free(room);
}

/* The steps that are too long, most costly first. */
static size_t find(struct hct_score *v, size_t k)
{
    size_t n = 0;

    make_question(GROUPS_SAMPLE);
    answer();
    for (uint32_t i = 0; i < all.nscores; i++)
        if (all.score[i].method == HCT_METHOD_POLISH && n < k)
            v[n++] = all.score[i];
    return n;
}

static uint64_t number(void)
{
    return ((const struct hct_question *)(const void *)question)->number;
}

static const struct hct_score *first_of(enum hct_method method)
{
    uint32_t i = 0;

    while (i < all.nscores && all.score[i].method != method)
        i++;
    return &all.score[i];
}

static uint64_t tasks_in(enum hct_cluster_what what_, uint32_t number)
{
    for (uint32_t i = 0; i < all.nclusters; i++)
        if (all.cluster[i].what == what_ && all.cluster[i].number == number)
            return all.cluster[i].tasks;
    return 0;
}

static void test_dictionary(void **state)
{
    uint32_t site[DICTIONARY_STEPS];

    (void)state;
    begin();
    for (uint32_t i = 0; i < 4; i++)
        rounds(i, 10, -1, 1, 1);
    a_step(&models[3], 12, 19, SEND, 5, 1000, 1000);
    a_step(&models[3], 12, 19, SEND, 15, 2000, 1000);   /* of another phase */
    make_dictionary();
    assert_int_equal(d.nstates, 10);
    assert_int_equal(d.nsteps, 11);
    assert_int_equal(d.left_out, 0);
    for (uint32_t i = 0; i < d.nsteps; i++) {
        const struct smm_step *s = &d.step[i];
        bool extra = d.place[s->from] == 12 && d.place[s->to] == 19;

        assert_int_equal(s->support, extra ? 1 : 4);
        assert_true(i == 0 || s[-1].from < s->from ||
                    (s[-1].from == s->from && s[-1].to < s->to));
        dictionary_model(&d, &in, &models[3], edge, site);
        assert_int_equal(edge[i].n, extra ? 20 : 100);
        assert_int_equal(site[i], 3000 + d.place[s->from]);
        if (extra) {
            assert_true(fabs(edge[i].in.mean - 1750) < 1e-6);
            assert_true(edge[i].in.sd > 433 && edge[i].in.sd < 1500);
            assert_true(fabs(edge[i].probability - 20.0 / 120) < 1e-9);
        }
        dictionary_model(&d, &in, &models[0], edge, NULL);
        assert_int_equal(edge[i].n, extra ? 0 : 100);
    }
}

/* Places that are not known are left out, and so is what finds no room. */
static void test_left_out(void **state)
{
    (void)state;
    begin();
    a_task(0);
    a_step(&models[0], 0, 20, SEND, 1, 1, 1);
    a_step(&models[0], 0, 20, 0, 1, 1, 1);      /* the beginning is known */
    make_dictionary();
    assert_int_equal(d.nsteps, 1);
    assert_int_equal(d.left_out, 1);
    begin();
    for (uint32_t i = 0; i < TASKS; i++) {
        a_task(i);
        for (uint64_t s = 0; s < STATES - 1; s++)
            a_step(&models[i], 1000 * (i + 1) + s, 1000 * (i + 1) + s + 1, SEND,
                   1, 1, 1);
    }
    make_dictionary();
    assert_int_equal(d.nstates, DICTIONARY_STATES);
    assert_true(d.left_out > TASKS * STATES - 2 * DICTIONARY_STATES);
    dictionary_model(&d, &in, &models[TASKS - 1], edge, NULL);
}

static void test_one(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int round = 0; round < 50; round++) {
        uint32_t who = (uint32_t)(16 * draw_part());
        int step = (int)(10 * draw_part());

        begin();
        for (uint32_t i = 0; i < 16; i++)
            rounds(i, 10, i == who ? step : -1, 1.5, 1 + 0.2 * draw_part());
        assert_int_equal(find(v, 3), 1);
        assert_int_equal(v[0].rank, who);
        assert_int_equal(d.place[d.step[v[0].step].from], 10 + step);
        assert_int_equal(tasks_in(HCT_CLUSTER_KIND, v[0].kind), 16);
        assert_int_equal(v[0].site, 1000 * who + 10 + (uint32_t)step);
        assert_false(v[0].in_call);
        assert_true(fabs(v[0].times - 1.5) < 0.1);
        assert_true(v[0].cost_ns > 0.4 * 1e8 && v[0].cost_ns < 3 * 1e8);
        assert_true(v[0].share > 0.01 && v[0].share < 0.2);
    }
}

/* Once much longer, in a step whose sum differs by more from task to task: seen
 * by who asks for all, and by nobody else. */
static void test_once(void **state)
{
    const struct ask before = what;
    struct hct_score v[1];

    (void)state;
    for (int round = 0; round < 20; round++) {
        uint32_t who = (uint32_t)(16 * draw_part());
        double longer = 4e6;
        struct hct_edge *e;

        begin();
        for (uint32_t i = 0; i < 16; i++)
            rounds(i, 10, -1, 1, 1 + 0.2 * draw_part());
        e = &edges[models[who].edges + 2];
        e->out_mean += longer / 100;
        e->out_m2 += longer * longer * 0.99;
        what = before;
        assert_int_equal(find(v, 1), 0);
        what.score = what.share = what.cost_ns = 0;
        assert_int_equal(find(v, 1), 1);
        assert_int_equal(v[0].rank, who);
        assert_int_equal(d.place[d.step[v[0].step].from], 12);
        assert_true(v[0].once);
        assert_true(v[0].cost_ns > longer * 0.8 && v[0].cost_ns < longer * 1.2);
    }
    what = before;
}

static void test_nobody(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int round = 0; round < 50; round++) {
        begin();
        for (uint32_t i = 0; i < 16; i++)
            rounds(i, 10, -1, 1, 1 + 0.5 * draw_part());
        assert_int_equal(find(v, 3), 0);
    }
}

/* Masters and workers are not compared with each other; and who is odd among
 * the workers is found by all three ways. */
static void test_groups(void **state)
{
    struct hct_score v[3];

    (void)state;
    begin();
    for (uint32_t i = 0; i < TASKS; i++)
        rounds(i, i % 16 ? 10 : 500, i == 37 ? 4 : -1, 3, 1);
    assert_int_equal(find(v, 3), 1);
    assert_int_equal(groups.kinds.k, 2);
    assert_int_equal(v[0].rank, 37);
    assert_int_equal(tasks_in(HCT_CLUSTER_KIND, v[0].kind), TASKS - TASKS / 16);
    assert_int_equal(tasks_in(HCT_CLUSTER_KIND, !v[0].kind), TASKS / 16);
    assert_int_equal(first_of(HCT_METHOD_NEIGHBOUR)->rank, 37);
}

/* A program that has one step only. */
static void test_one_step(void **state)
{
    struct hct_score v[3];

    (void)state;
    begin();
    for (uint32_t i = 0; i < 16; i++)
        a_step(a_task(i), 10, 10, SEND, 100, 1000,
               1e6 * (1 + 0.05 * draw_part()) * (i == 5 ? 1.6 : 1));
    assert_int_equal(find(v, 3), 1);
    assert_int_equal(v[0].rank, 5);
    assert_true(fabs(v[0].times - 1.6) < 0.1);
    begin();
    for (uint32_t i = 0; i < 16; i++)   /* loads that differ are no fault */
        a_step(a_task(i), 10, 10, SEND, 100, 1000, 1e6 * (1 + 0.1 * i));
    assert_int_equal(find(v, 3), 0);
}

/* Times that are drawn by lot, with no memory, as a page has them: a sum that
 * differs as much as so many draws do. */
static struct moments by_lot(uint64_t n, double mean_ns)
{
    struct moments t = { 0, 0 };

    for (uint64_t i = 1; i <= n; i++) {
        double x = -mean_ns * log(draw_part()), off = x - t.mean;

        t.mean += off / (double)i;
        t.m2 += off * (x - t.mean);
    }
    return t;
}

static void a_step_of(struct hct_model *m, uint64_t from, uint64_t to,
                      uint64_t n, struct moments t)
{
    a_step(m, from, to, SEND, n, 1000, t.mean);
    edges[in.nedges - 1].out_m2 = t.m2;
}

/* Four tasks with four steps of that kind; of task 2 one takes so much longer.
 * Steps that are found to be too long. */
static size_t found_by_lot(uint64_t n, double factor)
{
    struct hct_score v[3];
    size_t found;

    begin();
    for (uint32_t i = 0; i < 4; i++) {
        struct hct_model *m = a_task(i);

        for (uint64_t s = 0; s < 4; s++)
            a_step_of(m, 10 + s, 10 + (s + 1) % 4, n,
                      by_lot(n, 4e6 * (i == 2 && s == 1 ? factor : 1)));
    }
    found = find(v, 3);
    for (size_t i = 0; i < found; i++)
        assert_true(factor <= 1 ||
                    (v[i].rank == 2 && d.place[d.step[v[i].step].from] == 11));
    return found;
}

/* Of four tasks three are alike by chance now and then, and who is not looks
 * odd. But the sum of some times that differ that much says little; of many it
 * does. */
static void test_chance(void **state)
{
    size_t odd = 0, found = 0;

    (void)state;
    for (int round = 0; round < 500; round++)
        odd += found_by_lot(round % 2 ? 50 : 200, 1);
    assert_int_equal(odd, 0);
    for (int round = 0; round < 50; round++)
        found += found_by_lot(400, 2);
    assert_true(found >= 35);   /* not where the others differ by too much */
}

/* In all that they do, too: there others wait for it. */
static void test_chance_in_all(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct moments t[4][4];
        double most = 0, own[4] = { 0 };

        for (int i = 0; i < 16; i++) {
            t[i / 4][i % 4] = by_lot(60, 4e6);
            own[i / 4] += t[i / 4][i % 4].mean;
            most = fmax(most, own[i / 4]);
        }
        begin();
        for (uint32_t i = 0; i < 4; i++) {
            struct hct_model *m = a_task(i);
            uint32_t last = a_state(m, 14, BARRIER);

            for (uint64_t s = 0; s < 4; s++)
                a_step_of(m, 10 + s, s < 3 ? 11 + s : 20, 60, t[i][s]);
            an_edge(m, a_state(m, 20, SEND), last, 60, 2000, 2000);
            an_edge(m, last, a_state(m, 10, SEND), 60, most - own[i] + 5e4,
                    1000);
        }
        assert_int_equal(find(v, 3), 0);
    }
}

/* Who asks a clock whether its work is over asks more often the more of it
 * there is: it has no slower step than others. Who takes as much longer each
 * time has. */
static void test_often(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int longer = 0; longer < 2; longer++)
        for (int round = 0; round < 20; round++) {
            begin();
            for (uint32_t i = 0; i < 4; i++) {
                struct hct_model *m = a_task(i);
                double much = i == 1 ? 1.3 : 1 + 0.01 * draw_part();

                a_step(m, 10, 11, SEND, 100, 1000, 1e6);
                a_step(m, 11, 11, SEND, (uint64_t)(longer ? 5e5 : 5e5 * much),
                       100, 2000 * (longer ? much : 1));
                a_step(m, 11, 10, SEND, 100, 1000, 1e6);
            }
            assert_int_equal(find(v, 3), longer);
            if (longer)
                assert_int_equal(v[0].rank, 1);
        }
}

/* One of its times took so much longer: it may be odd, or was kept from a
 * processor while it was in that step; many of them were not all by chance. Nor was
 * one that is far longer than the pieces in which all of them were kept for far
 * more. */
static void test_few_times(void **state)
{
    const double longer = 5e8;
    const double kept[] = { 0, 1e8, 8e8, 1e10 };
    struct hct_score v[3];

    (void)state;
    for (int round = 0; round < 16; round++) {
        double times = round & 1 ? 30 : 1, piece = round & 2 ? 3e8 : 1e7;
        struct hct_edge *e;

        begin();
        kept_ns = kept[round / 4];
        for (uint32_t i = 0; i < 8; i++) {
            rounds(i, 10, -1, 1, 1);
            edges[models[i].edges + 1].out_m2 += kept_ns * piece;
        }
        e = &edges[models[3].edges + 2];
        e->out_mean += longer / 100;
        e->out_m2 += longer / times * longer * (1 - times / 100);
        assert_int_equal(find(v, 3), times > 1 || kept_ns < longer ||
                         (kept_ns > 5 * longer && piece < longer / 5));
    }
    kept_ns = 0;
}

/* Who is odd is found also where the sample is small, and without it. */
static void test_sample(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < TASKS; i++)
        rounds(i, 10, i == 50 ? 4 : -1, 3, 1);
    make_question(12);
    answer();
    assert_int_equal(all.score[all.nscores - 1].method, HCT_METHOD_POLISH);
    assert_int_equal(all.score[all.nscores - 1].rank, 50);
    assert_true(first_of(HCT_METHOD_POLISH) == &all.score[all.nscores - 1]);
    assert_int_equal(first_of(HCT_METHOD_CLUSTER)->rank, 50);
    assert_int_equal(first_of(HCT_METHOD_NEIGHBOUR)->rank, 50);
    assert_int_equal(tasks_in(HCT_CLUSTER_KIND, 0), TASKS);
}

/* What the sample has not counts as different as can be. */
static void test_other_steps(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 16; i++)
        rounds(i, 10, -1, 1, 1);
    a_step(&models[15], 12, 99, SEND, 5, 1000, 1000);
    make_question(8);
    answer();
    assert_int_equal(first_of(HCT_METHOD_NEIGHBOUR)->rank, 15);
    assert_true(first_of(HCT_METHOD_NEIGHBOUR)->score >= SMM_ALONE);
}

/* In any order and by any tree the same comes up. */
static void test_merge(void **state)
{
    static struct scores part[4], whole;
    struct str out = { 0 }, other = { 0 };
    void *room;
    struct score *q;
    uint32_t rank_of[TASKS];

    (void)state;
    begin();
    for (uint32_t i = 0; i < TASKS; i++)
        rounds(i, 10, i % 9 == 0 ? 4 : -1, 2 + i, 1);
    make_question(GROUPS_SAMPLE);
    answer();
    room = malloc(score_room(question, bytes));
    q = score_open(room, question, &table);
    memset(part, 0, sizeof(part));
    memset(&whole, 0, sizeof(whole));
    whole.width = TASKS;
    for (uint32_t i = 0; i < 4; i++) {
        part[i].top = what.top;
        part[i].number = 7;
        part[i].width = TASKS / 4;
    }
    for (uint32_t i = 0; i < TASKS; i++) {      /* positions in each part */
        add(&part[i / (TASKS / 4)], q, &models[i]);
        scores_ran(&part[i / (TASKS / 4)], 0, 1000 + i, 7);
    }
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < part[i].nscores; k++)
            part[i].score[k].rank %= TASKS / 4;
    for (uint32_t i = 4; i-- > 0; ) {
        struct scores *read = malloc(sizeof(*read));

        str_reset(&out);
        assert_int_equal(scores_write(&part[i], NULL, &out, NULL), 0);
        assert_int_equal(scores_read(read, (const uint8_t *)str_text(&out),
                                     out.n, TASKS / 4, NULL), 0);
        scores_merge(&whole, read, i * TASKS / 4);
        free(read);
    }
    assert_int_equal(whole.number, 7);
    assert_int_equal(whole.nscores, all.nscores);
    for (uint32_t i = 0; i < all.nscores; i++) {
        assert_int_equal(whole.score[i].rank, all.score[i].rank);
        assert_int_equal(whole.score[i].step, all.score[i].step);
    }
    assert_int_equal(whole.nclusters, all.nclusters);
    for (uint32_t i = 0; i < all.nclusters; i++)
        assert_int_equal(whole.cluster[i].tasks, all.cluster[i].tasks);
    for (uint32_t i = 0; i < all.nclusters; i++)
        if (whole.cluster[i].what == HCT_CLUSTER_KIND && !whole.cluster[i].number) {
            assert_true(fabs(whole.cluster[i].ran_ns - TASKS * 1000.0 -
                             TASKS * (TASKS - 1) / 2) < 0.5);
            assert_true(fabs(whole.cluster[i].delayed_ns - 7.0 * TASKS) < 0.5);
            whole.cluster[i].delayed_ns = -1;   /* of a slave that lies */
            str_reset(&other);
            assert_int_equal(scores_write(&whole, NULL, &other, NULL), 0);
            assert_int_equal(
                scores_read(&part[0], (const uint8_t *)str_text(&other), other.n,
                            TASKS, NULL), -1);
            whole.cluster[i].delayed_ns = 7.0 * TASKS;
        }
    str_reset(&other);
    for (uint32_t i = 0; i < TASKS; i++)
        rank_of[i] = 2 * i;
    assert_int_equal(scores_write(&whole, rank_of, &other, NULL), 0);
    assert_int_equal(scores_read(&part[0], (const uint8_t *)str_text(&other),
                                 other.n, 2 * TASKS, NULL), 0);
    assert_int_equal(part[0].score[0].rank, 2 * all.score[0].rank);
    whole.cluster[0].sum = 1e300;       /* of a slave that lies */
    str_reset(&other);
    assert_int_equal(scores_write(&whole, NULL, &other, NULL), 0);
    assert_int_equal(scores_read(&part[0], (const uint8_t *)str_text(&other),
                                 other.n, 2 * TASKS, NULL), -1);
    str_reset(&other);
    whole.cluster[0] = whole.cluster[1];        /* of one that counts twice */
    assert_int_equal(scores_write(&whole, NULL, &other, NULL), 0);
    assert_int_equal(scores_read(&part[0], (const uint8_t *)str_text(&other),
                                 other.n, 2 * TASKS, NULL), -1);
    str_reset(&other);
    assert_int_equal(scores_write(&all, NULL, &other, NULL), 0);
    assert_int_equal(scores_read(&part[0], (const uint8_t *)str_text(&other),
                                 other.n, all.score[0].rank, NULL), -1);
    str_fini(&out);
    str_fini(&other);
    free(room);
}

/* Sixteen tasks, of which number 7 takes twice as long in one step that is half
 * of all: a second of 3. delayed, ran: of it, in wall; and of the others. Is it
 * its node's fault? */
static bool explained_in(double wall_s, double delayed_s, double ran_s,
                         double delayed_others_s, double ran_others_s)
{
    struct hct_score v[3];

    begin();
    for (uint32_t i = 0; i < 16; i++) {
        struct hct_model *m = a_task(i);

        for (int s = 0; s < 10; s++)
            a_step(m, 10 + (uint64_t)s, 10 + (uint64_t)(s + 1) % 10, SEND, 100,
                   1000, (s == 4 ? 1e7 : 1e6) * (1 + 0.02 * draw_part()) *
                         (i == 7 && s == 4 ? 2 : 1));
    }
    assert_int_equal(find(v, 3), 1);
    assert_int_equal(v[0].rank, 7);
    for (uint32_t i = 0; i < 15; i++)
        scores_ran(&all, v[0].kind, (uint64_t)(ran_others_s * 1e9),
                   (uint64_t)(delayed_others_s * 1e9));
    scores_ran(&all, v[0].kind, (uint64_t)(ran_s * 1e9),
               (uint64_t)(delayed_s * 1e9));
    in.clusters = all.cluster;
    in.nclusters = all.nclusters;
    in.cluster_size = sizeof(all.cluster[0]);
    v[0].delayed_ns = (uint64_t)(delayed_s * 1e9);
    v[0].ran_ns = (uint64_t)(ran_s * 1e9);
    return habits_explain(&v[0], habits_usual_share(&in, &v[0]),
                          (uint64_t)(wall_s * 1e9));
}

static bool explained(double delayed_s, double ran_s)
{
    return explained_in(30, delayed_s, ran_s, 0.2, 1.8);
}

/* Who was kept from a processor is not odd; who had it, and is slow, is; and so
 * is who waits for it more often as it computes more. */
static void test_kept(void **state)
{
    (void)state;
    assert_true(explained(1.3, 1.7));
    assert_false(explained(0.2, 2.8));  /* it computes */
    assert_false(explained(0.4, 1.8));  /* a bit of it */
    assert_false(explained(0, 0));      /* nobody knows */
    assert_false(explained(1.3, 7 * 1.8));      /* 0.2 s each 1.8 s */
    assert_true(isnan(habits_usual_share(&in, &(struct hct_score){ .kind = 5 })));
}

/* Others have no larger share, who give way as they wait for it. */
static void test_kept_alike(void **state)
{
    (void)state;
    assert_true(explained_in(20, 19.4, 0.4, 19.4, 0.5));
    assert_false(explained_in(20, 17, 0.4, 17, 0.5));   /* it slept for the rest */
    assert_false(explained_in(20, 17, 3, 17, 3));       /* or computed */
}

/* Chains are one step to find who is far; the whole models say which of these
 * it is. */
static void test_differs(void **state)
{
    const struct hct_question *q;
    const struct hct_score *x;

    (void)state;
    for (int round = 0; round < 20; round++) {
        uint32_t who = (uint32_t)(16 * draw_part());
        int step = (int)(10 * draw_part());

        begin();
        for (uint32_t i = 0; i < 16; i++)
            rounds(i, 10, i == who ? step : -1, 3, 1);
        make_question(GROUPS_SAMPLE);
        answer();
        q = (const void *)question;
        assert_true(q->nchains < q->nsteps);
        assert_int_equal(q->nwholes, q->ngroups);
        x = first_of(HCT_METHOD_NEIGHBOUR);
        assert_int_equal(x->rank, who);
        assert_int_equal(d.place[d.step[x->step].from], 10 + step);
        assert_int_equal(x->site, 1000 * who + 10 + (uint32_t)step);
        assert_false(x->in_call);
        assert_true(x->share > 0.5 && x->share <= 1);
        assert_true(x->out_ns > 2 * x->normal_out_ns && x->normal_out_ns > 0);
        assert_int_equal(x->n, 100);
    }
}

/* Its number is that of what it says. */
static void test_number(void **state)
{
    uint64_t first;

    (void)state;
    begin();
    for (uint32_t i = 0; i < 8; i++)
        rounds(i, 10, -1, 1, 1);
    make_question(8);
    first = number();
    make_question(8);
    assert_true(number() == first && first != 0);
    make_question(7);
    assert_true(number() != first);
}

/* A question that was cut or changed is refused, or does no harm. */
static void test_bad_questions(void **state)
{
    uint8_t *bad;
    size_t refused = 0, need;

    (void)state;
    begin();
    for (uint32_t i = 0; i < 8; i++)
        rounds(i, 10, -1, 1, 1);
    make_question(8);
    for (uint32_t n = 0; n < bytes; n += 7)
        assert_int_equal(score_room(question, n), 0);
    bad = malloc(bytes);
    for (int round = 0; round < 3000; round++) {
        void *room;

        memcpy(bad, question, bytes);
        for (int i = 0; i < 1 + round % 3; i++)
            bad[draw() % (round % 2 ? bytes : 400)] = (uint8_t)draw();
        need = score_room(bad, bytes);
        refused += need == 0;
        if (need == 0)
            continue;
        room = malloc(need);
        memset(&all, 0, sizeof(all));
        all.width = TASKS;
        all.top = what.top;
        add(&all, score_open(room, bad, &table), &models[0]);
        free(room);
    }
    assert_true(refused > 300 && refused < 2900);
    free(bad);
}

/* Of what time it is, and of none that there is not. */
static void test_when(void **state)
{
    struct hct_question *q = (struct hct_question *)(void *)question;
    uint64_t before;

    (void)state;
    begin();
    for (uint32_t i = 0; i < 16; i++)
        rounds(i, 10, i == 5 ? 3 : -1, 2, 1);
    make_question(GROUPS_SAMPLE);
    before = number();
    assert_int_equal(q->when.window, HCT_WINDOW_ALL);
    what.when = (struct hct_when){ HCT_WINDOW_PHASE, 9, 0 };
    make_question(GROUPS_SAMPLE);
    what.when = (struct hct_when){ HCT_WINDOW_ALL, 0, 0 };
    assert_int_equal(q->when.phase, 9);
    assert_true(number() != before);    /* an answer to the other is none */
    assert_true(score_room(question, bytes) > 0);
    q->when.window = HCT_WINDOW_LAST + 1;
    assert_int_equal(score_room(question, bytes), 0);
}

/* Of each task another step is slow in each phase, and of some the phase is not
 * there. */
static void test_phases(void **state)
{
    struct hct_when when = { HCT_WINDOW_PHASE, 0, 0 };
    uint32_t sample[8];

    (void)state;
    begin();
    for (uint32_t i = 0; i < 8; i++) {
        struct hct_model *m = a_task(i);

        sample[i] = i;
        for (uint32_t phase = 0; phase < 3; phase++) {
            if (phase == 2 && i > 4)
                continue;
            a_step(m, 10 + phase, 20, SEND, 10 + phase, 1000, 1000);
            edges[in.nedges - 1].phase = phase == 2 ? HCT_PHASES_OVER : phase;
        }
        m->last = in.nedges;
        a_step(m, 10, 20, SEND, 4, 1000, 1000);
        m->nedges--;
        m->nlast = 1;
    }
    for (uint32_t phase = 0; phase < 2; phase++) {
        when.phase = phase;
        dictionary_make_when(&d, &in, sample, 8, &when);
        assert_int_equal(d.nsteps, 1);
        assert_int_equal(dictionary_place(&d, d.step[0].from), 10 + phase);
        assert_int_equal(d.step[0].support, 8);
        dictionary_model(&d, &in, &models[3], edge, NULL);
        assert_int_equal(edge[0].n, 10 + phase);
    }
    when.phase = HCT_PHASES_OVER;
    dictionary_make_when(&d, &in, sample, 8, &when);
    assert_int_equal(d.step[0].support, 5);
    assert_int_equal(dictionary_edges(&in, &models[4], &when), 1);
    assert_int_equal(dictionary_edges(&in, &models[5], &when), 0);
    when.window = HCT_WINDOW_LAST;
    dictionary_make_when(&d, &in, NULL, in.nmodels, &when);
    assert_int_equal(d.nsteps, 1);
    dictionary_model(&d, &in, &models[7], edge, NULL);
    assert_int_equal(edge[0].n, 4);
    make_dictionary();
    assert_int_equal(d.nsteps, 3);
}

/* How long ago the time began, of those who have it. */
static void test_stretch(void **state)
{
    static struct scores part, whole, back;
    struct str out = { 0 };

    (void)state;
    part.top = 5;
    part.width = 4;
    part.stretch.when = (struct hct_when){ HCT_WINDOW_PHASE, 6, 0 };
    whole.width = 8;
    scores_task(&part, 300);
    scores_task(&part, 0);
    scores_task(&part, 200);
    scores_merge(&whole, &part, 0);
    memset(&part.stretch, 0, sizeof(part.stretch));
    part.stretch.when.window = HCT_WINDOW_PHASE;
    part.stretch.when.phase = 6;
    scores_task(&part, 0);
    scores_task(&part, 900);
    scores_merge(&whole, &part, 4);
    assert_int_equal(scores_write(&whole, NULL, &out, NULL), 0);
    assert_int_equal(scores_read(&back, (const uint8_t *)str_text(&out), out.n, 8,
                                 NULL), 0);
    assert_int_equal(back.stretch.when.phase, 6);
    assert_int_equal(back.stretch.least_ns, 200);
    assert_int_equal(back.stretch.most_ns, 900);
    assert_int_equal(back.stretch.tasks, 3);
    assert_int_equal(back.stretch.missing, 2);
    assert_int_equal(scores_read(&back, (const uint8_t *)str_text(&out), out.n, 4,
                                 NULL), -1);    /* more than there are */
    str_fini(&out);
}

/* Time in a call that waits is somebody else's; in one that does not it
 * counts. */
static void test_calls(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (uint32_t call = SEND; call <= BARRIER; call++) {
        begin();
        for (uint32_t i = 0; i < 8; i++) {
            struct hct_model *m = a_task(i);

            for (uint64_t s = 0; s < 9; s++)
                a_step(m, 30 + s, 30 + (s + 1) % 9, call, 50,
                       1e6 * (1 + 0.02 * draw_part()) * (i == 2 && s == 3 ? 4 : 1),
                       1e6 * (1 + 0.02 * draw_part()));
        }
        assert_int_equal(find(v, 3), call == SEND);
        if (call == SEND) {
            assert_true(v[0].in_call);
            assert_int_equal(v[0].rank, 2);
        }
    }
}

/* Rounds of four steps that compute, and a barrier at which all wait for the
 * slowest; some bytes are sent in each. */
static double load[TASKS], bytes_sent[TASKS];

static void barriers(uint32_t tasks)
{
    double most = 0;

    begin();
    for (uint32_t i = 0; i < tasks; i++)
        most = fmax(most, load[i]);
    for (uint32_t i = 0; i < tasks; i++) {
        struct hct_model *m = a_task(i);
        uint32_t last = a_state(m, 50, BARRIER);
        double rest = most;

        for (uint64_t s = 0; s < 4; s++) {
            double part = load[i] / 4 * (1 + 0.02 * draw_part());

            rest -= part;
            an_edge(m, a_state(m, 10 + s, SEND),
                    s < 3 ? a_state(m, 11 + s, SEND) : last, 100, 2000,
                    part)->bytes_mean = bytes_sent[i];
        }
        an_edge(m, last, a_state(m, 10, SEND), 100, fmax(rest, 0) + 5e4, 1000);
    }
}

static void equal_loads(double ns, double spread)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        load[i] = ns * (1 + spread * draw_part());
        bytes_sent[i] = 1000;
    }
}

/* Slow in all that it does: others wait for it. */
static void test_awaited(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int round = 0; round < 20; round++) {
        uint32_t who = (uint32_t)(draw() % 16);

        equal_loads(1e7, 0.03);
        load[who] = 1.3e7;
        barriers(16);
        assert_int_equal(find(v, 3), 1);
        assert_int_equal(v[0].rank, who);
        assert_int_equal(v[0].all, 1);
        assert_false(v[0].in_call);
        assert_true(v[0].times > 1.2 && v[0].times < 1.35);
        assert_true(v[0].cost_ns > 2e8 && v[0].cost_ns < 3.2e8);
        assert_true(v[0].score > what.score);
        assert_false(habits_more_work(&v[0]));
    }
}

/* Loads that differ by a fifth, or by lot, have a slowest, too. */
static void test_imbalance(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int round = 0; round < 200; round++) {
        equal_loads(1e7, round % 2 ? 0.2 : 1);
        barriers(16);
        assert_int_equal(find(v, 3), 0);
    }
}

/* Who waits less and computes no longer is the first of a pipeline; who waits
 * elsewhere waits for somebody, too. */
static void test_waits_elsewhere(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        begin();
        for (uint32_t i = 0; i < 16; i++) {
            struct hct_model *m = a_task(i);
            uint32_t a = a_state(m, 10, RECV), b = a_state(m, 11, BARRIER);
            double less = i == 5 || i == 6 ? 5e6 : 0;

            an_edge(m, a, b, 100, 1e4 + (elsewhere ? less : 0), 1e6);
            an_edge(m, b, a, 100, 5.1e6 * (1 + 0.02 * draw_part()) - less, 1e6);
        }
        assert_int_equal(find(v, 3), 0);
    }
}

/* Twice the bytes are more work, one per cent more is none; of a border twice
 * as long what is inside may take four times as long. */
static void test_bytes(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (int border = 0; border < 2; border++) {
        equal_loads(1e7, 0.03);
        load[3] = border ? 4e7 : 2e7;
        bytes_sent[3] = 2000;
        barriers(16);
        assert_int_equal(find(v, 3), 1);
        assert_true(fabs(v[0].bytes_times - 2) < 1e-3);
        assert_true(habits_more_work(&v[0]));
    }
    bytes_sent[3] = 1010;
    barriers(16);
    assert_int_equal(find(v, 3), 1);
    assert_false(habits_more_work(&v[0]));
    bytes_sent[3] = 500;
    barriers(16);
    assert_int_equal(find(v, 3), 1);
    assert_false(habits_more_work(&v[0]));
    for (uint32_t i = 0; i < TASKS; i++)
        bytes_sent[i] = 0;              /* not known */
    barriers(16);
    assert_int_equal(find(v, 3), 1);
    assert_true(v[0].bytes_times >= 0 && v[0].bytes_times <= 0);
    assert_false(habits_more_work(&v[0]));
}

/* Too few to say who is odd; and steps taken once. */
static void test_few(void **state)
{
    struct hct_score v[3];

    (void)state;
    for (uint32_t tasks = 1; tasks < HABITS_LEAST; tasks++) {
        begin();
        for (uint32_t i = 0; i < tasks; i++)
            rounds(i, 10, i ? -1 : 2, 10, 1);
        assert_int_equal(find(v, 3), 0);
    }
    begin();
    for (uint32_t i = 0; i < 8; i++) {
        rounds(i, 10, -1, 1, 1);
        a_step(&models[i], 10, 15, SEND, 1, 1000, i ? 1e6 : 1e10);
    }
    assert_int_equal(find(v, 3), 0);
}

/* All are of one kind, and the first of them are the sample. */
static void ask_alike(uint32_t sample)
{
    groups.nsample = 0;
    while (groups.nsample < sample) {
        groups.sample[groups.nsample] = groups.nsample;
        groups.nsample++;
    }
    dictionary_make(&d, &in, groups.sample, groups.nsample);
    groups_make(&groups, &table, &d, &in,
                &(struct groups_most){ .groups = 4, .kinds = 1 });
    bytes = ask_write(&what, &habits, &groups, &d, &in, question,
                      sizeof(question));
    assert_true(bytes > 0);
    answer();
}

/* What a step costs is a share of all the time of the task, also of that in
 * steps which nobody of the sample has: of a run that is 100 times as long it
 * is little. */
static void test_share(void **state)
{
    const struct hct_score *o;

    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        begin();
        for (uint32_t i = 0; i < 9; i++)
            rounds(i, 10, i == 8 ? 4 : -1, 3, 1);
        if (longer)
            a_step(&models[8], 500, 501, SEND, 1, 0, 2.3e11);
        ask_alike(8);
        o = first_of(HCT_METHOD_POLISH);
        if (longer) {
            assert_ptr_equal(o, &all.score[all.nscores]);
            continue;
        }
        assert_int_equal(o->rank, 8);
        assert_int_equal(d.place[d.step[o->step].from], 14);
        assert_true(groups.nchains < d.nsteps);         /* it is inside of a chain */
        assert_true(fabs(o->times - 3) < 0.2);
        assert_true(fabs(o->cost_ns / 4e8 - 1) < 0.1);
        assert_true(fabs(o->share - 4e8 / 2.3e9) < 0.02);
    }
}

/* Steps that no more than three tasks take: two of them alike, and one that
 * takes ten times as long, are no habit. Four are. */
static void test_few_take_it(void **state)
{
    const struct hct_score *o;

    (void)state;
    for (uint32_t have = 2; have <= 5; have++) {
        begin();
        for (uint32_t i = 0; i < 16; i++) {
            rounds(i, 10, -1, 1, 1);
            if (i < have)
                a_step(&models[i], 12, 19, SEND, 100, 1000, i ? 1e6 : 1e7);
        }
        ask_alike(16);
        o = first_of(HCT_METHOD_POLISH);
        if (have < HABITS_LEAST) {
            assert_ptr_equal(o, &all.score[all.nscores]);
            continue;
        }
        assert_int_equal(o->rank, 0);
        assert_int_equal(d.place[d.step[o->step].to], 19);
    }
}

/* One that waits less than the others, where these do, and computes longer:
 * they wait for it, unless it waits for as long where none of the sample ever
 * is. */
static void test_waits_unseen(void **state)
{
    (void)state;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        equal_loads(1e7, 0.03);
        load[16] = 1.3e7;
        barriers(17);
        if (elsewhere)
            a_step(&models[16], 500, 501, RECV, 100, 1e7, 0);
        ask_alike(16);
        if (elsewhere) {
            assert_ptr_equal(first_of(HCT_METHOD_POLISH), &all.score[all.nscores]);
            continue;
        }
        assert_int_equal(first_of(HCT_METHOD_POLISH)->rank, 16);
        assert_int_equal(first_of(HCT_METHOD_POLISH)->all, 1);
    }
}

/* What was learnt to be normal: who would make a group of his own is in that of
 * the others, far from its medoid; and how many there would be is known all the
 * same. */
static void test_normal(void **state)
{
    (void)state;
    for (uint32_t normal = 0; normal <= 1; normal++) {
        begin();
        for (uint32_t i = 0; i < 16; i++) {
            rounds(i, 10, -1, 1, 1);
            if (i < 2)          /* does something else besides */
                for (uint64_t s = 0; s < 5; s++)
                    a_step(&models[i], 30 + s, 31 + s, SEND, 100, 1000, 1e6);
        }
        groups.nsample = 0;
        for (uint32_t i = 0; i < 16; i++)
            groups.sample[groups.nsample++] = i;
        dictionary_make(&d, &in, groups.sample, groups.nsample);
        groups_make(&groups, &table, &d, &in,
                    &(struct groups_most){ .groups = 4, .kinds = 4,
                                           .normal = normal });
        assert_int_equal(groups.free, 2);
        assert_int_equal(groups.medoids.k, normal ? 1 : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dictionary), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_one),        cmocka_unit_test(test_once),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_calls),
        cmocka_unit_test(test_few),        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_merge),      cmocka_unit_test(test_other_steps),
        cmocka_unit_test(test_when),       cmocka_unit_test(test_phases),
        cmocka_unit_test(test_stretch),
        cmocka_unit_test(test_bad_questions), cmocka_unit_test(test_number),
        cmocka_unit_test(test_differs),
        cmocka_unit_test(test_kept),       cmocka_unit_test(test_one_step),
        cmocka_unit_test(test_awaited),    cmocka_unit_test(test_imbalance),
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_share),
        cmocka_unit_test(test_few_take_it), cmocka_unit_test(test_waits_unseen),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_waits_elsewhere),
        cmocka_unit_test(test_kept_alike), cmocka_unit_test(test_chance),
        cmocka_unit_test(test_chance_in_all),
        cmocka_unit_test(test_often),      cmocka_unit_test(test_few_times),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
