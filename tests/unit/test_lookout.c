/* test_lookout.c - orders to look, one at a time and in series: what is answered,
 * when a series ends, and that it holds nothing of a job that is gone. The job
 * and the link to the master are played here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi-wrappers/page.h"
#include "policies/hct_policy.h"
#include "proto/base/clock.h"
#include "slave/jobs/glance.h"
#include "slave/jobs/look.h"
#include "slave/jobs/lookout.h"
#include "slave/jobs/node.h"
#include "slave/jobs/peek.h"
#include "slave/jobs/taskwalk.h"

enum { JOBS = 2, ANSWERS = 8 };

static struct node node;
static bool here[JOBS];         /* jobs number 1 and 2, of one task each */
static struct task task[JOBS];
static struct event_base *base;
static struct lookout *lo;
static Hct__Looked *answer[ANSWERS];
static size_t nanswers;
static unsigned peeks;

/* ------------------------------------------------------ what it stands on */

static bool walk(void *arg, uint64_t job, taskwalk_f *step, void *to)
{
    (void)arg;
    if (job < 1 || job > JOBS || !here[job - 1])
        return false;
    step(to, &task[job - 1]);
    return true;
}

static const struct taskwalk jobs = { .tasks = walk };

void uplink_send(struct uplink *u, enum message_type type, const void *msg)
{
    uint8_t *buf = malloc(hct__looked__get_packed_size(msg) + 1);

    (void)u;
    assert_int_equal(type, MESSAGE_LOOKED);
    assert_true(nanswers < ANSWERS);
    answer[nanswers] = hct__looked__unpack(NULL, hct__looked__pack(msg, buf),
                                           buf);
    assert_non_null(answer[nanswers++]);
    free(buf);
}

struct peek *peek_create(struct node *of, const struct taskwalk *walked)
{
    (void)of;
    (void)walked;
    return calloc(1, 1);
}

void peek_destroy(struct peek *p)
{
    free(p);
}

void peek_at(struct peek *p, uint64_t job)
{
    (void)p;
    (void)job;
    peeks++;
}

struct glance *glance_create(struct node *of, const struct taskwalk *walked)
{
    (void)of;
    (void)walked;
    return calloc(1, 1);
}

void glance_destroy(struct glance *g)
{
    free(g);
}

void glance_at(struct glance *g, uint64_t job)
{
    (void)g;
    assert_true(here[job - 1]);
}

uint32_t peek_life(const struct task *t)
{
    (void)t;
    return HCT_LIFE_STARTED;
}

/* ------------------------------------------------------------------ tests */

static void forget_answers(void)
{
    while (nanswers)
        hct__looked__free_unpacked(answer[--nanswers], NULL);
}

static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i < JOBS; i++) {
        here[i] = true;
        memset(&task[i], 0, sizeof(task[i]));
        task[i].pid = 1 << 30;          /* nobody */
        task[i].rank = 3;
    }
    ticks_init(&node.ticks);
    node.base = base = event_base_new();
    lo = lookout_create(&node, &jobs);
    peeks = 0;
    return lo ? 0 : -1;
}

static void job_gone(unsigned i)
{
    if (here[i])
        look_task_free(task[i].look);
    here[i] = false;
}

static int teardown(void **state)
{
    (void)state;
    lookout_destroy(lo);
    forget_answers();
    job_gone(0);
    job_gone(1);
    event_base_free(base);
    return 0;
}

static void order(uint64_t of, uint64_t seq, uint32_t count, uint64_t every_ns,
                  bool detail)
{
    Hct__Look m = HCT__LOOK__INIT;

    m.job = of;
    m.seq = seq;
    m.count = count;
    m.every_ns = every_ns;
    m.parts = detail ? HCT_NEED_DETAIL : 0;
    lookout_order(lo, &m);
}

static void wait_for_answers(size_t n)
{
    uint64_t until = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;

    while (nanswers < n && clock_monotonic_ns() < until)
        event_base_loop(base, EVLOOP_ONCE);
    assert_int_equal(nanswers, n);
}

/* Look i of an answer with several. */
static Hct__Looked *one_of(const Hct__Looked *m, size_t i)
{
    Hct__Looked *one;

    assert_true(i < m->n_more);
    one = hct__looked__unpack(NULL, m->more[i].len, m->more[i].data);
    assert_non_null(one);
    return one;
}

static void test_single(void **state)
{
    (void)state;
    order(1, 7, 0, 0, false);
    assert_int_equal(nanswers, 1);
    assert_int_equal(answer[0]->job, 1);
    assert_int_equal(answer[0]->seq, 7);
    assert_int_equal(answer[0]->n_more, 0);
    assert_int_equal(answer[0]->n_tasks, 1);
    assert_int_equal(answer[0]->tasks[0]->rank, 3);
    assert_int_equal(peeks, 1);
    order(1, 8, 5, CLOCK_NS_PER_S, true);       /* with detail: at once */
    assert_int_equal(nanswers, 2);
    assert_int_equal(answer[1]->n_more, 0);
    order(9, 1, 0, 0, false);                   /* no such job */
    order(9, 1, 5, CLOCK_NS_PER_MS, false);
    assert_int_equal(nanswers, 2);
}

static void test_series(void **state)
{
    const uint64_t every = 3 * CLOCK_NS_PER_MS;
    uint64_t last = 0;

    (void)state;
    order(1, 20, 5, every, false);
    assert_int_equal(nanswers, 0);
    wait_for_answers(1);
    assert_int_equal(answer[0]->job, 1);
    assert_int_equal(answer[0]->seq, 20);
    assert_int_equal(answer[0]->n_more, 5);
    assert_int_equal(peeks, 5);
    for (size_t i = 0; i < 5; i++) {
        Hct__Looked *one = one_of(answer[0], i);

        assert_int_equal(one->seq, 20 + i);
        assert_int_equal(one->n_tasks, i == 0);  /* nothing has changed since */
        if (i)
            assert_true(one->after_ns >= last + every - CLOCK_NS_PER_MS / 2);
        last = one->after_ns;
        hct__looked__free_unpacked(one, NULL);
    }
    event_base_loop(base, EVLOOP_NONBLOCK);
    assert_int_equal(event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED),
                     0);                        /* nothing more is due */
}

/* Whoever reads rings takes the looks along: at once when they are due, and not
 * before. */
static void test_along(void **state)
{
    uint64_t from = clock_monotonic_ns();

    (void)state;
    assert_true(lookout_due(lo) == UINT64_MAX);
    order(1, 1, 3, 20 * CLOCK_NS_PER_MS, false);
    order(2, 1, 3, 20 * CLOCK_NS_PER_S, false);
    assert_true(lookout_due(lo) <= 20 * CLOCK_NS_PER_MS);       /* the first */
    while (nanswers == 0) {
        lookout_tick(lo);
        assert_true(clock_monotonic_ns() - from < 60 * CLOCK_NS_PER_S);
    }
    assert_int_equal(answer[0]->n_more, 3);
    assert_true(clock_monotonic_ns() - from >= 39 * CLOCK_NS_PER_MS);
}

static void test_new_order(void **state)
{
    (void)state;
    order(1, 30, 10, 3600 * CLOCK_NS_PER_S, false);
    order(2, 40, 2, 3600 * CLOCK_NS_PER_S, false);     /* another job's own */
    assert_int_equal(nanswers, 0);
    order(1, 31, 1, 0, false);
    assert_int_equal(nanswers, 2);
    assert_int_equal(answer[0]->seq, 30);       /* what there was of it */
    assert_int_equal(answer[0]->n_more, 1);
    assert_int_equal(answer[1]->seq, 31);
    assert_int_equal(answer[1]->n_more, 0);
    order(2, 41, 64 + 6, 1, false);             /* more than it can hold */
    assert_int_equal(answer[2]->seq, 40);
    wait_for_answers(4);
    assert_int_equal(answer[3]->n_more, LOOKOUT_MAX);
}

static void test_job_gone(void **state)
{
    unsigned seen;

    (void)state;
    order(1, 50, 10, CLOCK_NS_PER_MS, false);
    seen = peeks;                       /* 2 if the first look took long */
    job_gone(0);
    wait_for_answers(1);
    assert_true(seen > 0);
    assert_int_equal(answer[0]->n_more, seen);  /* what was seen is told */
    order(2, 60, 10, 3600 * CLOCK_NS_PER_S, false);
    assert_int_equal(nanswers, 1);              /* destroyed with a series */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_single, setup, teardown),
        cmocka_unit_test_setup_teardown(test_series, setup, teardown),
        cmocka_unit_test_setup_teardown(test_along, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_job_gone, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
