/* test_optimizer.c - what balance and stay plan: in systems made by hand, and in a
 * thousand that are drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "master/state/place.h"
#include "proto/plan/optimizer.h"
#include "tests/unit/plan_draw.h"

enum { SYSTEMS = 1000 };

static struct optimizer balance, stay;

static int open_both(void **state)
{
    struct err err;

    (void)state;
    return optimizer_open(&balance, "balance", &err) ||
           optimizer_open(&stay, "stay", &err);
}

static int close_both(void **state)
{
    (void)state;
    optimizer_close(&balance);
    optimizer_close(&stay);
    return 0;
}

static uint32_t plan(struct optimizer *o, const struct hct_system *in)
{
    struct err err;

    assert_int_equal(optimizer_plan(o, in, &err), 0);
    assert_string_equal(o->why, "");
    assert_int_equal(o->plan.nrefused, 0);
    assert_false(o->off);
    return o->plan.nsteps;
}

/* ------------------------------------------------------------ made by hand */

static struct hct_host hosts[4];
static struct hct_work works[2];
static struct hct_seat seats[8];
static struct hct_traffic traffic[4];
static struct hct_system in;

/* Nodes of two processors, the first of half the speed, with a job of two tasks
 * on it that has an hour to go. */
static uint32_t tasks_max;

static void begin(void)
{
    for (uint32_t i = 0; i < 4; i++)
        hosts[i] = (struct hct_host){ .id = i, .slots = 2,
                                      .speed = i ? 1 : 0.5,
                                      .tasks_max = tasks_max };
    works[0] = (struct hct_work){ .id = 1, .ntasks = 2, .rest_s = 3600,
                                  .flags = HCT_WORK_MOVABLE, .margin = 1 };
    for (uint32_t i = 0; i < 8; i++)
        seats[i] = (struct hct_seat){ .rank = i, .wants = 1 };
    in = (struct hct_system){
        .size = sizeof(in), .seq = 1, .move_s = 1, .move_bytes_s = 1e8,
        .nhosts = 2, .host_size = sizeof(*hosts), .hosts = hosts,
        .nworks = 1, .work_size = sizeof(*works), .works = works,
        .nseats = 2, .seat_size = sizeof(*seats), .seats = seats,
        .traffic_size = sizeof(*traffic), .traffic = traffic };
}

/* Each of the two alone would gain nothing. */
static void test_faster_node(void **state)
{
    (void)state;
    begin();
    assert_int_equal(plan(&balance, &in), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct hct_plan_step *s = &balance.plan.steps[i];

        assert_int_equal(s->kind, HCT_PLAN_MOVE);
        assert_int_equal(s->seat, i);
        assert_int_equal(s->host, 1);
        /* 7200 s become 3600 s, of two tasks, by two moves. */
        assert_true(fabs(s->gain_s - 3600) < 1e-6);
        assert_true(fabs(s->cost_s - 2) < 1e-6);
        assert_string_equal(s->why, "a faster node");
    }
    assert_int_equal(plan(&stay, &in), 0);
}

/* 4 s of processors are the cost of two moves of this job; what they gain is as
 * much as its rest, for each of its tasks. */
static void test_gain_and_cost(void **state)
{
    (void)state;
    begin();
    works[0].rest_s = 4.01;
    assert_int_equal(plan(&balance, &in), 2);
    works[0].rest_s = 3.99;
    assert_int_equal(plan(&balance, &in), 0);
    works[0].rest_s = 0;        /* as long as it has lasted */
    works[0].used_s = 4.01;
    assert_int_equal(plan(&balance, &in), 2);
    works[0].used_s = 3.99;
    assert_int_equal(plan(&balance, &in), 0);
    works[0].rest_s = 8;        /* images take another second each */
    works[0].image_bytes = 100000000;
    assert_int_equal(plan(&balance, &in), 0);
    works[0].rest_s = 8.1;
    assert_int_equal(plan(&balance, &in), 2);
}

static void test_who_may_not(void **state)
{
    (void)state;
    begin();
    works[0].flags = 0;
    assert_int_equal(plan(&balance, &in), 0);
    works[0].flags = HCT_WORK_MOVABLE | HCT_WORK_MOVING;
    assert_int_equal(plan(&balance, &in), 0);
    works[0].flags = HCT_WORK_MOVABLE;
    works[0].features = 2;
    hosts[0].features = 2;
    assert_int_equal(plan(&balance, &in), 0);
    hosts[1].features = 3;
    assert_int_equal(plan(&balance, &in), 2);
    hosts[1].flags = HCT_HOST_DRAINING;
    assert_int_equal(plan(&balance, &in), 0);
    hosts[1].flags = 0;
    hosts[1].memory_bytes = 1 << 20;
    seats[0].memory_bytes = seats[1].memory_bytes = (1 << 19) + 1;
    assert_int_equal(plan(&balance, &in), 0);
    seats[1].memory_bytes = 1 << 18;
    assert_int_equal(plan(&balance, &in), 2);
    works[0].per_node = 1;
    assert_int_equal(plan(&balance, &in), 0);
}

/* Others are served by the node, too: what they lose counts. */
static void test_others(void **state)
{
    (void)state;
    begin();
    hosts[1].load = 2;          /* half a processor is left for each */
    assert_int_equal(plan(&balance, &in), 0);
    hosts[1].load = 0;
    works[1] = works[0];
    works[1].first = 2;
    works[1].flags = 0;
    seats[2] = seats[3] = (struct hct_seat){ .work = 1, .host = 1, .wants = 1 };
    in.nworks = 2;
    in.nseats = 4;
    works[1].rest_s = 36000;
    assert_int_equal(plan(&balance, &in), 0);
    seats[2].wants = seats[3].wants = 0.1;
    works[1].rest_s = 0;        /* it has none: nothing is lost */
    assert_int_equal(plan(&balance, &in), 2);
}

static void test_nearer(void **state)
{
    (void)state;
    begin();
    hosts[0].speed = 1;
    in.nhosts = 3;
    seats[1].host = 1;
    assert_int_equal(plan(&balance, &in), 0);
    traffic[0] = (struct hct_traffic){ 0, 1, 1e7 };
    in.ntraffic = 1;
    /* 36 s of a processor, more than four times a move. */
    assert_int_equal(plan(&balance, &in), 1);
    traffic[0].bytes_s = 1e6;   /* 3.6 s are less */
    assert_int_equal(plan(&balance, &in), 0);
}

/* Two full nodes: tasks change places. */
static void test_changes(void **state)
{
    (void)state;
    begin();
    hosts[0].speed = 1;
    works[0].ntasks = in.nseats = 4;
    seats[1].host = seats[3].host = 1;
    traffic[0] = (struct hct_traffic){ 0, 1, 1e8 };
    traffic[1] = (struct hct_traffic){ 2, 3, 1e8 };
    in.ntraffic = 2;
    assert_int_equal(plan(&balance, &in), 2);
    for (uint32_t i = 0; i < 2; i++)
        seats[balance.plan.steps[i].seat].host = balance.plan.steps[i].host;
    assert_int_equal(seats[0].host, seats[1].host);
    assert_int_equal(seats[2].host, seats[3].host);
    assert_int_not_equal(seats[0].host, seats[2].host);
    assert_int_equal(plan(&balance, &in), 0);
}

/* ... also where moves lead to no more tasks: there are as many as before. */
static void test_changes_where_full(void **state)
{
    tasks_max = 2;
    test_changes(state);
    tasks_max = 0;
}

/* ... and of those that are not alike, as those of real jobs are. */
static void test_changes_unlike(void **state)
{
    (void)state;
    tasks_max = 2;
    begin();
    tasks_max = 0;
    hosts[0].speed = 1;
    works[0].ntasks = in.nseats = 4;
    seats[1].host = seats[3].host = 1;
    for (uint32_t i = 0; i < 4; i++) {
        seats[i].wants = 0.4 + 0.1 * i;
        seats[i].memory_bytes = 1000 + i;
    }
    traffic[0] = (struct hct_traffic){ 0, 1, 1e8 };
    traffic[1] = (struct hct_traffic){ 2, 3, 1e8 };
    in.ntraffic = 2;
    assert_int_equal(plan(&balance, &in), 2);
    for (uint32_t i = 0; i < 2; i++)
        seats[balance.plan.steps[i].seat].host = balance.plan.steps[i].host;
    assert_int_equal(seats[0].host, seats[1].host);
    assert_int_equal(seats[2].host, seats[3].host);
    assert_int_equal(plan(&balance, &in), 0);
}

/* Room there is, but as many tasks as moves may lead to. */
static void test_full(void **state)
{
    (void)state;
    begin();
    hosts[1].slots = 4;
    works[1] = (struct hct_work){ .id = 2, .first = 2, .ntasks = 1,
                                  .rest_s = 3600, .margin = 1 };
    seats[2] = (struct hct_seat){ .work = 1, .host = 1, .wants = 1 };
    in.nworks = 2;
    in.nseats = 3;
    assert_int_equal(plan(&balance, &in), 2);
    hosts[1].tasks_max = 3;
    assert_int_equal(plan(&balance, &in), 2);
    hosts[1].tasks_max = 2;     /* one of the two alone gains nothing */
    assert_int_equal(plan(&balance, &in), 0);
    works[0].crowds = 1;
    assert_int_equal(plan(&balance, &in), 2);
    works[0].crowds = 0;
    works[0].flags = HCT_WORK_WAITING;  /* who is placed has other rules */
    seats[0].host = seats[1].host = HCT_NOWHERE;
    assert_int_equal(plan(&balance, &in), 2);
    assert_int_equal(balance.plan.steps[0].host, 1);
    assert_int_equal(balance.plan.steps[1].host, 1);
}

static void test_leave(void **state)
{
    static const uint32_t flags[] = { HCT_HOST_OWNER, HCT_HOST_DRAINING };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin();
        hosts[0].speed = 1;
        hosts[0].flags = flags[i];
        assert_int_equal(plan(&balance, &in), 2);
        assert_string_equal(balance.plan.steps[0].why,
                            i ? "it is to be empty" : "its owner is there");
    }
}

/* The more important one gets the faster node. */
static void test_places(void **state)
{
    (void)state;
    begin();
    works[0].flags = HCT_WORK_WAITING;
    works[1] = works[0];
    works[1].first = 2;
    works[1].priority = 1;
    for (uint32_t i = 0; i < 4; i++)
        seats[i] = (struct hct_seat){ .work = i / 2, .host = HCT_NOWHERE,
                                      .wants = 1 };
    in.nworks = 2;
    in.nseats = 4;
    assert_int_equal(plan(&balance, &in), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(balance.plan.steps[i].kind, HCT_PLAN_PLACE);
        assert_int_equal(balance.plan.steps[i].host,
                         balance.plan.steps[i].seat / 2);
    }
    hosts[1].flags = hosts[0].flags = HCT_HOST_DRAINING;
    assert_int_equal(plan(&balance, &in), 0);
    assert_int_equal(plan(&stay, &in), 0);
}

/* ----------------------------------------------------------------- drawn */

/* What all jobs that run hold of processors until they end, and their traffic:
 * written down once more, from the system alone. */
static double total(const struct drawn *d, const uint8_t *counts)
{
    double *demand = calloc(d->in.nhosts, sizeof(*demand)), all_s = 0;

    for (uint32_t i = 0; i < d->in.nhosts; i++)
        demand[i] = d->hosts[i].load;
    for (uint32_t i = 0; i < d->in.nseats; i++)
        if (d->seats[i].host != HCT_NOWHERE &&
            !(d->works[d->seats[i].work].flags & HCT_WORK_SUSPENDED))
            demand[d->seats[i].host] += d->seats[i].wants;
    for (uint32_t i = 0; i < d->in.nworks; i++) {
        const struct hct_work *w = &d->works[i];
        double rest_s = w->rest_s > 0 ? w->rest_s : w->used_s, pace = INFINITY;

        for (uint32_t k = 0; k < w->ntasks && counts[i]; k++) {
            uint32_t host = d->seats[w->first + k].host;
            const struct hct_host *h = &d->hosts[host];

            pace = fmin(pace, h->speed / (h->flags ? 1024 : 1) *
                        fmin(1, h->slots / demand[host]));
        }
        if (counts[i])
            all_s += w->ntasks * rest_s / pace;
        for (uint32_t k = 0; k < d->in.ntraffic && counts[i]; k++) {
            const struct hct_traffic *t = &d->traffic[k];

            if (d->seats[t->a].work == i &&
                d->seats[t->a].host != d->seats[t->b].host)
                all_s += t->bytes_s * 1e-9 * rest_s;
        }
    }
    free(demand);
    return all_s;
}

static void draw(struct drawn *d, uint64_t seed)
{
    drawn_open(d, seed, 2 + (uint32_t)(seed % 37), 10 + (uint32_t)(seed % 251),
               1 + (uint32_t)(seed % 23));
}

/* ... where moves lead to no more tasks than a node has processors, but on some
 * nodes, and of some jobs. */
static void draw_limited(struct drawn *d, uint64_t seed)
{
    draw(d, seed);
    for (uint32_t i = 0; i < d->in.nhosts; i++) {
        d->hosts[i].tasks_max = i % 5 ? d->hosts[i].slots : 0;
        d->hosts[i].memory_bytes = 0;
    }
    for (uint32_t i = 0; i < d->in.nworks; i++)
        d->works[i].crowds = i % 7 == 0;
}

/* Of jobs that run and do not crowd, on each node. */
static void count_tasks(const struct drawn *d, uint32_t *count)
{
    memset(count, 0, d->in.nhosts * sizeof(*count));
    for (uint32_t i = 0; i < d->in.nseats; i++) {
        const struct hct_work *w = &d->works[d->seats[i].work];
        uint32_t host = d->seats[i].host;

        if (host != HCT_NOWHERE && !(w->flags & HCT_WORK_WAITING) && !w->crowds)
            count[host]++;
    }
}

/* No move leads to a full node, but as many may come as leave it. Where no node has a
 * place left moves may be in the way of each other: in a few of a thousand systems some
 * cannot be done. */
static void test_limits(void **state)
{
    uint64_t moves = 0, full = 0, refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        uint32_t before[64], after[64];
        struct drawn d;
        struct err err;

        draw_limited(&d, seed);
        assert_int_equal(optimizer_plan(&balance, &d.in, &err), 0);
        balance.wrong = 0;
        if (balance.plan.nrefused) {
            refused++;
            drawn_close(&d);
            continue;
        }
        count_tasks(&d, before);
        for (uint32_t i = 0; i < balance.plan.nsteps; i++) {
            const struct hct_plan_step *s = &balance.plan.steps[i];

            if (s->kind == HCT_PLAN_MOVE)
                d.seats[s->seat].host = s->host;
            moves += s->kind == HCT_PLAN_MOVE;
        }
        count_tasks(&d, after);
        for (uint32_t i = 0; i < d.in.nhosts; i++) {
            uint32_t most = d.hosts[i].tasks_max;

            full += most && before[i] >= most;
            if (most && after[i] > most && after[i] > before[i])
                fail_msg("seed %u: %u tasks on node %u, of %u at most",
                         (unsigned)seed, after[i], i, most);
        }
        drawn_apply(&d, balance.plan.steps, balance.plan.nsteps);
        assert_int_equal(plan(&balance, &d.in), 0);
        drawn_close(&d);
    }
    assert_true(moves > SYSTEMS);
    assert_true(full > SYSTEMS);
    assert_true(refused <= SYSTEMS / 200);
}

/* Places jobs first, so that what moves gain is not mixed with what new ones
 * take away. */
static bool settle_waiting(struct drawn *d)
{
    bool all = true;

    plan(&stay, &d->in);
    drawn_apply(d, stay.plan.steps, stay.plan.nsteps);
    for (uint32_t i = 0; i < d->in.nworks; i++)
        all &= !(d->works[i].flags & HCT_WORK_WAITING);
    return all;
}

/* Shown its own result, it has nothing more to say. In number 2161 tasks of a job that
 * are alike are exchanged at the end, and others of it are heavier. */
static void test_again(void **state)
{
    uint64_t moves = 0, places = 0;

    (void)state;
    for (uint64_t n = 1; n <= SYSTEMS + 1; n++) {
        uint64_t seed = n <= SYSTEMS ? n : 2161;
        struct drawn d;

        draw(&d, seed);
        plan(&balance, &d.in);
        for (uint32_t i = 0; i < balance.plan.nsteps; i++) {
            moves += balance.plan.steps[i].kind == HCT_PLAN_MOVE;
            places += balance.plan.steps[i].kind == HCT_PLAN_PLACE;
        }
        drawn_apply(&d, balance.plan.steps, balance.plan.nsteps);
        if (plan(&balance, &d.in))
            fail_msg("seed %u: %u steps more", (unsigned)seed,
                     balance.plan.nsteps);
        drawn_close(&d);
    }
    assert_true(moves > 10 * SYSTEMS);
    assert_true(places > SYSTEMS);
}

/* All of the moves gain more than twice what all of them cost, and no less than
 * they say. */
static void test_worth(void **state)
{
    uint64_t tried = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        double before_s, after_s, gain_s = 0, cost_s = 0;
        uint8_t *counts;
        struct drawn d;

        draw(&d, seed);
        counts = calloc(d.in.nworks, 1);
        if (!settle_waiting(&d)) {
            drawn_close(&d);
            free(counts);
            continue;
        }
        for (uint32_t i = 0; i < d.in.nworks; i++)
            counts[i] = d.works[i].ntasks > 0 &&
                        !(d.works[i].flags & HCT_WORK_SUSPENDED);
        before_s = total(&d, counts);
        plan(&balance, &d.in);
        for (uint32_t i = 0; i < balance.plan.nsteps; i++) {
            gain_s += balance.plan.steps[i].gain_s;
            cost_s += balance.plan.steps[i].cost_s;
        }
        drawn_apply(&d, balance.plan.steps, balance.plan.nsteps);
        after_s = total(&d, counts);
        /* Demands are rounded to a thousandth of a processor. */
        if (before_s - after_s < gain_s - 2e-2 * before_s || gain_s < 2 * cost_s)
            fail_msg("seed %u: %g s become %g s, said %g, cost %g",
                     (unsigned)seed, before_s, after_s, gain_s, cost_s);
        tried += balance.plan.nsteps > 0;
        drawn_close(&d);
        free(counts);
    }
    assert_true(tried > SYSTEMS / 4);
}

/* Where no task sends any other anything, and all of a job are alike, one comes to
 * where another has left only for nothing: such steps are refused. Number 236 is a
 * system in which the search goes that way. */
static void test_no_circles(void **state)
{
    uint64_t moves = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct drawn d;

        drawn_open(&d, seed, 2 + (uint32_t)(seed % 37),
                   10 + (uint32_t)(seed % 151), 1 + (uint32_t)(seed % 33));
        d.in.ntraffic = 0;
        for (uint32_t i = 0; i < d.in.nseats; i++)
            d.seats[i].wants = 1;
        for (uint32_t i = 0; i < d.in.nhosts; i++)
            d.hosts[i].memory_bytes = 0;
        plan(&balance, &d.in);
        for (uint32_t i = 0; i < balance.plan.nsteps; i++)
            moves += balance.plan.steps[i].kind == HCT_PLAN_MOVE;
        drawn_apply(&d, balance.plan.steps, balance.plan.nsteps);
        assert_int_equal(plan(&balance, &d.in), 0);
        drawn_close(&d);
    }
    assert_true(moves > 1000);
}

static void test_same_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct hct_plan_step *first;
        struct drawn d;
        uint32_t n;

        draw(&d, seed);
        n = plan(&balance, &d.in);
        first = balance.plan.steps;
        balance.plan.steps = NULL;
        assert_int_equal(plan(&balance, &d.in), n);
        assert_memory_equal(first, balance.plan.steps, n * sizeof(*first));
        free(first);
        drawn_close(&d);
    }
}

/* One job after the other, as master/state/place.c places them. */
static void test_stay_as_master(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct drawn d;
        struct place_host as[64] = { { 0 } };
        uint32_t at = 0, host_of[512], count[64];

        draw(&d, seed);
        for (uint32_t i = 0; i < d.in.nhosts; i++) {
            d.hosts[i].memory_bytes = 0;
            d.hosts[i].flags = 0;
            as[i].slots = d.hosts[i].slots;
        }
        for (uint32_t i = 0; i < d.in.nseats; i++)
            if (d.seats[i].host != HCT_NOWHERE)
                as[d.seats[i].host].used++;
        for (uint32_t i = 0; i < d.in.nworks; i++)
            d.works[i].features = 0;
        plan(&stay, &d.in);
        for (uint32_t i = 0; i < d.in.nworks; i++) {
            struct place_wish wish = { d.works[i].ntasks, false,
                                       d.works[i].per_node };

            if (!(d.works[i].flags & HCT_WORK_WAITING) ||
                place_tasks(&wish, as, d.in.nhosts, host_of, count, NULL))
                continue;
            for (uint32_t k = 0; k < wish.ntasks; k++, at++) {
                assert_int_equal(stay.plan.steps[at].seat,
                                 d.works[i].first + k);
                assert_int_equal(stay.plan.steps[at].host, host_of[k]);
                as[host_of[k]].used++;
            }
        }
        assert_int_equal(at, stay.plan.nsteps);
        drawn_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faster_node),
        cmocka_unit_test(test_gain_and_cost),
        cmocka_unit_test(test_who_may_not),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_nearer),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_changes_where_full),
        cmocka_unit_test(test_changes_unlike),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_leave),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_worth),
        cmocka_unit_test(test_no_circles),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stay_as_master),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_both, close_both);
}
