/* test_jobmodel.c - models of many tasks as one: merging in any order against a
 * direct computation, what travels, limits, parts that are damaged or lie; and
 * how it is shown. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "master/hector/model/model_draw.h"
#include "proto/base/idtable.h"
#include "proto/model/jobmodel.h"
#include "proto/tree/merge.h"
#include "proto/model/tasknotes.h"

enum { TASKS = 24, PARTS = 8, EACH = TASKS / PARTS, KINDS = 5, CALL = 40 };

/* --------------------------------------------------------------- the parts */

static struct jobmodel_edge edge(uint32_t phase, uint32_t from, uint32_t to)
{
    return (struct jobmodel_edge){ .phase = phase, .from = from, .to = to };
}

/* A state with one frame of its own, and main, in this order of modules: what
 * comes first has the first number. */
static uint32_t make_state(struct jobmodel *m, uint32_t i, bool named)
{
    const uint8_t id[] = { 1, 2, 3 };
    uint32_t module = jobmodel_module(m, i % 2 ? "/bin/a" : "/lib/b.so", id,
                                      sizeof(id));
    struct jobmodel_state s = { .call = CALL + i, .frames = 2 };

    s.frame[0] = jobmodel_frame(m, module + 1, 0x1000 + i);
    s.frame[1] = jobmodel_frame(m, 0, 0x40);
    if (named && !m->frame[s.frame[0]].names)
        assert_true(jobmodel_name(m, s.frame[0], &(struct jobmodel_name_of){
            "step", "/src/step.c", "", SIZE_MAX, SIZE_MAX, SIZE_MAX, i }));
    if (named && !m->frame[s.frame[1]].names)
        assert_true(jobmodel_name(m, s.frame[1], &(struct jobmodel_name_of){
            "", "", "what calls main", SIZE_MAX, SIZE_MAX, SIZE_MAX, 0 }));
    return jobmodel_state(m, &s);
}

static uint32_t make_phase(struct jobmodel *m, uint32_t number,
                           const struct taskset *tasks)
{
    uint32_t at = jobmodel_phase(m, number, false);
    const struct jobmodel_phase p = { .label = (int32_t)number + 7,
                                      .age_ns = 100, .last_age_ns = 50 };

    assert_true(at != JOBMODEL_NONE);
    jobmodel_meet_phase(&m->phase[at], &p);
    assert_int_equal(taskset_union(&m->phase[at].tasks, tasks), 0);
    return at;
}

/* --------------------------------------------- against a direct computation */

/* The k-th step of kind i of a task: any number of them, of any length. */
static uint32_t count_of(uint32_t task, uint32_t i)
{
    return idtable_mix(task, i) % 4 == 0 ? 0
        : (uint32_t)(idtable_mix(task + 99, i) % 50) + 1;
}

enum what { IN, OUT, BYTES };

static double time_of(uint32_t task, uint32_t i, uint32_t k, enum what what)
{
    uint64_t lot = idtable_mix(idtable_mix(task, i), 3 * k + what);

    return 1e6 + (double)(lot >> 40) + (what == OUT ? 1e9 * i : 0);
}

static void add_task(struct jobmodel *m, uint32_t task, uint32_t position)
{
    struct taskset one = { 0 };
    uint32_t states[KINDS + 1], phase;

    assert_int_equal(taskset_add(&one, position, position), 0);
    for (uint32_t i = 0; i <= KINDS; i++)       /* elsewhere another is first */
        states[(i + task) % (KINDS + 1)] =
            make_state(m, (i + task) % (KINDS + 1), true);
    phase = make_phase(m, 3, &one);
    for (uint32_t i = 0; i < KINDS; i++) {
        struct jobmodel_edge e = edge(phase, states[i], states[i + 1]);
        uint64_t histogram[2 * JOBMODEL_BUCKETS] = { 0 };

        for (uint32_t k = 0; k < count_of(task, i); k++, e.n++) {
            struct jobmodel_times in = { time_of(task, i, k, IN), 0,
                (uint64_t)time_of(task, i, k, IN) };
            struct jobmodel_times out = { time_of(task, i, k, OUT), 0,
                (uint64_t)time_of(task, i, k, OUT) };

            jobmodel_add_times(&e.in, e.n, &in, 1);
            jobmodel_add_times(&e.out, e.n, &out, 1);
            jobmodel_add_times(&e.bytes, e.n, &(struct jobmodel_times){
                time_of(task, i, k, BYTES), 0, 0 }, 1);
        }
        histogram[i] = e.n;
        e.histogram = histogram;
        if (e.n)
            assert_int_equal(jobmodel_add(m, &e, &one, 0), 0);
    }
    jobmodel_end_task(m, position);
    assert_int_equal(taskset_union(&m->tasks, &one), 0);
    m->threads++;
    taskset_fini(&one);
}

static void make_part(struct str *out, uint32_t part)
{
    struct jobmodel m;

    assert_int_equal(jobmodel_init(&m, EACH, NULL), 0);
    for (uint32_t i = 0; i < EACH; i++)
        add_task(&m, part * EACH + i, i);
    assert_int_equal(jobmodel_write(&m, NULL, NULL, 0, out, NULL), 0);
    jobmodel_fini(&m);
}

static int add(void *whole, const struct str *s, uint32_t at, uint32_t width,
               struct err *err)
{
    return merge_model.add(whole, (const uint8_t *)s->s, s->n, at, width, err);
}

static void close_to(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-9 * fabs(wanted))
        fail_msg("%.17g in place of %.17g", got, wanted);
}

/* Two passes over all that was ever added. */
static void check_times(const struct jobmodel_times *t, uint32_t i,
                        enum what what, uint64_t n)
{
    double sum = 0, squares = 0, mean;
    uint64_t max = 0;

    for (uint32_t task = 0; task < TASKS; task++)
        for (uint32_t k = 0; k < count_of(task, i); k++) {
            double x = time_of(task, i, k, what);

            sum += x;
            max = (uint64_t)x > max ? (uint64_t)x : max;
        }
    mean = sum / (double)n;
    for (uint32_t task = 0; task < TASKS; task++)
        for (uint32_t k = 0; k < count_of(task, i); k++)
            squares += (time_of(task, i, k, what) - mean) *
                       (time_of(task, i, k, what) - mean);
    close_to(t->mean, mean);
    close_to(t->m2, squares);
    assert_true(t->max == (what == BYTES ? 0 : max));
}

/* Of the sums of all tasks, each by itself. */
static void check_spread(const struct spread *s, uint32_t i, bool out,
                         const uint32_t *rank_of)
{
    double sum = 0, squares = 0, rest = 0, mean, least = 1e99, most = -1;
    uint32_t told = 0, who_least = 0, who_most = 0;

    for (uint32_t task = 0; task < TASKS; task++) {
        double own = 0;

        for (uint32_t k = 0; k < count_of(task, i); k++)
            own += time_of(task, i, k, out);
        if (count_of(task, i) == 0)
            continue;
        told++;
        sum += own;
        squares += own * own;
        who_least = own < least ? task : who_least;
        least = fmin(own, least);
        who_most = own > most ? task : who_most;
        most = fmax(own, most);
    }
    assert_int_equal(s->told, told);
    close_to(s->sum, sum);
    close_to(s->squares, squares);
    close_to(s->least, least);
    close_to(s->most, most);
    assert_int_equal(s->least_task, rank_of[who_least]);
    assert_int_equal(s->most_task, rank_of[who_most]);
    mean = (sum - most) / (told - 1);
    for (uint32_t task = 0; task < TASKS; task++) {
        double own = 0;

        for (uint32_t k = 0; k < count_of(task, i); k++)
            own += time_of(task, i, k, out);
        if (count_of(task, i) && task != who_most)
            rest += (own - mean) * (own - mean);
    }
    close_to(spread_but_most(s).mean, mean);
    if (fabs(spread_but_most(s).deviation - sqrt(rest / (told - 2))) >
        1e-6 * mean)
        fail_msg("a deviation of %g", spread_but_most(s).deviation);
}

static void check_whole(const struct jobmodel *m, const uint32_t *rank_of)
{
    assert_int_equal(m->nstates - JOBMODEL_FIRST, KINDS + 1);
    assert_int_equal(m->nedges, KINDS);
    assert_int_equal(m->nphases, 1);
    assert_int_equal(m->phase[0].number, 3);
    assert_int_equal(m->phase[0].label, 10);
    assert_false(m->phase[0].labels);
    assert_int_equal(m->threads, TASKS);
    for (size_t at = 0; at < m->nedges; at++) {
        const struct jobmodel_edge *e = &m->edge[at];
        uint32_t i = m->state[e->from].call - CALL;
        uint64_t n = 0;

        for (uint32_t task = 0; task < TASKS; task++) {
            n += count_of(task, i);
            assert_int_equal(taskset_has(&e->tasks, rank_of[task]),
                             count_of(task, i) > 0);
        }
        assert_int_equal(m->state[e->to].call, CALL + i + 1);
        assert_int_equal(e->n, n);
        assert_int_equal(e->histogram[i], n);
        check_times(&e->in, i, IN, n);
        check_times(&e->out, i, OUT, n);
        check_times(&e->bytes, i, BYTES, n);
        check_spread(&e->in_tasks, i, false, rank_of);
        check_spread(&e->out_tasks, i, true, rank_of);
    }
}

/* Parts, in some order, become two halves, which travel and become a whole. */
static void merge_all(uint32_t seed)
{
    void *half[2], *whole = merge_model.create(TASKS, NULL);
    uint32_t rank_of[TASKS];
    struct str s = { 0 };
    Hct__Model *m;
    struct jobmodel model;

    for (uint32_t h = 0; h < 2; h++) {
        half[h] = merge_model.create(TASKS / 2, NULL);
        for (uint32_t i = 0; i < PARTS / 2; i++) {
            uint32_t p = (i * 3 + seed) % (PARTS / 2);  /* 3: no divisor */

            str_reset(&s);
            make_part(&s, h * PARTS / 2 + p);
            assert_int_equal(add(half[h], &s, p * EACH, EACH, NULL), 0);
        }
    }
    for (uint32_t h = 0; h < 2; h++) {
        uint32_t which = (h + seed) % 2;

        str_reset(&s);
        assert_int_equal(merge_model.pack(half[which], &s, NULL), 0);
        assert_int_equal(add(whole, &s, which * TASKS / 2, TASKS / 2, NULL),
                         0);
    }
    for (uint32_t i = 0; i < TASKS; i++)        /* 5: no divisor of them */
        rank_of[i] = (i * 5 + seed) % TASKS;
    str_reset(&s);
    assert_int_equal(merge_model.finish(whole, rank_of, TASKS, &s, NULL), 0);
    m = hct__model__unpack(NULL, s.n, (uint8_t *)s.s);
    assert_non_null(m);
    assert_int_equal(jobmodel_read(&model, m, NULL), 0);
    check_whole(&model, rank_of);
    assert_int_equal(taskset_count(&model.tasks), TASKS);
    jobmodel_fini(&model);
    hct__model__free_unpacked(m, NULL);
    for (uint32_t h = 0; h < 2; h++)
        merge_model.destroy(half[h]);
    merge_model.destroy(whole);
    str_fini(&s);
}

static void test_direct(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++)
        merge_all(seed);
}

/* Means far away from their deviations: where sums of squares fail. */
static void test_far(void **state)
{
    struct jobmodel_times t = { 0 };

    (void)state;
    for (uint64_t n = 0; n < 1000; n++) {
        const struct jobmodel_times x = { 1e12 + (n % 2 ? 1 : -1), 0, 0 };

        jobmodel_add_times(&t, n, &x, 1);
    }
    close_to(t.mean, 1e12);
    assert_true(fabs(t.m2 - 1000) < 1);
    const struct jobmodel_times b = t;
    jobmodel_add_times(&t, 1000, &b, 1000);
    assert_true(fabs(t.m2 - 2000) < 2);
}

/* ------------------------------------------------------------ what travels */

/* A part over two tasks, in which all fields are used. */
static void make_full(struct jobmodel *m)
{
    struct taskset both = { 0 }, one = { 0 };
    uint32_t a, b, phase, earlier;

    assert_int_equal(jobmodel_init(m, 2, NULL), 0);
    assert_int_equal(taskset_add(&both, 0, 1), 0);
    assert_int_equal(taskset_add(&one, 1, 1), 0);
    a = make_state(m, 1, true);
    b = make_state(m, 2, true);
    phase = make_phase(m, 4, &both);
    earlier = jobmodel_phase(m, 0, true);
    jobmodel_meet_phase(&m->phase[earlier],
                        &(struct jobmodel_phase){ .merged = 3, .lost = 5 });
    struct jobmodel_edge e = edge(phase, a, b);

    e.n = 10;
    e.in = (struct jobmodel_times){ 5, 90, 9 };
    e.out = (struct jobmodel_times){ 7, 0, 7 };
    assert_int_equal(jobmodel_add(m, &e, &both, 0), 0);
    e.phase = earlier;
    e.from = JOBMODEL_START;
    e.n = 1;
    assert_int_equal(jobmodel_add(m, &e, &one, 0), 0);
    jobmodel_end_task(m, 1);
    assert_int_equal(taskset_copy(&m->tasks, &both), 0);
    m->threads = 3;
    m->sites_lost = 11;
    m->edges_lost = 12;
    m->damaged = 13;
    taskset_fini(&both);
    taskset_fini(&one);
}

static Hct__Model *full_message(struct str *s)
{
    struct jobmodel m;
    struct tasknotes notes = { 0 };
    Hct__TreeNote note = HCT__TREE_NOTE__INIT, *list[] = { &note };
    Hct__Model *msg;

    make_full(&m);
    note.ranks = (char *)"1";
    note.text = (char *)"it is odd";
    tasknotes_add(&notes, list, 1, 0, 2);
    assert_int_equal(jobmodel_write(&m, &notes, NULL, 0, s, NULL), 0);
    tasknotes_fini(&notes);
    jobmodel_fini(&m);
    msg = hct__model__unpack(NULL, s->n, (uint8_t *)s->s);
    assert_non_null(msg);
    return msg;
}

static void test_travels(void **state)
{
    struct str s = { 0 };
    Hct__Model *msg = full_message(&s);
    struct jobmodel m, more;

    (void)state;
    assert_int_equal(jobmodel_read(&m, msg, NULL), 0);
    assert_int_equal(m.nphases, 2);
    assert_int_equal(m.phase[1].merged, 3);
    assert_int_equal(m.phase[1].lost, 5);
    assert_int_equal(m.phase[0].age_ns, 100);
    assert_int_equal(m.phase[0].last_age_ns, 50);
    assert_int_equal(m.edge[1].from, JOBMODEL_START);
    assert_true(taskset_has(&m.edge[1].tasks, 1));
    assert_false(taskset_has(&m.edge[1].tasks, 0));
    assert_int_equal(m.sites_lost + m.edges_lost + m.damaged, 36);
    assert_string_equal(m.frame[m.state[2].frame[0]].name[0].text, "step");
    assert_int_equal(msg->n_notes, 1);

    /* Another one, in whose phase 4 another tag was passed, earlier. */
    make_full(&more);
    more.phase[0].label = 99;
    more.phase[0].age_ns = 400;
    more.phase[0].last_age_ns = 10;
    assert_int_equal(jobmodel_merge(&m, &more, 0, NULL), 0);
    assert_true(m.phase[0].labels);
    assert_int_equal(m.phase[0].age_ns, 400);
    assert_int_equal(m.phase[0].last_age_ns, 10);
    assert_int_equal(m.phase[1].lost, 10);
    assert_int_equal(m.edge[0].n, 20);
    assert_int_equal(m.nstates, JOBMODEL_FIRST + 2);
    assert_int_equal(m.frame[m.state[2].frame[0]].names, 1);
    jobmodel_fini(&more);
    jobmodel_fini(&m);
    hct__model__free_unpacked(msg, NULL);
    str_fini(&s);
}

/* A file without a build id has none, whatever is behind the pointer. */
static void test_no_id(void **state)
{
    struct jobmodel m;

    (void)state;
    assert_int_equal(jobmodel_init(&m, 1, NULL), 0);
    assert_int_equal(jobmodel_module(&m, "/bin/a", NULL, 0), 0);
    assert_int_equal(jobmodel_module(&m, "/bin/a", NULL, 0), 0);
    assert_int_equal(jobmodel_module(&m, "/bin/b", (const uint8_t *)"x", 1),
                     1);
    assert_int_equal(jobmodel_module(&m, "/bin/b", NULL, 0), 2);
    jobmodel_fini(&m);
}

/* ------------------------------------------------------------------ limits */

static void test_limits(void **state)
{
    struct taskset one = { 0 };
    struct jobmodel m;
    uint32_t s;

    (void)state;
    assert_int_equal(taskset_add(&one, 0, 0), 0);
    assert_int_equal(jobmodel_init(&m, 1, NULL), 0);
    for (uint32_t i = 0; i < JOBMODEL_PHASES_MAX; i++)
        assert_int_equal(jobmodel_phase(&m, i, false), i);
    assert_int_equal(jobmodel_phase(&m, JOBMODEL_PHASES_MAX, false),
                     JOBMODEL_NONE);
    assert_int_equal(jobmodel_phase(&m, 7, false), 7);
    for (uint32_t i = JOBMODEL_FIRST; i < JOBMODEL_STATES_MAX; i++) {
        struct jobmodel_state x = { .call = 1 + i % 500, .frames = 1 };

        x.frame[0] = jobmodel_frame(&m, 0, i);
        assert_int_equal(jobmodel_state(&m, &x), i);
    }
    s = make_state(&m, 1, false);
    assert_int_equal(s, JOBMODEL_OTHER);
    for (uint32_t i = 0; i <= JOBMODEL_EDGES_MAX; i++) {
        struct jobmodel_edge e = edge(i % 16, 2 + i / 16, 3);

        e.n = 2;
        assert_int_equal(jobmodel_add(&m, &e, &one, 0), 0);
    }
    assert_int_equal(m.nedges, JOBMODEL_EDGES_MAX);
    assert_int_equal(m.dropped, 2);
    struct jobmodel_edge nowhere = edge(JOBMODEL_NONE, 2, 3);
    nowhere.n = 5;
    assert_int_equal(jobmodel_add(&m, &nowhere, &one, 0), 0);
    assert_int_equal(m.dropped, 7);
    jobmodel_fini(&m);
    taskset_fini(&one);
}

/* Numbers at their limits stay within them, so that what is packed is read. */
static void test_large(void **state)
{
    struct taskset one = { 0 };
    struct jobmodel m, again;
    struct str s = { 0 };
    Hct__Model *msg;

    (void)state;
    assert_int_equal(taskset_add(&one, 0, 0), 0);
    assert_int_equal(jobmodel_init(&m, 1, NULL), 0);
    make_phase(&m, 0, &one);
    for (int i = 0; i < 3; i++) {
        struct jobmodel_edge e = edge(0, 1, 1);

        e.n = JOBMODEL_COUNT_MAX;
        e.in = (struct jobmodel_times){ i ? JOBMODEL_MEAN_MAX : 0,
                                        JOBMODEL_M2_MAX, JOBMODEL_COUNT_MAX };
        assert_true(jobmodel_sane(&e));
        assert_int_equal(jobmodel_add(&m, &e, &one, 0), 0);
    }
    jobmodel_end_task(&m, 0);
    assert_int_equal(jobmodel_write(&m, NULL, NULL, 0, &s, NULL), 0);
    msg = hct__model__unpack(NULL, s.n, (uint8_t *)s.s);
    assert_int_equal(jobmodel_read(&again, msg, NULL), 0);
    assert_int_equal(again.edge[0].in_tasks.told, 1);
    assert_true(again.edge[0].n == JOBMODEL_COUNT_MAX);
    jobmodel_fini(&again);
    jobmodel_fini(&m);
    hct__model__free_unpacked(msg, NULL);
    taskset_fini(&one);
    str_fini(&s);
}

/* -------------------------------------------------------------------- lies */

/* Each makes one field of an honest part wrong. */
static void lie(Hct__Model *m, unsigned which)
{
    switch (which) {
    case 0: m->width = 3; break;
    case 1: m->width = UINT32_MAX; break;
    case 2: m->phase[0] = 2; break;
    case 3: m->from[0] = 4; break;
    case 4: m->to[0] = JOBMODEL_START; break;
    case 5: m->set[0] = (uint32_t)m->n_sets; break;
    case 6: m->count[0] = 0; break;
    case 7: m->count[0] = UINT64_MAX; break;
    case 8: m->in_mean[0] = NAN; break;
    case 9: m->in_m2[0] = -1; break;
    case 10: m->out_mean[0] = INFINITY; break;
    case 11: m->n_out_m2--; break;
    case 12: m->sets[0]->range[1] = UINT32_MAX; break;
    case 13: m->sets[0]->n_range = 1; break;
    case 14: m->frame_module[0] = 9; break;
    case 15: m->n_frame_offset--; break;
    case 16: m->states[0]->call = 0; break;
    case 17: m->states[0]->frames[0] = 99; break;
    case 18: m->names[0]->frame = 99; break;
    case 19: m->names[0]->depth = 3; break;
    case 20: m->phases[0]->set = 99; break;
    case 21: m->phases[0]->last_age_ns = UINT64_MAX; break;
    case 22: m->set_of_all = 99; break;
    case 23: m->dropped = UINT64_MAX; break;
    case 24: m->phase[1] = m->phase[0]; m->from[1] = m->from[0]; break;
    case 25: m->phases[1]->number = 4; m->phases[1]->merged = 0; break;
    case 26: m->out_max[1] = UINT64_MAX; break;
    case 27: m->states[0]->call = JOBMODEL_CALLS_MAX; break;
    case 28: m->bytes_mean[0] = 1e300; break;
    case 29: m->bytes_m2[0] = -1; break;
    case 30: m->n_bytes_m2--; break;
    case 31: m->in_tasks->told[0] = 3; break;
    case 32: m->in_tasks->most_task[0] = 2; break;
    case 33: m->out_tasks->least_task[1] = UINT32_MAX; break;
    case 34: m->out_tasks->n_squares--; break;
    case 35: m->in_tasks->sum[0] = NAN; break;
    case 36: m->in_tasks->most[0] = 1e30; break;
    case 37: m->out_tasks->squares[0] = INFINITY; break;
    }
}
enum { LIES = 38 };

static void test_lies(void **state)
{
    (void)state;
    for (unsigned which = 0; which < LIES; which++) {
        void *whole = merge_model.create(4, NULL);
        struct str s = { 0 }, bad = { 0 }, before = { 0 }, after = { 0 };
        Hct__Model *m = full_message(&s);
        struct err err = { 0 };
        uint8_t *bytes;

        assert_int_equal(add(whole, &s, 0, 2, NULL), 0);
        assert_int_equal(merge_model.pack(whole, &before, NULL), 0);
        lie(m, which);
        bytes = malloc(hct__model__get_packed_size(m));
        assert_non_null(bytes);
        str_add_bytes(&bad, bytes, hct__model__pack(m, bytes));
        if (add(whole, &bad, 2, 2, &err) == 0)
            fail_msg("lie %u is believed", which);
        assert_true(strlen(err.text) > 10);
        assert_int_equal(merge_model.pack(whole, &after, NULL), 0);
        assert_int_equal(before.n, after.n);
        assert_memory_equal(before.s, after.s, after.n);
        free(bytes);
        hct__model__free_unpacked(m, NULL);
        merge_model.destroy(whole);
        str_fini(&s);
        str_fini(&bad);
        str_fini(&before);
        str_fini(&after);
    }
}

/* Each byte of an honest part, changed: read, or refused in words. */
static void test_damaged(void **state)
{
    struct str s = { 0 };
    Hct__Model *m = full_message(&s);

    (void)state;
    hct__model__free_unpacked(m, NULL);
    for (size_t i = 0; i < s.n; i++) {
        void *whole = merge_model.create(2, NULL);
        struct err err = { 0 };
        char was = s.s[i];

        s.s[i] = (char)(was ^ (1 << i % 8));
        if (add(whole, &s, 0, 2, &err))
            assert_true(strlen(err.text) > 10);
        s.s[i] = was;
        merge_model.destroy(whole);
    }
    str_fini(&s);
}

/* ------------------------------------------------------------------ shapes */

static void test_shown(void **state)
{
    struct str s = { 0 }, out = { 0 };
    Hct__Model *m = full_message(&s);
    struct modelview v;
    struct err err;

    (void)state;
    assert_int_equal(modelview_init(&v, m, MODELVIEW_ALL, 0, false, &err), 0);
    assert_int_equal(v.norder, 2);
    assert_int_equal(v.count, 11);
    assert_int_equal(v.steps.edge[v.order[0]].n, 10);   /* the most time */
    close_to(modelview_deviation(&v.steps.edge[v.order[0]].in, 10),
             sqrt(90 / 9.0));
    modelview_place(&v, v.state[0], 2, &out);
    assert_string_equal(str_text(&out), "step step.c:1");
    str_reset(&out);
    v.title = "job \"7\"";
    model_draw_dot(&out, &v);
    assert_non_null(strstr(str_text(&out), "job \\\"7\\\""));
    assert_non_null(strstr(str_text(&out), "10 x 5 ns + 7 ns"));
    str_reset(&out);
    model_draw_json(&out, &v);
    assert_non_null(strstr(str_text(&out), "\"count\":10"));
    modelview_fini(&v);

    assert_int_equal(modelview_init(&v, m, MODELVIEW_EARLIER, 0, false, &err),
                     0);
    assert_int_equal(v.norder, 1);
    assert_int_equal(v.count, 1);
    modelview_fini(&v);
    assert_int_equal(modelview_init(&v, m, 4, 1, false, &err), 0);
    assert_int_equal(v.count, 10);
    modelview_fini(&v);
    assert_int_equal(modelview_init(&v, m, 9, 0, false, &err), -1);
    assert_non_null(strstr(err.text, "no phase 9"));
    hct__model__free_unpacked(m, NULL);
    str_fini(&s);
    str_fini(&out);
}

/* Limits are half octaves, and what a share of the times are below is found in
 * them, no more than a factor of sqrt(2) wrong. */
static void test_buckets(void **state)
{
    static const struct { double ns; unsigned bucket; } cases[] = {
        { 0, 0 }, { 64, 0 }, { 90, 0 }, { 91, 1 }, { 127.9, 1 }, { 128, 2 },
        { 1000, 7 }, { 1024, 8 }, { 1448, 8 }, { 1449, 9 }, { 1e9, 47 },
        { 3e11, 63 }, { 1e18, 63 }, { 1e300, 63 },
    };
    uint64_t row[JOBMODEL_BUCKETS] = { 0 };
    const double share[] = { 0, 0.01, 0.1, 0.5, 0.9, 0.99, 1 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(jobmodel_bucket(cases[i].ns), cases[i].bucket);
    for (unsigned i = 0; i < JOBMODEL_BUCKETS; i++)
        assert_int_equal(jobmodel_bucket(jobmodel_bucket_ns(i) * 1.01), i);
    assert_true(jobmodel_quantile(row, 0.5) < 0);
    for (unsigned i = 1; i <= 1000; i++)        /* 1 to 1000 us, evenly */
        row[jobmodel_bucket(1000. * i)]++;
    for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++) {
        double is = jobmodel_quantile(row, share[i]), want = 1e6 * share[i];

        want = want > 1000 ? want : 1000;
        assert_true(is > want / 1.42 && is < want * 1.42);
    }
    assert_true(fabs(jobmodel_quantile(row, 0.5) / 5e5 - 1) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct), cmocka_unit_test(test_far),
        cmocka_unit_test(test_travels), cmocka_unit_test(test_no_id),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_large), cmocka_unit_test(test_lies),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_shown),
        cmocka_unit_test(test_buckets),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
