/* test_climb.c - which step is taken for a deadline, and which one is taken
 * back: each rule alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/ladder/climb.h"
#include "master/ladder/rung.h"

/* Job 1 is the real-time one, with two tasks on node 0, which has two
 * processors; jobs 2, 3 and 4 are less important, and may be there, too. */
enum { NODES = 3, JOBS = 4, SHARES = 6 };
struct world {
    struct climb_node nodes[NODES];
    struct climb_job jobs[JOBS];
    struct climb_share shares[SHARES];
    struct climb_in in;
};

static struct climb_cpus cpus(uint64_t bits)
{
    return (struct climb_cpus){ { bits } };
}

static void make(struct world *w)
{
    *w = (struct world){ 0 };
    for (uint32_t i = 0; i < NODES; i++)
        w->nodes[i] = (struct climb_node){ .cpus = cpus(3), .speed = 1,
                                           .takes = true };
    for (uint32_t i = 0; i < JOBS; i++)
        w->jobs[i] = (struct climb_job){
            .id = i + 1, .uid = 7, .priority = i ? -(int)i : 0,
            .started_ns = 100 + i, .going = true, .may_s = 10 };
    w->in = (struct climb_in){
        .nodes = w->nodes, .jobs = w->jobs, .shares = w->shares,
        .nnodes = NODES, .njobs = JOBS, .job = 0,
        .due = { .margin = -0.1, .want = 0.2, .chance = 0.5,
                 .limit_ns = 50000000, .missed = 2 },
        .moves = { 0.5, 1e8, 0 } };
}

static struct climb_share *put(struct world *w, uint32_t job, uint32_t node,
                               double ran, double wanted)
{
    struct climb_share *s = &w->shares[w->in.nshares++];

    *s = (struct climb_share){ .job = job, .node = node, .tasks = 2, .ran = ran,
                               .wanted = wanted, .weight = 1024,
                               .bytes = 10000000 };
    return s;
}

/* Two tasks of job 1 get half of what they want, as two of job 2 want the
 * same. */
static void crowd(struct world *w)
{
    make(w);
    put(w, 0, 0, 1, 2);
    put(w, 1, 0, 1, 2);
}

static void nothing(struct world *w, const char *why)
{
    struct climb_step s;

    assert_false(climb_up(&w->in, &s));
    assert_string_equal(s.why, why);
}

static struct climb_step up(struct world *w, enum climb_kind kind, uint32_t job)
{
    struct climb_step s;

    assert_true(climb_up(&w->in, &s));
    assert_string_equal(climb_name(s.kind), climb_name(kind));
    assert_int_equal(s.job, job);
    return s;
}

static void near_to(double is, double wanted)
{
    assert_true(fabs(is - wanted) < 1e-6);
}

static void test_suspend(void **state)
{
    struct world w;
    struct climb_step s;

    (void)state;
    crowd(&w);
    s = up(&w, CLIMB_SUSPEND, 1);
    /* It waits half of its time: without that, 1.1 of what there is is 0.55. */
    near_to(s.margin, 0.45);
    near_to(s.gain, 0.55);
    assert_string_equal(s.why, "margin -10 %, 20 % wanted; job 2 of priority -1:"
                        " 45 % expected");
    /* Where nothing is known of what they want, all of each is. */
    w.shares[0].wanted = w.shares[1].wanted = -1;
    near_to(up(&w, CLIMB_SUSPEND, 1).margin, 0.45);
}

static void test_no_help(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    w.shares[1].node = 1;       /* on another node */
    w.shares[0].ran = 2;
    nothing(&w, "its tasks do not wait for processors");
    crowd(&w);                  /* it waits, and that is not for them */
    w.shares[0].cpus = cpus(1);
    w.shares[1].cpus = cpus(2);
    nothing(&w, "nothing that may be done would help");
    crowd(&w);                  /* they sleep */
    w.shares[1].wanted = 0.001;
    nothing(&w, "nothing that may be done would help");
    crowd(&w);                  /* it is late, and gets all it wants */
    w.shares[0].ran = 2;
    nothing(&w, "its tasks do not wait for processors");
    crowd(&w);                  /* it is not there */
    w.in.nshares = 1;
    nothing(&w, "there is no less important job beside it that may give way");
}

/* Who has not said yet which processors he may use is beside it, elsewhere, or does
 * not go. */
static void test_knows(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    for (size_t i = 0; i < w.in.nshares; i++)
        w.shares[i].cpus = cpus(3);
    assert_true(climb_knows(&w.in));
    w.shares[1].cpus = cpus(0);
    assert_false(climb_knows(&w.in));
    w.jobs[1].going = false;
    assert_true(climb_knows(&w.in));
    w.jobs[1].going = true;
    w.shares[1].node = 1;
    assert_true(climb_knows(&w.in));
    w.shares[1].node = 0;
    w.shares[1].tasks = 0;
    assert_true(climb_knows(&w.in));
}

/* A job runs as fast as its slowest task: what frees one node of two brings
 * little, where the other one is as full of what is not ours. */
static void test_slowest(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    put(&w, 0, 1, 1, 2);
    w.nodes[1].others = 2;
    nothing(&w, "nothing that may be done would help");
    w.shares[2].ran = 1.6;      /* ... less so: that is the limit then */
    near_to(up(&w, CLIMB_SUSPEND, 1).margin, 1 - 1.1 * 0.5 / 0.8);
}

static void test_who(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    w.jobs[1].priority = 0;     /* as important */
    nothing(&w, "there is no less important job beside it that may give way");
    w.jobs[1].priority = 3;     /* more */
    nothing(&w, "there is no less important job beside it that may give way");
    w.jobs[0].class = 1;        /* ... but for its class */
    up(&w, CLIMB_SUSPEND, 1);
    crowd(&w);
    w.jobs[1].uid = 8;          /* another's */
    nothing(&w, "there is no less important job beside it that may give way");
    w.in.any_user = true;
    up(&w, CLIMB_SUSPEND, 1);
    crowd(&w);
    w.jobs[1].due = true;       /* it has deadlines, too */
    nothing(&w, "there is no less important job beside it that may give way");
    crowd(&w);
    w.jobs[1].going = false;    /* a person has stopped it */
    nothing(&w, "there is no less important job beside it that may give way");
}

static void test_order(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    put(&w, 2, 0, 1, 2);
    up(&w, CLIMB_SUSPEND, 2);           /* the lowest priority */
    w.jobs[2].priority = -1;
    up(&w, CLIMB_SUSPEND, 2);           /* started last */
    w.jobs[1].started_ns = 500;
    up(&w, CLIMB_SUSPEND, 1);
    w.jobs[2].class = -1;               /* of class idle */
    up(&w, CLIMB_SUSPEND, 2);
    w.shares[2].wanted = 0.01;          /* which would not help */
    up(&w, CLIMB_SUSPEND, 1);
    w.jobs[1].rests = 1u << CLIMB_SUSPEND;      /* not again so soon */
    nothing(&w, "nothing that may be done would help");
}

/* Where it is not enough, the one with more gain. */
static void test_most(void **state)
{
    struct world w;

    (void)state;
    make(&w);
    put(&w, 0, 0, 0.5, 2);
    put(&w, 1, 0, 1, 4);
    put(&w, 2, 0, 0.2, 0.4);
    put(&w, 3, 0, 0.2, 0.4);
    w.in.due.margin = -3;
    up(&w, CLIMB_SUSPEND, 1);
}

static void test_cheaper(void **state)
{
    struct world w;
    struct climb_share *x;

    (void)state;
    crowd(&w);
    x = &w.shares[1];
    x->can_calm = x->can_aside = true;
    up(&w, CLIMB_CALM, 1);
    x->weight = 15;             /* it has the least weight */
    up(&w, CLIMB_SUSPEND, 1);   /* two tasks take both processors */
    w.shares[0].cpus = cpus(2);
    w.shares[0].tasks = 1;
    w.shares[0].ran = 0.5;
    w.shares[0].wanted = 1;
    up(&w, CLIMB_ASIDE, 1);
    x->aside = true;
    up(&w, CLIMB_SUSPEND, 1);
    x->weight = 1024;
    x->calm = true;             /* it has given that up */
    up(&w, CLIMB_SUSPEND, 1);
    x->calm = x->aside = false;
    w.jobs[1].rests = 1u << CLIMB_CALM;
    up(&w, CLIMB_ASIDE, 1);
}

/* What is not ours gives way to weight alone. */
static void test_raise(void **state)
{
    struct world w;
    struct climb_step s;

    (void)state;
    make(&w);
    put(&w, 0, 0, 1, 2);
    w.nodes[0].others = 2;
    nothing(&w, "there is no less important job beside it that may give way");
    w.shares[0].more = 4096;
    s = up(&w, CLIMB_RAISE, 0);
    /* A quarter is left of two: 1.5 of 2 that are missing, so 1/8 of its time. */
    near_to(s.margin, 1 - 1.1 * 0.5 / 0.875);
    assert_string_equal(s.why, "margin -10 %, 20 % wanted; its own tasks: 37 % expected");
    w.shares[0].weight = 4096;  /* it has that */
    nothing(&w, "there is no less important job beside it that may give way");
    w.shares[0].weight = 1024;
    w.jobs[0].rests = 1u << CLIMB_RAISE;
    nothing(&w, "there is no less important job beside it that may give way");
    crowd(&w);                  /* behind what costs the less important alone */
    w.shares[0].more = 4096;
    up(&w, CLIMB_RAISE, 0);
    w.shares[1].can_calm = true;
    up(&w, CLIMB_CALM, 1);
    crowd(&w);                  /* as slow as where it has no more */
    put(&w, 0, 1, 1, 2);
    w.nodes[1].others = 2;
    w.shares[0].more = 4096;
    nothing(&w, "nothing that may be done would help");
    w.shares[2].more = 4096;
    near_to(up(&w, CLIMB_RAISE, 0).margin, 1 - 1.1 * 0.5 / 0.875);
}

static void test_patience(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    w.jobs[1].may_s = 0;
    nothing(&w, "nothing that may be done would help");
    w.in.due.firm = true;
    up(&w, CLIMB_SUSPEND, 1);
}

static void test_store(void **state)
{
    struct world w;

    (void)state;
    crowd(&w);
    w.shares[0].ran = 2;
    w.jobs[1].storable = true;
    nothing(&w, "its tasks do not wait for processors");
    w.nodes[0].short_bytes = 20000000;
    near_to(up(&w, CLIMB_STORE, 1).margin, -0.1 + 0.5 * 0.3);
    w.jobs[1].held = true;      /* tasks that stand make no checkpoint */
    w.jobs[1].going = false;
    nothing(&w, "its tasks do not wait for processors");
    w.jobs[1].held = false;
    w.jobs[1].going = true;
    up(&w, CLIMB_STORE, 1);
    w.jobs[1].storable = false;
    nothing(&w, "its tasks do not wait for processors");
}

static void test_leave(void **state)
{
    struct world w;
    struct climb_step s;

    (void)state;
    crowd(&w);
    w.jobs[1].rests = 1u << CLIMB_SUSPEND;
    w.jobs[1].movable = true;
    s = up(&w, CLIMB_LEAVE, 1);
    assert_int_equal(s.node, 0);
    assert_int_equal(s.to, 1);
    near_to(s.margin, 0.45);
    w.nodes[1].others = 0.2;    /* its own daemons */
    assert_int_equal(up(&w, CLIMB_LEAVE, 1).to, 1);
    w.nodes[1].others = 0.3;
    assert_int_equal(up(&w, CLIMB_LEAVE, 1).to, 2);
    w.nodes[1].others = 0;
    w.nodes[1].speed = 1.19;    /* as it was measured */
    assert_int_equal(up(&w, CLIMB_LEAVE, 1).to, 1);
    w.nodes[1].speed = 2;       /* the faster one is not for it */
    assert_int_equal(up(&w, CLIMB_LEAVE, 1).to, 2);
    w.nodes[2].takes = false;
    nothing(&w, "nothing that may be done would help");
    w.nodes[1].speed = 0.5;
    w.nodes[1].others = 1;      /* it has one processor free */
    nothing(&w, "nothing that may be done would help");
}

static void test_faster(void **state)
{
    struct world w;
    struct climb_step s;

    (void)state;
    crowd(&w);
    w.in.nshares = 1;           /* what is in its way is not ours */
    w.nodes[0].others = 2;
    w.jobs[0].movable = true;
    nothing(&w, "there is no less important job beside it that may give way");
    w.in.due.missed = 12;       /* 0.6 s are 12 of these: no more than were missed */
    s = up(&w, CLIMB_FASTER, 0);
    assert_int_equal(s.to, 1);
    near_to(s.pause_s, 0.6);
    near_to(s.margin, 0.45);
    w.in.due.firm = true;       /* none may be missed for it */
    nothing(&w, "there is no less important job beside it that may give way");
    w.in.due = (struct climb_due){ .margin = 0.1, .want = 0.2,
                                   .limit_ns = 7000000000, .firm = true };
    up(&w, CLIMB_FASTER, 0);    /* the pause fits into what is left */
    w.in.due.limit_ns = 5000000000;
    nothing(&w, "there is no less important job beside it that may give way");
    w.in.due.limit_ns = 7000000000;
    w.nodes[1].speed = 3;
    assert_int_equal(up(&w, CLIMB_FASTER, 0).to, 1);
    w.in.moves.risk = 1;        /* none of those before has come off */
    nothing(&w, "there is no less important job beside it that may give way");
}

static void test_down(void **state)
{
    struct climb_stand v[] = {
        { .kind = CLIMB_CALM, .stood_s = 9, .may_s = 5 },
        { .kind = CLIMB_SUSPEND, .stood_s = 5, .may_s = 5 },
        { .kind = CLIMB_FASTER, .stood_s = 3, .may_s = 5 } };
    struct climb_mood m = { .may_undo = false, .dwell_s = 2 };
    size_t which = 9;

    (void)state;
    assert_int_equal(climb_down(v, 3, &m, &which), CLIMB_STAY);
    m.may_undo = true;          /* the last one first, but what was moved */
    assert_int_equal(climb_down(v, 3, &m, &which), CLIMB_GOOD);
    assert_int_equal(which, 1);
    v[1].stood_s = 1;           /* each stands for a while */
    assert_int_equal(climb_down(v, 3, &m, &which), CLIMB_STAY);
    assert_int_equal(climb_down(v, 1, &m, &which), CLIMB_GOOD);
    assert_int_equal(which, 0);
    m.may_undo = false;
    v[1].may_s = 0;             /* it has stood for as long as it may */
    assert_int_equal(climb_down(v, 3, &m, &which), CLIMB_USED);
    assert_int_equal(which, 1);
    m.firm = true;
    assert_int_equal(climb_down(v, 3, &m, &which), CLIMB_STAY);
    assert_int_equal(climb_down(v, 0, &m, &which), CLIMB_STAY);
}

/* What only weighs less, or keeps aside, does so while others want as much as then,
 * also those who are held; what is suspended has to be tried. */
static void test_needed(void **state)
{
    struct climb_stand v[] = {
        { .kind = CLIMB_CALM, .stood_s = 9, .pressure = 2 },
        { .kind = CLIMB_SUSPEND, .stood_s = 9, .pressure = 2, .may_s = 5 },
    };
    struct climb_mood m = { .may_undo = true, .dwell_s = 2, .pressure = 1.9 };
    size_t which = 9;
    struct world w;

    (void)state;
    assert_int_equal(climb_down(v, 2, &m, &which), CLIMB_GOOD);
    assert_int_equal(which, 1);
    assert_int_equal(climb_down(v, 1, &m, &which), CLIMB_STAY);
    m.pressure = 1.5;
    assert_int_equal(climb_down(v, 1, &m, &which), CLIMB_GOOD);
    assert_int_equal(which, 0);
    crowd(&w);
    w.nodes[0].others = 0.5;
    near_to(climb_pressure(&w.in), 2.5);
    w.jobs[1].held = true;
    near_to(climb_pressure(&w.in), 2.5);
    w.shares[0].cpus = cpus(1); /* half of it is where that is */
    near_to(climb_pressure(&w.in), 1.25);
    w.shares[1].node = 1;
    near_to(climb_pressure(&w.in), 0.25);
}

/* The same in, the same out, whatever else is in memory. */
static void test_pure(void **state)
{
    struct world w;
    struct climb_step a, b;

    (void)state;
    memset(&a, 1, sizeof(a));
    memset(&b, 2, sizeof(b));
    crowd(&w);
    put(&w, 2, 0, 1, 2);
    assert_true(climb_up(&w.in, &a));
    assert_true(climb_up(&w.in, &b));
    assert_int_equal(a.kind, b.kind);
    assert_true(a.gain == b.gain && a.job == b.job);
    assert_string_equal(a.why, b.why);
}

static void test_rung(void **state)
{
    enum rung_state s = RUNG_PROPOSED;

    (void)state;
    assert_false(rung_next(&s, RUNG_EVENT_ORDER));      /* not before it is stored */
    assert_int_equal(s, RUNG_PROPOSED);
    assert_true(rung_next(&s, RUNG_EVENT_STORE));
    assert_false(rung_next(&s, RUNG_EVENT_WORK));
    assert_true(rung_next(&s, RUNG_EVENT_ORDER));
    assert_true(rung_stands(s));
    assert_true(rung_next(&s, RUNG_EVENT_WORK));
    assert_int_equal(s, RUNG_DONE);
    assert_true(rung_next(&s, RUNG_EVENT_UNDO));
    assert_false(rung_stands(s));
    assert_false(rung_next(&s, RUNG_EVENT_UNDO));
    assert_true(rung_next(&s, RUNG_EVENT_RETURN));
    assert_true(rung_final(s));
    assert_string_equal(rung_state_name(s), "undone");
    for (int e = 0; e < RUNG_EVENT_COUNT; e++)
        assert_false(rung_next(&s, (enum rung_event)e));
    s = RUNG_STORED;
    assert_true(rung_next(&s, RUNG_EVENT_OVER));
    assert_int_equal(s, RUNG_FAILED);
    s = RUNG_DOING;
    assert_true(rung_next(&s, RUNG_EVENT_BREAK));
    assert_int_equal(s, RUNG_FAILED);
    s = RUNG_DONE;
    assert_true(rung_next(&s, RUNG_EVENT_OVER));
    assert_int_equal(s, RUNG_UNDONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suspend), cmocka_unit_test(test_no_help),
        cmocka_unit_test(test_knows),
        cmocka_unit_test(test_slowest), cmocka_unit_test(test_who),
        cmocka_unit_test(test_order), cmocka_unit_test(test_most),
        cmocka_unit_test(test_cheaper), cmocka_unit_test(test_raise),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_store), cmocka_unit_test(test_leave),
        cmocka_unit_test(test_faster), cmocka_unit_test(test_down),
        cmocka_unit_test(test_needed), cmocka_unit_test(test_pure),
        cmocka_unit_test(test_rung),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
