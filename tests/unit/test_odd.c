/* test_odd.c - models as a snapshot has them: one numbering of all tasks,
 * groups, and who is odd in which step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policies/outlier/odd.h"
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
    .ranks = ranks,
    .rank_size = sizeof(ranks[0]),
};
static struct dictionary d;
static struct groups groups;
static struct groups_task of[TASKS];
static double left[2][TASKS * DICTIONARY_STEPS], slow[TASKS], total[TASKS],
    words[DICTIONARY_STEPS], normal[DICTIONARY_STEPS], spread[DICTIONARY_STEPS];
static struct smm_edge edge[DICTIONARY_STEPS];
static uint32_t member[TASKS];
static struct odd_room room = { { left[0], left[1] }, slow, total, words, normal,
                                spread, edge, member };
static const struct odd_limit limit = { .score = 6, .share = 0.01,
                                        .cost_ns = 1e6 };

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

static void a_step(struct hct_model *m, uint64_t from, uint64_t to,
                   uint32_t call, uint64_t n, double in_ns, double out_ns)
{
    uint32_t a = a_state(m, from, call), b = a_state(m, to, call ? call : SEND);

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

static struct odd excused[3];
static struct odd_list kept = { .v = excused, .most = 3 };

static size_t find(struct odd *v, size_t k)
{
    struct odd_list odd = { .v = v, .most = k };

    kept.n = 0;
    dictionary_make(&d, &in);
    groups_make(&groups, of, &table, &d, &in, 4);
    odd_find(&room, &d, &in, &groups, of, &limit, &odd, &kept);
    return odd.n;
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
    dictionary_make(&d, &in);
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
    dictionary_make(&d, &in);
    assert_int_equal(d.nsteps, 1);
    assert_int_equal(d.left_out, 1);
    begin();
    for (uint32_t i = 0; i < TASKS; i++) {
        a_task(i);
        for (uint64_t s = 0; s < STATES - 1; s++)
            a_step(&models[i], 1000 * (i + 1) + s, 1000 * (i + 1) + s + 1, SEND,
                   1, 1, 1);
    }
    dictionary_make(&d, &in);
    assert_int_equal(d.nstates, DICTIONARY_STATES);
    assert_true(d.left_out > TASKS * STATES - 2 * DICTIONARY_STATES);
    dictionary_model(&d, &in, &models[TASKS - 1], edge, NULL);
}

static void test_one(void **state)
{
    struct odd v[3];

    (void)state;
    for (int round = 0; round < 50; round++) {
        uint32_t who = (uint32_t)(16 * draw_part());
        int step = (int)(10 * draw_part());

        begin();
        for (uint32_t i = 0; i < 16; i++)
            rounds(i, 10, i == who ? step : -1, 1.5, 1 + 0.2 * draw_part());
        assert_int_equal(find(v, 3), 1);
        assert_int_equal(models[v[0].model].rank, who);
        assert_int_equal(d.place[d.step[v[0].step].from], 10 + step);
        assert_int_equal(v[0].like, 15);
        assert_false(v[0].in_call);
        assert_true(fabs(v[0].times - 1.5) < 0.1);
        assert_true(v[0].cost_ns > 0.4 * 1e8 && v[0].cost_ns < 3 * 1e8);
        assert_true(v[0].share > 0.01 && v[0].share < 0.2);
    }
}

static void test_nobody(void **state)
{
    struct odd v[3];

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
    struct odd v[3];

    (void)state;
    begin();
    for (uint32_t i = 0; i < TASKS; i++)
        rounds(i, i % 16 ? 10 : 500, i == 37 ? 4 : -1, 3, 1);
    assert_int_equal(find(v, 3), 1);
    assert_int_equal(groups.alike.k, 2);
    assert_int_equal(models[v[0].model].rank, 37);
    assert_int_equal(v[0].like, TASKS - TASKS / 16 - 1);
    for (uint32_t i = 0; i < TASKS; i++) {
        assert_int_equal(of[i].alike == of[1].alike, i % 16 != 0);
        assert_true(i == 37 || of[i].near < of[37].near);
        assert_true(i == 37 || of[i].far < of[37].far);
    }
}

/* Time in a call that waits is somebody else's; in one that does not it
 * counts. */
static void test_calls(void **state)
{
    struct odd v[3];

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
            assert_int_equal(models[v[0].model].rank, 2);
        }
    }
}

/* Too few to say who is odd; and steps taken once. */
static void test_few(void **state)
{
    struct odd v[3];

    (void)state;
    for (uint32_t tasks = 1; tasks < ODD_GROUP; tasks++) {
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

/* Sixteen tasks, of which number 7 takes twice as long in one step that is half
 * of all: a second of 3. delayed, ran: of it, against 0.2 and 1.8 s of others. */
static size_t delayed(struct odd *v, double delayed_s, double ran_s)
{
    begin();
    for (uint32_t i = 0; i < 16; i++) {
        struct hct_model *m = a_task(i);

        for (int s = 0; s < 10; s++)
            a_step(m, 10 + (uint64_t)s, 10 + (uint64_t)(s + 1) % 10, SEND, 100,
                   1000, (s == 4 ? 1e7 : 1e6) * (1 + 0.02 * draw_part()) *
                         (i == 7 && s == 4 ? 2 : 1));
        ranks[i] = (struct hct_rank){
            .rank = i, .delayed_ns = (uint64_t)(i == 7 ? delayed_s * 1e9 : 2e8),
            .ran_ns = (uint64_t)(i == 7 ? ran_s * 1e9 : 1.8e9) };
    }
    in.nranks = 16;
    return find(v, 3);
}

/* Who was kept from a processor is not odd; who had it, and is slow, is; and so is
 * who waits for it more often as it computes more. */
static void test_kept(void **state)
{
    struct odd v[3];

    (void)state;
    assert_int_equal(delayed(v, 1.3, 1.7), 0);
    assert_int_equal(kept.n, 1);
    assert_int_equal(models[excused[0].model].rank, 7);
    assert_true(fabs(excused[0].had - 1.7 / 3) < 1e-9);
    assert_true(fabs(excused[0].usual - 0.9) < 1e-9);
    assert_int_equal(d.place[d.step[excused[0].step].from], 14);
    assert_int_equal(delayed(v, 0.2, 2.8), 1);          /* it computes */
    assert_int_equal(kept.n, 0);
    assert_int_equal(delayed(v, 0.4, 1.8), 1);          /* a bit of it */
    assert_int_equal(kept.n, 0);
    assert_int_equal(delayed(v, 0, 0), 1);              /* nobody knows */
    assert_int_equal(kept.n, 0);
    assert_int_equal(delayed(v, 1.3, 7 * 1.8), 1);      /* 0.2 s each 1.8 s */
    assert_int_equal(kept.n, 0);
    in.nranks = 7;                                      /* it is not there */
    assert_int_equal(find(v, 3), 1);
    assert_int_equal(kept.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dictionary), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_one),        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_calls),
        cmocka_unit_test(test_few),        cmocka_unit_test(test_kept),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
