/* test_optimizer_checked.c - plans that make no sense: each step is refused for
 * what is wrong with it, and those that can be done come in an order in which
 * they can. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "proto/plan/checked.h"
#include "proto/plan/optimizer.h"

/* Four nodes: 0 and 1 have memory for two tasks, 2 is draining, 3 lacks a
 * feature. Jobs: 0 runs on 0 and 1, 1 waits, 2 cannot be moved, 3 is suspended,
 * 4 moves. */
enum { GB = 1 << 30 };
static struct hct_host hosts[] = {
    { .slots = 2, .speed = 1, .memory_bytes = 2u * GB, .features = 1 },
    { .slots = 2, .speed = 1, .memory_bytes = 2u * GB, .features = 1 },
    { .slots = 2, .speed = 1, .features = 1, .flags = HCT_HOST_DRAINING },
    { .slots = 2, .speed = 1 },
};
static struct hct_work works[] = {
    { .first = 0, .ntasks = 2, .flags = HCT_WORK_MOVABLE },
    { .first = 2, .ntasks = 2, .flags = HCT_WORK_WAITING, .features = 1 },
    { .first = 4, .ntasks = 1 },
    { .first = 5, .ntasks = 1, .flags = HCT_WORK_MOVABLE | HCT_WORK_SUSPENDED },
    { .first = 6, .ntasks = 1, .flags = HCT_WORK_MOVABLE | HCT_WORK_MOVING },
};
static struct hct_seat seats[] = {
    { .work = 0, .host = 0, .wants = 1, .memory_bytes = GB },
    { .work = 0, .rank = 1, .host = 1, .wants = 1, .memory_bytes = GB },
    { .work = 1, .host = HCT_NOWHERE, .wants = 1, .memory_bytes = GB },
    { .work = 1, .rank = 1, .host = HCT_NOWHERE, .wants = 1,
      .memory_bytes = GB },
    { .work = 2, .host = 3, .wants = 1, .memory_bytes = GB },
    { .work = 3, .host = 3, .wants = 1, .memory_bytes = GB },
    { .work = 4, .host = 3, .wants = 1, .memory_bytes = GB },
};
static struct hct_system in = {
    .size = sizeof(in), .seq = 1, .move_s = 1, .move_bytes_s = 1e8,
    .nhosts = 4, .host_size = sizeof(*hosts), .hosts = hosts,
    .nworks = 5, .work_size = sizeof(*works), .works = works,
    .nseats = 7, .seat_size = sizeof(*seats), .seats = seats,
    .traffic_size = sizeof(struct hct_traffic) };

static struct checked c;

static void check(const struct hct_plan_step *steps, uint32_t n)
{
    struct hct_plan plan = { .size = sizeof(plan), .nsteps = n, .steps_max = n,
                             .step_size = sizeof(*steps) };
    struct hct_plan_step copy[8];
    struct err err;

    memcpy(copy, steps, n * sizeof(*copy));
    plan.steps = copy;
    assert_int_equal(checked_plan(&c, &in, &plan, &err), 0);
    assert_int_equal(c.nsteps + c.nrefused, n);
}

#define STEP(k, w, s, h) { .kind = HCT_PLAN_##k, .work = w, .seat = s, .host = h }
#define NO HCT_NOWHERE

static const struct row {
    struct hct_plan_step steps[3];
    uint32_t n;
    enum checked_reason why;    /* of all but the first good ones */
    uint32_t good;
} table[] = {
    { { { .kind = 0 } }, 1, CHECKED_KIND, 0 },
    { { { .kind = 5 } }, 1, CHECKED_KIND, 0 },
    { { STEP(MOVE, 0, 7, 1) }, 1, CHECKED_TASK, 0 },
    { { STEP(MOVE, 0, NO, 1) }, 1, CHECKED_TASK, 0 },
    { { STEP(MOVE, 1, 0, 1) }, 1, CHECKED_TASK, 0 },
    { { STEP(MOVE, 9, 0, 1) }, 1, CHECKED_TASK, 0 },
    { { STEP(SUSPEND, 5, NO, NO) }, 1, CHECKED_TASK, 0 },
    { { STEP(MOVE, 0, 0, 4) }, 1, CHECKED_NODE, 0 },
    { { STEP(MOVE, 0, 0, NO) }, 1, CHECKED_NODE, 0 },
    { { STEP(MOVE, 0, 0, 0) }, 1, CHECKED_HERE, 0 },
    { { STEP(MOVE, 0, 0, 2) }, 1, CHECKED_DRAINING, 0 },
    { { STEP(MOVE, 0, 0, 3), STEP(MOVE, 0, 0, 1) }, 2, CHECKED_TWICE, 1 },
    { { STEP(SUSPEND, 0, NO, NO), STEP(MOVE, 0, 0, 1) }, 2, CHECKED_TWICE, 1 },
    { { STEP(MOVE, 0, 0, 1), STEP(SUSPEND, 0, NO, NO) }, 2, CHECKED_TWICE, 1 },
    { { STEP(MOVE, 2, 4, 0) }, 1, CHECKED_FIXED, 0 },
    { { STEP(MOVE, 3, 5, 0) }, 1, CHECKED_STATE, 0 },
    { { STEP(MOVE, 4, 6, 0) }, 1, CHECKED_STATE, 0 },
    { { STEP(MOVE, 1, 2, 0) }, 1, CHECKED_STATE, 0 },
    { { STEP(PLACE, 0, 0, 1) }, 1, CHECKED_STATE, 0 },
    { { STEP(SUSPEND, 3, NO, NO) }, 1, CHECKED_STATE, 0 },
    { { STEP(SUSPEND, 4, NO, NO) }, 1, CHECKED_STATE, 0 },
    { { STEP(RESUME, 0, NO, NO) }, 1, CHECKED_STATE, 0 },
    { { STEP(RESUME, 3, NO, NO) }, 1, CHECKED_KIND, 1 },
    { { STEP(SUSPEND, 2, NO, NO) }, 1, CHECKED_KIND, 1 },
    { { STEP(PLACE, 1, 2, 3), STEP(PLACE, 1, 3, 3) }, 2, CHECKED_FEATURES, 0 },
    { { STEP(PLACE, 1, 2, 0) }, 1, CHECKED_PART, 0 },
    { { STEP(PLACE, 1, 2, 0), STEP(PLACE, 1, 3, 1) }, 2, CHECKED_KIND, 2 },
    { { STEP(PLACE, 1, 2, 0), STEP(PLACE, 1, 3, 0) }, 2, CHECKED_FULL, 0 },
    /* Room is made first, whatever the order. */
    { { STEP(PLACE, 1, 2, 0), STEP(PLACE, 1, 3, 0), STEP(MOVE, 0, 0, 1) }, 3,
      CHECKED_KIND, 3 },
    { { STEP(MOVE, 0, 0, 1), STEP(PLACE, 1, 2, 1), STEP(PLACE, 1, 3, 1) }, 3,
      CHECKED_FULL, 1 },
    /* Tasks that are alike change places. */
    { { STEP(MOVE, 0, 0, 1), STEP(MOVE, 0, 1, 0) }, 2, CHECKED_CYCLE, 0 },
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct row *r = &table[i];

        check(r->steps, r->n);
        if (c.nsteps != r->good || c.refused[r->why] != r->n - r->good)
            fail_msg("row %zu: %u are good; %s", i, c.nsteps, c.first);
        assert_int_equal(*c.first != '\0', c.nrefused > 0);
    }
}

static void test_figures(void **state)
{
    struct hct_plan_step s = STEP(MOVE, 0, 0, 1);
    static const double gains[] = { NAN, INFINITY, -INFINITY, 1 };
    static const double costs[] = { 0, 0, 0, -1 };

    (void)state;
    for (int i = 0; i < 4; i++) {
        s.gain_s = gains[i];
        s.cost_s = costs[i];
        check(&s, 1);
        assert_int_equal(c.refused[CHECKED_FIGURES], 1);
    }
}

/* Two jobs on full nodes: neither can be first. With room on one it is done in
 * that order. */
static void test_full_circle(void **state)
{
    static const struct hct_plan_step steps[] = { STEP(MOVE, 0, 0, 1),
                                                  STEP(MOVE, 3, 5, 0) };

    (void)state;
    works[3].flags = HCT_WORK_MOVABLE;
    seats[5].host = 1;
    hosts[0].memory_bytes = GB;
    check(steps, 2);
    assert_int_equal(c.refused[CHECKED_CYCLE], 2);
    hosts[0].memory_bytes = 2u * GB;
    check(steps, 2);
    assert_int_equal(c.nsteps, 2);
    assert_int_equal(c.steps[0].seat, 5);
    assert_int_equal(c.steps[1].seat, 0);
    seats[5].host = 3;
    works[3].flags = HCT_WORK_MOVABLE | HCT_WORK_SUSPENDED;
}

static void test_per_node(void **state)
{
    static const struct hct_plan_step one[] = { STEP(MOVE, 0, 0, 1) };
    static const struct hct_plan_step both[] = { STEP(MOVE, 0, 0, 1),
                                                 STEP(MOVE, 0, 1, 3) };

    (void)state;
    works[0].per_node = 1;
    check(one, 1);
    assert_int_equal(c.refused[CHECKED_FULL], 1);
    check(both, 2);
    assert_int_equal(c.nsteps, 2);
    assert_int_equal(c.steps[0].seat, 1);
    works[0].per_node = 0;
}

/* Node 1 has a task, and takes one by moves: none comes there but where one of its own
 * job leaves, before or behind it in the plan; or of a job that may crowd. */
static void test_tasks_max(void **state)
{
    static const struct hct_plan_step one[] = { STEP(MOVE, 0, 0, 1) };
    static const struct hct_plan_step both[] = { STEP(MOVE, 0, 0, 1),
                                                 STEP(MOVE, 0, 1, 3) };
    static const struct hct_plan_step other[] = { STEP(MOVE, 2, 4, 1),
                                                  STEP(MOVE, 0, 1, 3) };
    static const struct hct_plan_step stuck[] = { STEP(MOVE, 0, 0, 1),
                                                  STEP(MOVE, 0, 1, 2) };

    (void)state;
    hosts[1].tasks_max = 1;
    check(one, 1);
    assert_int_equal(c.refused[CHECKED_FULL], 1);
    check(both, 2);
    assert_int_equal(c.nsteps, 2);
    assert_int_equal(c.steps[0].seat, 0);
    works[2].flags = HCT_WORK_MOVABLE;
    check(other, 2);            /* that of another job has to leave first */
    assert_int_equal(c.nsteps, 2);
    assert_int_equal(c.steps[0].seat, 1);
    works[2].flags = 0;
    check(stuck, 2);            /* the other one does not leave */
    assert_int_equal(c.refused[CHECKED_DRAINING], 1);
    assert_int_equal(c.refused[CHECKED_FULL], 1);
    works[0].crowds = 1;
    check(one, 1);
    assert_int_equal(c.nsteps, 1);
    works[0].crowds = 0;
    hosts[1].tasks_max = 2;
    check(one, 1);
    assert_int_equal(c.nsteps, 1);
    hosts[1].tasks_max = 0;
}

/* Two jobs on nodes without a place for one more: neither can be first. */
static void test_tasks_max_circle(void **state)
{
    static const struct hct_plan_step steps[] = { STEP(MOVE, 0, 0, 1),
                                                  STEP(MOVE, 2, 4, 0) };
    static const struct hct_plan_step alike[] = { STEP(MOVE, 0, 0, 1),
                                                  STEP(MOVE, 0, 1, 0) };
    static const struct hct_traffic talk = { .a = 0, .b = 1, .bytes_s = 1 };

    (void)state;
    works[2].flags = HCT_WORK_MOVABLE;
    seats[4].host = 1;
    hosts[0].tasks_max = 1;
    hosts[1].tasks_max = 2;
    check(steps, 2);
    assert_int_equal(c.refused[CHECKED_CYCLE], 2);
    hosts[0].tasks_max = 2;     /* room on one of them */
    check(steps, 2);
    assert_int_equal(c.nsteps, 2);
    assert_int_equal(c.steps[0].seat, 4);
    hosts[0].tasks_max = 1;     /* of one job, at once */
    in.ntraffic = 1;
    in.traffic = &talk;
    check(alike, 2);
    assert_int_equal(c.nsteps, 2);
    in.ntraffic = 0;
    in.traffic = NULL;
    hosts[0].tasks_max = hosts[1].tasks_max = 0;
    seats[4].host = 3;
    works[2].flags = 0;
}

/* A job is placed whatever moves may do. */
static void test_tasks_max_places(void **state)
{
    static const struct hct_plan_step steps[] = { STEP(PLACE, 1, 2, 0),
                                                  STEP(PLACE, 1, 3, 1) };

    (void)state;
    hosts[0].tasks_max = hosts[1].tasks_max = 1;
    check(steps, 2);
    assert_int_equal(c.nsteps, 2);
    hosts[0].tasks_max = hosts[1].tasks_max = 0;
}

/* ------------------------------------------------- an optimizer of that kind */

static bool nonsense, gives_up, boasts, sane;

static size_t mine_bytes(const struct hct_system *s)
{
    (void)s;
    return 0;
}

static int mine_plan(void *state, const struct hct_system *s,
                     struct hct_plan *out)
{
    (void)state;
    (void)s;
    if (nonsense)
        hct_plan_add(out, HCT_PLAN_MOVE)->host = 99;
    if (sane)
        hct_plan_add(out, HCT_PLAN_RESUME)->work = 3;
    for (uint32_t i = 0; boasts && i < 100; i++)
        hct_plan_add(out, HCT_PLAN_RESUME);
    return gives_up;
}

static const struct hct_optimizer mine = {
    .major = HCT_OPTIMIZER_MAJOR, .minor = HCT_OPTIMIZER_MINOR, .name = "mine",
    .state_bytes = mine_bytes, .plan = mine_plan,
};

static void test_switched_off(void **state)
{
    struct optimizer o = { .o = &mine };
    struct err err;

    (void)state;
    /* One that has nothing to say makes none of them good. */
    for (const char *now = "N-NSN-NN"; *now; now++) {
        nonsense = *now == 'N';
        sane = *now == 'S';
        assert_false(o.off);
        assert_int_equal(optimizer_plan(&o, &in, &err), 0);
    }
    sane = false;
    assert_true(o.off);
    assert_int_equal(o.refused[CHECKED_TASK], 5);
    assert_int_equal(o.plan.nsteps, 0);
    assert_non_null(strstr(o.why, "a task or job that there is not"));
    assert_int_equal(optimizer_plan(&o, &in, &err), 0);
    assert_int_equal(o.plans, 8);       /* it is not asked any more */
    optimizer_close(&o);

    o = (struct optimizer){ .o = &mine };
    nonsense = false;
    boasts = true;
    assert_int_equal(optimizer_plan(&o, &in, &err), 0);
    assert_int_equal(o.lost, 100 - 12);
    optimizer_close(&o);

    o = (struct optimizer){ .o = &mine };
    boasts = false;
    gives_up = true;
    assert_int_equal(optimizer_plan(&o, &in, &err), 0);
    assert_true(o.off);
    assert_string_equal(o.why, "it says that it cannot go on (1)");
    optimizer_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_full_circle),
        cmocka_unit_test(test_per_node),
        cmocka_unit_test(test_tasks_max),
        cmocka_unit_test(test_tasks_max_circle),
        cmocka_unit_test(test_tasks_max_places),
        cmocka_unit_test(test_switched_off),
    };
    int rc;

    cmocka_set_message_output(CM_OUTPUT_TAP);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    checked_fini(&c);
    return rc;
}
