/* test_goodruns.c - models of earlier runs merged: the same steps found by
 * where they are, each run as much as any other, whatever makes no sense left
 * out. */
#include <event2/event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/goodruns.h"
#include "proto/model/jobmodel.h"
#include "proto/tree/placekey.h"

enum { TASKS = 4, SEND = 7, RECV = 8 };

static struct event_base *base;
static struct goodruns *g;
static struct looks looks;
static const uint8_t build[4] = { 1, 2, 3, 4 };

static int begin(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = TASKS };

    (void)state;
    base = event_base_new();
    g = goodruns_create(base, NULL, 9, TASKS);
    return !base || !g || looks_init(&looks, &job);
}

static int end(void **state)
{
    (void)state;
    goodruns_destroy(g);
    looks_fini(&looks);
    event_base_free(base);
    return 0;
}

static uint64_t key_of(uint32_t call, uint64_t offset)
{
    return placekey_frame(placekey_begin(call), build, sizeof(build), offset);
}

static uint32_t state_of(struct jobmodel *m, uint32_t call, uint64_t offset,
                         const uint8_t *id)
{
    struct jobmodel_state s = { .call = call, .frames = 1 };

    s.frame[0] = jobmodel_frame(m, jobmodel_module(m, "/bin/a", id, 4) + 1, offset);
    return jobmodel_state(m, &s);
}

/* In each of two phases: four tasks take a step ten times, the last one a half
 * longer; before that each begins once. */
static Hct__Model *a_run(uint32_t width, const uint8_t *id, double out_ns)
{
    struct jobmodel m;
    struct str bytes = { 0 };
    Hct__Model *model;
    struct err err;

    assert_int_equal(jobmodel_init(&m, width, &err), 0);
    for (uint32_t t = 0; t < TASKS; t++) {
        struct taskset set = { 0 };

        taskset_add(&set, t, t);
        for (uint32_t phase = 0; phase < 2; phase++) {
            double out = out_ns * (t == TASKS - 1 ? 1.5 : 1);
            struct jobmodel_edge e = {
                .phase = jobmodel_phase(&m, phase, false),
                .from = state_of(&m, SEND, 100, id),
                .to = state_of(&m, RECV, 200, id), .n = 10,
                .in = { 1000, 90, 0 }, .out = { out, 9e6, 0 }, .bytes = { 64, 0, 0 } };

            jobmodel_meet_phase(&m.phase[e.phase], &(struct jobmodel_phase){ 0 });
            taskset_add(&m.phase[e.phase].tasks, t, t);
            jobmodel_add(&m, &e, &set, 0);
            if (phase)
                continue;
            e.to = e.from;
            e.from = JOBMODEL_START;
            e.n = 1;
            jobmodel_add(&m, &e, &set, 0);
            e.from = JOBMODEL_OTHER;
            jobmodel_add(&m, &e, &set, 0);
        }
        jobmodel_end_task(&m, t);
        taskset_add(&m.tasks, t, t);
        taskset_fini(&set);
    }
    assert_int_equal(jobmodel_write(&m, NULL, NULL, 0, &bytes, &err), 0);
    model = hct__model__unpack(NULL, bytes.n, (const uint8_t *)str_text(&bytes));
    assert_non_null(model);
    jobmodel_fini(&m);
    str_fini(&bytes);
    return model;
}

static void add(Hct__Model *m)
{
    assert_true(goodruns_add(g, m));
    hct__model__free_unpacked(m, NULL);
}

static const struct hct_earlier *find(uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < looks.nearlier_steps; i++)
        if (looks.earlier_steps[i].from == from &&
            looks.earlier_steps[i].to == to)
            return &looks.earlier_steps[i];
    return NULL;
}

static void show(void)
{
    goodruns_end(g);
    assert_true(goodruns_known(g));
    looks_forget_parts(&looks);
    goodruns_show(g, &looks);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_merged(void **state)
{
    const struct hct_earlier *e;

    (void)state;
    add(a_run(TASKS, build, 1e6));
    add(a_run(TASKS, build, 3e6));
    show();
    assert_int_equal(looks.runs, 2);
    assert_int_equal(looks.nearlier_steps, 2);
    e = find(key_of(SEND, 100), key_of(RECV, 200));
    assert_non_null(e);
    assert_int_equal(e->runs, 2);
    assert_int_equal(e->tasks, TASKS);
    assert_true(near(e->n, 20));        /* both phases */
    assert_true(near(e->in_mean, 1000));
    assert_true(near(e->in_most, 1000));
    assert_true(near(e->out_mean, 2e6 * (3 * 1 + 1.5) / 4));
    assert_true(near(e->out_most, 3e6 * 1.5));
    assert_true(e->out_sd > 0 && e->in_sd > 0 && e->in_sd < 10);
    assert_true(near(e->bytes_mean, 64));
    e = find(0, key_of(SEND, 100));
    assert_non_null(e);
    assert_true(near(e->n, 1));
    for (uint32_t i = 1; i < looks.nearlier_steps; i++)
        assert_true(looks.earlier_steps[i - 1].from <= looks.earlier_steps[i].from);
}

/* Of another number of tasks nothing is known; another build has other places;
 * a model that makes no sense has none. */
static void test_others(void **state)
{
    static const uint8_t other[4] = { 9, 9, 9, 9 };
    Hct__Model *bad = a_run(TASKS, build, 1e6);

    (void)state;
    add(a_run(TASKS + 1, build, 1e6));
    bad->from[0] = 1000000;
    add(bad);
    show();
    assert_int_equal(looks.runs, 0);
    assert_int_equal(looks.nearlier_steps, 0);
    add(a_run(TASKS, other, 1e6));
    add(a_run(TASKS, build, 1e6));
    show();
    assert_int_equal(looks.runs, 2);
    assert_int_equal(looks.nearlier_steps, 4);
    assert_int_equal(find(key_of(SEND, 100), key_of(RECV, 200))->runs, 1);
}

static void learn(uint64_t policy, uint64_t what, uint32_t groups,
                  uint32_t most)
{
    goodruns_learn(g, &(struct store_learnt){ .policy = policy, .what = what,
        .ngroups = groups, .most = most, .times = 3 });
}

/* What policies have learnt of several runs: each kind by itself, those of one
 * policy together. What makes no sense is not taken. */
static void test_learnt(void **state)
{
    (void)state;
    learn(9, 7, 2, 4);
    learn(5, 1, 1, 4);
    learn(9, 0, 1, 4);
    learn(9, 7, 3, 10);
    learn(9, 8, 0, 4);
    learn(9, 8, 5, 4);
    goodruns_learn(g, &(struct store_learnt){ .policy = 9, .what = 8,
                                              .ngroups = 1, .most = 4 });
    add(a_run(TASKS, build, 1e6));
    show();
    assert_int_equal(looks.nlearnt, 3);
    assert_int_equal(looks.learnt[0].by, 5);
    assert_int_equal(looks.learnt[1].what, 0);
    assert_int_equal(looks.learnt[2].by, 9);
    assert_int_equal(looks.learnt[2].what, 7);
    assert_int_equal(looks.learnt[2].groups, 3);
    assert_int_equal(looks.learnt[2].most, 4);
    assert_int_equal(looks.learnt[2].times, 6);
    assert_int_equal(looks.learnt[2].runs, 2);
    looks_forget_parts(&looks);
    assert_int_equal(looks.nlearnt, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_merged, begin, end),
        cmocka_unit_test_setup_teardown(test_others, begin, end),
        cmocka_unit_test_setup_teardown(test_learnt, begin, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
