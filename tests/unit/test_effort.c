/* test_effort.c - what slaves tell of what tasks do, as the master keeps it:
 * times at sites, here and where the task was before; traffic, as pairs of
 * seats. What makes no sense is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "master/optimize/traffic.h"

enum { TASKS = 4 };
static struct node node[2] = { { .id = 0 }, { .id = 1 } };
static struct job_node at[2] = { { .node = &node[0] }, { .node = &node[1] } };
static struct task tasks[TASKS];
static struct job job;

/* One task's words, which tests make wrong. */
static Hct__Effort__Task words;
static uint64_t sites[8], calls[8], out_ns[8], bytes[16];
static uint32_t partners[16];
static uint64_t comms[8], collected[8];
static uint32_t comm_ranks[8], comm_sizes[8];

static int begin(void **state)
{
    (void)state;
    job = (struct job){ .id = 1, .ntasks = TASKS, .tasks = tasks, .nodes = at,
                        .nnodes = 2 };
    for (uint32_t i = 0; i < TASKS; i++)
        tasks[i] = (struct task){ .node = i / 2 };
    hct__effort__task__init(&words);
    words.sites = sites;
    words.calls = calls;
    words.out_ns = out_ns;
    words.partners = partners;
    words.bytes = bytes;
    words.comms = comms;
    words.comm_ranks = comm_ranks;
    words.comm_sizes = comm_sizes;
    words.collected = collected;
    words.outside_ns = words.computed_ns = 5000000000u;
    return 0;
}

static int end(void **state)
{
    (void)state;
    course_free(&job);
    return 0;
}

static void site(uint64_t key, uint64_t n, double each_s)
{
    size_t i = words.n_sites++;

    sites[i] = key;
    calls[i] = n;
    out_ns[i] = (uint64_t)(each_s * 1e9 * (double)n);
    words.n_calls = words.n_out_ns = words.n_sites;
}

static void partner(uint32_t rank, double bytes_s)
{
    size_t i = words.n_partners++;

    partners[i] = rank;
    bytes[i] = (uint64_t)(bytes_s * 5);
    words.n_bytes = words.n_partners;
}

static void comm(uint64_t id, uint32_t rank, uint32_t size, double bytes_s)
{
    size_t i = words.n_comms++;

    comms[i] = id;
    comm_ranks[i] = rank;
    comm_sizes[i] = size;
    collected[i] = (uint64_t)(bytes_s * 5);
    words.n_comm_ranks = words.n_comm_sizes = words.n_collected = words.n_comms;
}

static int take(uint32_t rank)
{
    Hct__Effort m = HCT__EFFORT__INIT;
    Hct__Effort__Task *list[] = { &words };
    struct err err;
    int rc;

    words.rank = rank;
    m.job = 1;
    m.tasks = list;
    m.n_tasks = 1;
    rc = effort_take(&job, &at[rank < TASKS ? tasks[rank].node : 0], &m, &err);
    words.n_sites = words.n_calls = words.n_out_ns = 0;
    words.n_partners = words.n_bytes = 0;
    words.n_comms = words.n_comm_ranks = words.n_comm_sizes = 0;
    words.n_collected = 0;
    words.outside_ns = words.computed_ns = 5000000000u;
    return rc;
}

/* Of a task that has a processor for a third of the time each call takes a
 * third of what passes: load is not slowness. */
static void test_times(void **state)
{
    const struct effort *e;

    (void)state;
    site(77, 100, 0.03);
    words.computed_ns = words.outside_ns / 3;
    assert_int_equal(take(0), 0);
    e = effort_of(&job, 0);
    assert_int_equal(e->site[0].key, 77);
    assert_int_equal(e->site[0].now.node, 1);
    assert_true(fabs((double)e->site[0].now.s - 0.01) < 1e-6);
    site(77, 100, 0.02);
    assert_int_equal(take(0), 0);
    assert_true(fabs((double)e->site[0].now.s - 0.015) < 1e-6);
    assert_int_equal(e->site[0].was.node, 0);
    /* It moves. */
    tasks[0].node = 1;
    site(77, 100, 0.04);
    assert_int_equal(take(0), 0);
    assert_int_equal(e->site[0].now.node, 2);
    assert_true(fabs((double)e->site[0].now.s - 0.04) < 1e-6);
    assert_int_equal(e->site[0].was.node, 1);
    assert_true(fabs((double)e->site[0].was.s - 0.015) < 1e-6);
    /* What is too short to be compared, or was not computed at all. */
    site(78, 1000000, 1e-6);
    site(79, 10, 1);
    words.computed_ns = 0;
    assert_int_equal(take(0), 0);
    assert_int_equal(e->site[1].key, 0);
    assert_null(effort_of(&job, TASKS));
}

/* Those that are not told of any more make room for others; more than there is
 * room for are passed over. */
static void test_room(void **state)
{
    const struct effort *e;

    (void)state;
    for (uint64_t k = 1; k <= 6; k++)
        site(k, 10, 0.01);
    assert_int_equal(take(0), 0);
    e = effort_of(&job, 0);
    for (uint64_t k = 1; k <= EFFORT_SITES; k++)
        assert_int_equal(e->site[k - 1].key, k);
    site(2, 10, 0.01);
    site(9, 10, 0.01);
    assert_int_equal(take(0), 0);
    assert_int_equal(e->site[0].key, 9);
    assert_int_equal(e->site[1].key, 2);
}

static void test_pairs(void **state)
{
    const uint32_t seat_of[TASKS] = { 10, 11, HCT_NOWHERE, 12 };
    struct traffic t = { .n = 0 };

    (void)state;
    partner(1, 2e6);
    partner(3, 1e5);
    assert_int_equal(take(0), 0);
    partner(0, 1e6);
    partner(2, 5e6);            /* it has ended */
    partner(3, 10);             /* too little */
    assert_int_equal(take(1), 0);
    assert_int_equal(traffic_add(&t, &job, seat_of), 0);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.v[0].a, 10);
    assert_int_equal(t.v[0].b, 11);
    assert_true(fabs(t.v[0].bytes_s - 3e6) < 1);
    assert_int_equal(t.v[1].b, 12);
    assert_true(fabs(t.v[1].bytes_s - 1e5) < 1);
    traffic_fini(&t);
    /* Who falls silent is forgotten, by halves. */
    for (int i = 0; i < 20; i++) {
        partner(3, 1e5);
        assert_int_equal(take(0), 0);
    }
    assert_int_equal(effort_of(&job, 0)->npartners, 1);
    assert_int_equal(effort_of(&job, 0)->partner[0].rank, 3);
}

static void is_pair(const struct hct_traffic *t, uint32_t a, uint32_t b,
                    double bytes_s)
{
    assert_int_equal(t->a, a);
    assert_int_equal(t->b, b);
    assert_true(fabs(t->bytes_s - bytes_s) < 1);
}

/* Members of a communicator are a ring in the order of their ranks there; of
 * two the one passes on to the other, and back. What else these send comes to
 * that. */
static void test_rings(void **state)
{
    const uint32_t seat_of[TASKS] = { 10, 11, 12, 13 };
    struct traffic t = { .n = 0 };

    (void)state;
    for (uint32_t r = 0; r < TASKS; r++) {
        comm(1, (r + 2) % TASKS, TASKS, 1e6);   /* 2 3 0 1: the same ring */
        comm(50 + r % 2, r / 2, 2, 2e6);        /* 0 with 2, 1 with 3 */
        if (r == 0)
            partner(1, 5e5);
        assert_int_equal(take(r), 0);
    }
    assert_int_equal(traffic_add(&t, &job, seat_of), 0);
    assert_int_equal(t.n, 6);
    is_pair(&t.v[0], 10, 11, 1.5e6);
    is_pair(&t.v[1], 10, 12, 4e6);
    is_pair(&t.v[2], 10, 13, 1e6);
    is_pair(&t.v[3], 11, 12, 1e6);
    is_pair(&t.v[4], 11, 13, 4e6);
    is_pair(&t.v[5], 12, 13, 1e6);
    traffic_fini(&t);
}

/* Nobody is next to who has ended, or has said nothing; those of more members
 * than the job has tasks are of others, too. */
static void test_broken_rings(void **state)
{
    const uint32_t seat_of[TASKS] = { 10, HCT_NOWHERE, 12, 13 };
    struct traffic t = { .n = 0 };

    (void)state;
    for (uint32_t r = 0; r < TASKS; r++) {
        comm(1, r, TASKS, 1e6);
        comm(60, r, TASKS + 1, 1e9);
        assert_int_equal(take(r), 0);
    }
    assert_int_equal(traffic_add(&t, &job, seat_of), 0);
    assert_int_equal(t.n, 2);
    is_pair(&t.v[0], 10, 13, 1e6);
    is_pair(&t.v[1], 12, 13, 1e6);
    traffic_fini(&t);
    /* Of several those with most; what is not told of any more is forgotten. */
    for (uint64_t id = 70; id < 74; id++)
        comm(id, 0, 2, 1e6 * (double)id);
    assert_int_equal(take(0), 0);
    for (int i = 0; i < EFFORT_COMMS; i++)
        assert_true(effort_of(&job, 0)->comm[i].id >= 72);
    for (int i = 0; i < 30; i++)
        assert_int_equal(take(0), 0);
    for (int i = 0; i < EFFORT_COMMS; i++)
        assert_int_equal(effort_of(&job, 0)->comm[i].id, 0);
}

/* Of many those that most goes to. */
static void test_many_partners(void **state)
{
    (void)state;
    job.ntasks = 100;
    job.tasks = calloc(100, sizeof(*job.tasks));
    for (uint32_t r = 1; r <= 16; r++)
        partner(r, 1000.0 * r);
    assert_int_equal(take(0), 0);
    assert_int_equal(effort_of(&job, 0)->npartners, EFFORT_PARTNERS);
    for (uint32_t i = 0; i < EFFORT_PARTNERS; i++)
        assert_true(effort_of(&job, 0)->partner[i].rank > 16 - EFFORT_PARTNERS);
    free(job.tasks);
}

static void test_refused(void **state)
{
    (void)state;
    assert_int_equal(take(4), -1);
    site(77, 1, 1);
    words.n_calls = 0;
    assert_int_equal(take(0), -1);
    partner(TASKS, 1e6);
    assert_int_equal(take(0), -1);
    partner(0, 1e6);
    assert_int_equal(take(0), -1);
    partner(1, 1e6);
    words.n_bytes = 0;
    assert_int_equal(take(0), -1);
    comm(1, 4, 4, 1e6);
    assert_int_equal(take(0), -1);
    comm(1, 0, 4, 1e6);
    words.n_comm_sizes = 0;
    assert_int_equal(take(0), -1);
    assert_int_equal(take(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_times, begin, end),
        cmocka_unit_test_setup_teardown(test_room, begin, end),
        cmocka_unit_test_setup_teardown(test_pairs, begin, end),
        cmocka_unit_test_setup_teardown(test_rings, begin, end),
        cmocka_unit_test_setup_teardown(test_broken_rings, begin, end),
        cmocka_unit_test_setup_teardown(test_many_partners, begin, end),
        cmocka_unit_test_setup_teardown(test_refused, begin, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
