/* test_stop.c - the stop of a running MPI job: rule by rule, on pages made by
 * hand, and whole, on random programs in a model of MPI.
 *
 *   test_stop [SEEDS [FIRST]]    so many programs, else 20,000, or 5,000 where each
 *                                access is looked at
 *   test_stop -s SEED            one of them, and how it ends */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/move/stop.h"
#include "proto/base/asan.h"
#include "tests/unit/machine_sound.h"
#include "tests/unit/stop_sim.h"

enum { TASKS = 6, COMMS = 4 };
#define MS 1000000ull
#define WORLD 1
#define ROW 2           /* of tasks 0 and 1, and of 2 and 3: ROW + 1 */

/* ------------------------------------------------------ pages made by hand */

static struct stop_task task[TASKS];
static struct stop_comm comm[TASKS][COMMS];
static struct stop *stop;
static const struct stop_orders *orders;
static uint64_t now_ns, looks;
static bool is_deaf;            /* pages do not get orders */

static void begin_with(uint32_t ntasks, const struct stop_options *options)
{
    stop_destroy(stop);
    stop = stop_create(ntasks, COMMS, options, NULL);
    assert_non_null(stop);
    orders = NULL;
    now_ns = 1000 * MS;
    looks = 0;
    is_deaf = false;
    memset(task, 0, sizeof(task));
    memset(comm, 0, sizeof(comm));
    for (uint32_t i = 0; i < ntasks; i++) {
        task[i] = (struct stop_task){ .comms = comm[i], .ncomms = 2,
                                      .where = STOP_AT_USER };
        comm[i][0] = (struct stop_comm){ .id = WORLD, .size = ntasks };
        comm[i][1] = (struct stop_comm){ .id = ROW + i / 2, .size = 2 };
    }
}

static void begin(uint32_t ntasks)
{
    begin_with(ntasks, &(struct stop_options){ 0 });
}

/* The pages get the orders, and are read. */
static void step(uint64_t after_ns, uint32_t ntasks)
{
    struct stop_look look = { .tasks = task, .ntasks = ntasks,
                              .number = ++looks };

    look.now_ns = now_ns += after_ns;
    for (uint32_t i = 0; i < ntasks && orders && !is_deaf; i++) {
        task[i].order = orders->number;
        for (uint32_t k = 0; k < task[i].ncomms; k++)
            for (uint32_t r = 0; r < orders->nraises; r++)
                if (comm[i][k].id == orders->raises[r].comm)
                    comm[i][k].target = orders->raises[r].number;
    }
    orders = stop_step(stop, &look);
}

static void at(uint32_t rank, enum stop_where where, int32_t peer)
{
    task[rank].where = where;
    task[rank].peer = peer;
}

static void held(uint32_t rank, uint32_t gate)
{
    task[rank].where = STOP_AT_HELD;
    task[rank].gate = gate;
}

static void all_at(uint32_t ntasks, enum stop_where where)
{
    for (uint32_t i = 0; i < ntasks; i++)
        at(i, where, STOP_NONE);
}

static void assert_raise(uint64_t id, uint64_t number)
{
    assert_int_equal(orders->nraises, 1);
    assert_int_equal(orders->raises[0].comm, id);
    assert_int_equal(orders->raises[0].number, number);
}

static void assert_state(enum stop_state state, enum stop_want want)
{
    assert_string_equal(machine_state(&stop_state_machine, orders->state),
                        machine_state(&stop_state_machine, state));
    assert_int_equal(orders->want, want);
}

/* All of n tasks stand, nothing was ever entered: it drains from here. */
static void begin_draining(uint32_t n)
{
    begin(n);
    step(0, n);
    step(MS, n);
    all_at(n, STOP_AT_FROZEN);
    step(MS, n);
    assert_state(STOP_DRAINING, STOP_WANT_DRAIN);
}

/* --------------------------------------------------------------- the states */

static const char letters[] = "qftdsg";
static const char *const table[STOP_STATE_COUNT] = {
    /* met frozen slipped late thawed drained give_up */
    [STOP_QUIESCING] = "f.....g",
    [STOP_FREEZING] = ".dtt..g",
    [STOP_THAWING] = "....q.g",
    [STOP_DRAINING] = "..t..sg",
    [STOP_STOPPED] = ".......",
    [STOP_GIVEN_UP] = ".......",
};

static void test_edges(void **state)
{
    (void)state;
    for (int s = 0; s < STOP_STATE_COUNT; s++)
        for (int e = 0; e < STOP_EVENT_COUNT; e++) {
            enum stop_state next = STOP_STATE_COUNT;
            struct err err;
            int rc = stop_state_next(s, e, &next, &err);

            assert_int_equal(rc, table[s][e] == '.' ? -1 : 0);
            if (rc == 0)
                assert_int_equal(letters[next], table[s][e]);
            else
                assert_non_null(strstr(err.text, "a stop"));
        }
    assert_sound(&stop_state_machine);
    assert_int_equal(stop_state_want(STOP_STOPPED), STOP_WANT_DRAIN);
    assert_int_equal(stop_state_want(STOP_GIVEN_UP), STOP_WANT_RUN);
    assert_int_equal(stop_state_want(STOP_STATE_COUNT), STOP_WANT_RUN);
}

/* ---------------------------------------------------------------- quiescing */

/* The target is the highest number that a member has entered, for those who
 * have not; whoever is there already need not be told. */
static void test_target(void **state)
{
    (void)state;
    begin(4);
    comm[0][0].entered = 5;
    comm[1][0].entered = comm[3][0].entered = 4;
    comm[2][0].entered = 3;
    step(0, 4);
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    assert_int_equal(orders->number, 1);
    assert_raise(WORLD, 5);
    step(MS, 4);
    assert_int_equal(orders->nraises, 0);
    assert_int_equal(orders->number, 1);
    /* Somebody had passed the gate before it saw the word. */
    comm[2][0].entered = 5;
    comm[3][0].entered = 6;
    step(MS, 4);
    assert_raise(WORLD, 6);
    for (int i = 0; i < 4; i++)
        comm[i][0].entered = 6;
    at(2, STOP_AT_COLLECTIVE, STOP_NONE);
    step(MS, 4);
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    at(2, STOP_AT_USER, STOP_NONE);
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
    assert_int_equal(orders->pushed + orders->tried + orders->retreats, 0);
}

/* Nothing follows from pages that may not have the word. */
static void test_word_first(void **state)
{
    (void)state;
    begin(4);
    is_deaf = true;
    for (int i = 0; i < 4; i++) {
        step(MS, 4);
        assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    }
    is_deaf = false;
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
    is_deaf = true;
    all_at(4, STOP_AT_FROZEN);
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
    is_deaf = false;
    step(MS, 4);
    assert_state(STOP_DRAINING, STOP_WANT_DRAIN);
    is_deaf = true;
    for (int i = 0; i < 4; i++)
        step(MS, 4);
    assert_state(STOP_DRAINING, STOP_WANT_DRAIN);
}

/* Held at one communicator, while its target on another one is open. */
static void test_held_behind(void **state)
{
    (void)state;
    begin(4);
    comm[0][0].entered = comm[2][0].entered = comm[3][0].entered = 1;
    held(1, 1);
    at(0, STOP_AT_COLLECTIVE, STOP_NONE);
    step(0, 4);
    assert_raise(WORLD, 1);         /* one look may be of two moments */
    step(1000, 4);
    assert_raise(ROW, 1);
    assert_int_equal(orders->pushed, 1);
    step(1000, 4);                  /* it does not know yet */
    assert_int_equal(orders->pushed, 1);
}

/* 0 lags and waits for 1, 1 for 2, which is held; 3 is held, too. */
static void begin_owing(void)
{
    begin(6);
    for (int i = 0; i < 6; i++)
        comm[i][0].entered = 1;
    comm[0][0].entered = 0;
    at(0, STOP_AT_WAITING, 1);
    at(1, STOP_AT_WAITING, 2);
    held(2, 1);
    held(4, 1);
    at(5, STOP_AT_COLLECTIVE, STOP_NONE);
    step(0, 6);
    assert_raise(WORLD, 1);
}

static void test_waits(void **state)
{
    (void)state;
    begin_owing();
    step(1900000, 6);               /* too early to say */
    assert_int_equal(orders->pushed, 0);
    task[3].sent++;                 /* who is elsewhere may move */
    step(200000, 6);
    assert_raise(ROW + 1, 1);
    assert_int_equal(orders->pushed, 1);
    for (int i = 0; i < 20; i++) {
        step(MS, 6);
        task[3].sent++;
    }
    assert_int_equal(orders->pushed, 1);
    assert_int_equal(orders->tried, 0);
    /* It has gone through one, and owes the next one. */
    comm[2][1].entered = comm[3][1].entered = 1;
    step(MS, 6);
    assert_int_equal(orders->pushed, 1);
    step(2 * MS, 6);
    assert_raise(ROW + 1, 2);
    /* Somebody on the way moves. */
    begin_owing();
    for (int i = 0; i < 20; i++) {
        step(MS, 6);
        task[1].received++;
    }
    assert_int_equal(orders->pushed, 0);
    /* The last one on the way computes. */
    begin_owing();
    at(2, STOP_AT_USER, STOP_NONE);
    for (int i = 0; i < 200; i++)
        step(MS, 6);
    assert_int_equal(orders->pushed + orders->tried, 0);
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
}

/* Whoever is held may owe to who takes anything: one after the other. */
static void test_anybody(void **state)
{
    static const uint64_t turns[] = { ROW, ROW + 1, ROW + 2, ROW };

    (void)state;
    begin(6);
    for (int i = 0; i < 6; i++)
        comm[i][0].entered = i != 5;
    at(5, STOP_AT_WAITING, STOP_ANY);
    held(0, 1);
    held(3, 1);
    held(4, 1);
    step(0, 6);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t last = orders->tried;

        for (int k = 0; k < 3 && orders->tried == last; k++)
            step(MS, 6);
        assert_int_equal(orders->tried, i + 1);
        assert_raise(turns[i], i == 3 ? 2 : 1);
        /* Those who meet there go through, and are held at the next one. */
        for (int k = 0; k < 5; k++)
            if (comm[k][1].id == turns[i])
                comm[k][1].entered = orders->raises[0].number;
        if (turns[i] == ROW + 2)
            comm[5][1].entered = 1;
    }
    assert_int_equal(orders->pushed, 0);
}

/* It calls MPI all the time and gets nothing: after a while that is as good as
 * to wait. Who calls nothing computes. */
static void test_polls(void **state)
{
    (void)state;
    for (int polls = 0; polls < 2; polls++) {
        begin(4);
        comm[0][0].entered = comm[2][0].entered = comm[3][0].entered = 1;
        held(2, 1);
        for (int i = 0; i < 300; i++) {
            step(MS, 4);
            task[1].calls += (uint64_t)polls;
            at(1, i % 2 ? STOP_AT_USER : STOP_AT_LIBRARY, STOP_NONE);
            assert_int_equal(orders->tried, polls && i >= 100);
        }
        assert_int_equal(orders->pushed, 0);
    }
}

static void test_circle(void **state)
{
    char text[STOP_WHY_TEXT];

    (void)state;
    begin(6);
    for (int i = 0; i < 6; i++)
        comm[i][0].entered = 1;
    comm[0][0].entered = comm[4][0].entered = 0;
    at(0, STOP_AT_WAITING, 1);
    at(1, STOP_AT_WAITING, 2);
    at(2, STOP_AT_WAITING, 1);
    held(3, 1);
    for (int i = 0; i < 1000; i++) {
        assert_true(!orders || orders->state == STOP_QUIESCING);
        step(10 * MS, 6);
    }
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    step(10 * MS, 6);
    assert_state(STOP_GIVEN_UP, STOP_WANT_RUN);
    assert_int_equal(orders->pushed + orders->tried, 0);
    assert_int_equal(orders->why.reason, STOP_WHY_BEHIND);
    assert_int_equal(orders->why.rank, 0);
    assert_int_equal(orders->why.others, 1);
    assert_true(orders->why.circle);
    assert_string_equal(stop_why_text(text, &orders->why),
        "task 0 has not reached collective 1 of communicator 1, only 0; it "
        "waits inside MPI for task 1, as part of a circle or before one: task 1 "
        "is on it (1 more tasks are behind)");
}

/* A page does not keep the target of what it did not list then. */
static void test_new_communicator(void **state)
{
    (void)state;
    begin(4);
    for (int i = 2; i < 4; i++)
        task[i].ncomms = 1;
    task[1].ncomms = 1;
    comm[0][1].entered = 2;
    at(1, STOP_AT_COLLECTIVE, STOP_NONE);
    step(0, 4);
    step(MS, 4);
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    at(1, STOP_AT_USER, STOP_NONE);
    task[1].ncomms = 2;
    step(MS, 4);
    assert_raise(ROW, 2);
    step(MS, 4);
    assert_int_equal(orders->nraises, 0);
    comm[1][1].entered = 2;
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
}

/* Some have freed a communicator: the others have to come to that. */
static void test_freed_by_some(void **state)
{
    char text[STOP_WHY_TEXT];

    (void)state;
    begin(4);
    task[0].ncomms = 1;             /* freed before the first look */
    comm[1][1].entered = 3;
    held(1, 0);
    step(0, 4);
    step(MS, 4);
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    assert_int_equal(orders->nraises, 0);
    step(MS, 4);
    assert_raise(WORLD, 1);         /* what 1 is held at */
    for (int i = 0; i < 4; i++)
        comm[i][0].entered = 1;
    held(1, 1);
    step(MS, 4);
    step(2 * MS, 4);
    assert_raise(ROW, 4);
    assert_int_equal(orders->pushed, 2);
    task[1].ncomms = 1;
    at(1, STOP_AT_USER, STOP_NONE);
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
    /* It never comes. */
    begin(4);
    task[0].ncomms = 1;
    for (int i = 0; i < 1001; i++)
        step(10 * MS, 4);
    assert_int_equal(orders->why.reason, STOP_WHY_TORN);
    assert_string_equal(stop_why_text(text, &orders->why),
        "communicator 2 is there on 1 of its 2 members, such as task 1");
}

/* Thousands of communicators come and go, and none is mistaken for another. */
static void test_many_communicators(void **state)
{
    (void)state;
    begin_with(4, &(struct stop_options){ .limit_ns = 1000000 * MS });
    for (uint64_t i = 1; i < 5000; i++) {
        for (int k = 0; k < 4; k++) {
            task[k].ncomms = 4;
            comm[k][2] = (struct stop_comm){ .id = 1000 + i, .size = 4,
                                             .entered = k == 0 ? i : 0 };
            comm[k][3] = (struct stop_comm){ .id = 100000 + i / 7, .size = 4 };
        }
        step(1, 4);
        assert_raise(1000 + i, i);
    }
}

/* ----------------------------------------------------------------- freezing */

static void test_signals(void **state)
{
    uint64_t asked = 0, last_ns = 0, gap_ns = 0;

    (void)state;
    begin(4);
    step(0, 4);
    at(1, STOP_AT_WAITING, 2);
    at(3, STOP_AT_LIBRARY, STOP_NONE);
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
    assert_int_equal(orders->nsignals, 2);
    assert_int_equal(orders->signals[0], 0);
    assert_int_equal(orders->signals[1], 2);
    assert_int_equal(orders->wake_ns, now_ns + MS / 2);
    at(0, STOP_AT_FROZEN, STOP_NONE);
    last_ns = now_ns;
    for (int i = 0; i < 499; i++) {
        step(MS / 10, 4);
        assert_int_equal(orders->nsignals, orders->nsignals ? 1 : 0);
        if (!orders->nsignals)
            continue;
        assert_int_equal(orders->signals[0], 2);
        assert_true(now_ns - last_ns >= gap_ns);
        gap_ns = now_ns - last_ns;
        last_ns = now_ns;
        asked++;
    }
    /* 0.5, 1, 2, 4, then 5 ms each */
    assert_int_equal(asked, 12);
    assert_int_equal(gap_ns, 5 * MS);
}

/* All go on, and try again with twice the time. */
static void test_late(void **state)
{
    char text[STOP_WHY_TEXT];

    (void)state;
    begin(4);
    step(0, 4);
    step(MS, 4);
    for (uint64_t window = 50; window <= 200; window *= 2) {
        assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
        for (int i = 0; i < 3; i++)
            at((uint32_t)i, STOP_AT_FROZEN, STOP_NONE);
        step(window * MS - 1, 4);
        assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
        step(1, 4);
        assert_state(STOP_THAWING, STOP_WANT_QUIESCE);
        step(MS, 4);
        assert_state(STOP_THAWING, STOP_WANT_QUIESCE);
        all_at(4, STOP_AT_USER);
        step(MS, 4);
        assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
        step(MS, 4);
    }
    assert_int_equal(orders->retreats, 3);
    for (int i = 0; i < 3; i++)
        at((uint32_t)i, STOP_AT_FROZEN, STOP_NONE);
    step(10000 * MS, 4);
    assert_state(STOP_GIVEN_UP, STOP_WANT_RUN);
    assert_int_equal(orders->why.reason, STOP_WHY_RUNNING);
    assert_int_equal(orders->why.rank, 3);
    assert_string_equal(stop_why_text(text, &orders->why),
                        "task 3 does not stand still: it runs its own code");
}

/* Somebody was past the gate: it waits for those that stand. */
static void test_slipped(void **state)
{
    (void)state;
    begin(4);
    step(0, 4);
    step(MS, 4);
    for (int i = 0; i < 3; i++)
        at((uint32_t)i, STOP_AT_FROZEN, STOP_NONE);
    at(3, STOP_AT_COLLECTIVE, STOP_NONE);
    comm[3][0].entered = 1;
    step(MS, 4);
    assert_state(STOP_THAWING, STOP_WANT_QUIESCE);
    assert_raise(WORLD, 1);
    assert_int_equal(orders->retreats, 1);
    all_at(3, STOP_AT_USER);
    step(MS, 4);
    assert_state(STOP_QUIESCING, STOP_WANT_QUIESCE);
    for (int i = 0; i < 4; i++)
        comm[i][0].entered = 1;
    at(3, STOP_AT_USER, STOP_NONE);
    step(MS, 4);
    assert_state(STOP_FREEZING, STOP_WANT_FREEZE);
    /* All stand, but the last one has entered something. */
    comm[2][1].entered = 1;
    all_at(4, STOP_AT_FROZEN);
    step(MS, 4);
    assert_state(STOP_THAWING, STOP_WANT_QUIESCE);
    assert_raise(ROW + 1, 1);
    /* All stand, but a communicator is freed by some. */
    begin(4);
    step(0, 4);
    step(MS, 4);
    task[0].ncomms = 1;
    all_at(4, STOP_AT_FROZEN);
    step(MS, 4);
    assert_state(STOP_THAWING, STOP_WANT_QUIESCE);
}

/* ----------------------------------------------------------------- draining */

struct drain_look { uint64_t sent[2], received[2]; uint32_t unfinished[2]; };

static void test_drain(void **state)
{
    static const struct {
        struct drain_look looks[3];
        int ends_at;            /* the look with which it stops, 0: none */
    } rows[] = {
        { { { { 5, 5 }, { 7, 3 }, { 0 } }, { { 5, 5 }, { 7, 3 }, { 0 } } }, 2 },
        /* a message is missing */
        { { { { 5, 5 }, { 7, 2 }, { 0 } }, { { 5, 5 }, { 7, 2 }, { 0 } },
            { { 5, 5 }, { 7, 2 }, { 0 } } }, 0 },
        { { { { 5, 5 }, { 7, 2 }, { 0 } }, { { 5, 5 }, { 7, 3 }, { 0 } },
            { { 5, 5 }, { 7, 3 }, { 0 } } }, 3 },
        /* nobody has said yet what is unfinished; something is */
        { { { { 5, 5 }, { 7, 3 }, { STOP_UNKNOWN, 0 } },
            { { 5, 5 }, { 7, 3 }, { 0, 2 } },
            { { 5, 5 }, { 7, 3 }, { 0 } } }, 0 },
        /* equal by chance: 0 was read before it sent one, 1 after it had
         * received it, and another one has not been received */
        { { { { 5, 6 }, { 4, 7 }, { 0 } }, { { 6, 6 }, { 4, 7 }, { 0 } },
            { { 6, 6 }, { 4, 7 }, { 0 } } }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_draining(2);
        for (int k = 0; k < 3; k++) {
            const struct drain_look *l = &rows[i].looks[k];

            for (int r = 0; r < 2; r++) {
                task[r].sent = l->sent[r];
                task[r].received = l->received[r];
                task[r].unfinished = l->unfinished[r];
            }
            step(MS, 2);
            assert_int_equal(orders->state == STOP_STOPPED,
                             rows[i].ends_at == k + 1);
            if (rows[i].ends_at == k + 1)
                break;
        }
    }
    /* The same look twice is one. */
    begin_draining(2);
    step(MS, 2);
    looks--;
    step(MS, 2);
    assert_state(STOP_DRAINING, STOP_WANT_DRAIN);
    step(MS, 2);
    assert_state(STOP_STOPPED, STOP_WANT_DRAIN);
    assert_int_equal(orders->wake_ns, 0);
    /* That is the end. */
    all_at(2, STOP_AT_GONE);
    step(100000 * MS, 2);
    assert_state(STOP_STOPPED, STOP_WANT_DRAIN);
    /* Somebody does not stand any more. */
    begin_draining(2);
    step(MS, 2);
    at(1, STOP_AT_USER, STOP_NONE);
    step(MS, 2);
    assert_state(STOP_THAWING, STOP_WANT_QUIESCE);
}

/* -------------------------------------------------------------- giving it up */

static void test_missing_message(void **state)
{
    static const struct stop_pair of_0[] = { { WORLD, 3, 0, 1 },
                                             { ROW, 2, 2, 1 } };
    static const struct stop_pair of_1[] = { { ROW, 2, 2, 0 },
                                             { WORLD, 0, 2, 0 } };
    char text[STOP_WHY_TEXT];

    (void)state;
    begin_draining(2);
    task[0].sent = 5;
    task[1].sent = task[0].received = 2;
    task[1].received = 4;
    step(MS, 2);
    task[0].pairs = of_0;
    task[1].pairs = of_1;
    task[0].npairs = task[1].npairs = 2;
    step(10000 * MS, 2);
    assert_state(STOP_GIVEN_UP, STOP_WANT_RUN);
    assert_string_equal(stop_why_text(text, &orders->why),
        "messages do not arrive, 7 sent and 6 received by all tasks: from task "
        "0 to 1 on communicator 1 3 sent, 2 received");
    begin_draining(2);
    task[0].sent = 5;
    step(10000 * MS, 2);
    assert_string_equal(stop_why_text(text, &orders->why),
        "messages do not arrive, 5 sent and 0 received by all tasks");
}

static void test_limits(void **state)
{
    char text[STOP_WHY_TEXT];

    (void)state;
    begin(4);                       /* inside of a collective */
    at(2, STOP_AT_COLLECTIVE, STOP_NONE);
    step(0, 4);
    step(10000 * MS, 4);
    assert_string_equal(stop_why_text(text, &orders->why),
        "task 2 does not leave its collective: it is inside a collective");
    assert_true(orders->why.after_ns == 10000 * MS);

    begin(4);                       /* deaf */
    step(0, 4);
    is_deaf = true;
    step(10000 * MS, 4);
    assert_int_equal(orders->why.reason, STOP_WHY_UNHEARD);

    begin(4);                       /* at the end of the waits somebody works */
    for (int i = 0; i < 3; i++)
        comm[i][0].entered = 7;
    comm[3][0].entered = 6;
    at(3, STOP_AT_WAITING, 1);
    step(0, 4);
    step(10000 * MS, 4);
    assert_string_equal(stop_why_text(text, &orders->why),
        "task 3 has not reached collective 7 of communicator 1, only 6; it waits "
        "inside MPI for task 1, and task 1 at the end of these waits runs its "
        "own code");

    begin_draining(2);              /* a request */
    task[1].unfinished = 1;
    step(10000 * MS, 2);
    assert_string_equal(stop_why_text(text, &orders->why),
        "task 1 has unfinished sends and collectives that do not end");

    begin_draining(2);              /* one stands, though all are to go on */
    at(0, STOP_AT_USER, STOP_NONE);
    step(MS, 2);
    step(10000 * MS, 2);
    assert_string_equal(stop_why_text(text, &orders->why),
                        "task 1 does not go on: it stands still");

    begin_with(2, &(struct stop_options){ .limit_ns = 5 * MS });
    step(0, 2);
    step(MS, 2);
    step(4 * MS, 2);                /* freezing */
    assert_state(STOP_GIVEN_UP, STOP_WANT_RUN);
    assert_int_equal(orders->why.reason, STOP_WHY_RUNNING);
}

static void test_lost(void **state)
{
    static const struct {
        enum stop_where where;
        enum stop_reason reason;
        const char *text;
    } rows[] = {
        { STOP_AT_FINALIZED, STOP_WHY_FINALIZED,
          "it is too late: task 1 has finalized MPI" },
        { STOP_AT_GONE, STOP_WHY_GONE, "task 1 or its page is gone" },
        { STOP_AT_USER, STOP_WHY_CROWDED,
          "task 1 has more communicators than can be followed" },
    };
    char text[STOP_WHY_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int when = 0; when < 4; when++) {
            begin(2);
            for (int k = 0; k < when; k++) {
                if (k == 2)
                    all_at(2, STOP_AT_FROZEN);
                step(MS, 2);
            }
            at(1, rows[i].where, STOP_NONE);
            if (rows[i].reason == STOP_WHY_CROWDED)
                task[1].ncomms = COMMS + 1;
            step(MS, 2);
            assert_state(STOP_GIVEN_UP, STOP_WANT_RUN);
            assert_int_equal(orders->why.reason, rows[i].reason);
            assert_string_equal(stop_why_text(text, &orders->why),
                                rows[i].text);
        }
    assert_string_equal(stop_why_text(text, &(struct stop_why){ 0 }),
                        "nothing stands against it");
}

/* ------------------------------------------------------- programs in a model */

static uint64_t seeds = ASAN ? 5000 : 20000, first = 1;

static void add(struct sim_result *sum, const struct sim_result *r)
{
    sum->stops += r->stops;
    sum->late += r->late;
    sum->given_up += r->given_up;
    sum->pushed += r->pushed;
    sum->tried += r->tried;
    sum->retreats += r->retreats;
    sum->kept += r->kept;
    sum->more += r->more;
    sum->excess += r->excess;
    sum->torn_excess += r->torn_excess;
    sum->rounds = sum->rounds > r->rounds ? sum->rounds : r->rounds;
}

static bool show(uint64_t seed, const struct sim_result *r)
{
    char text[STOP_WHY_TEXT];

    if (!r->wrong && !r->given_up && !r->excess)
        return true;
    printf("# seed %llu: %s, %u given up, %u too many, %s\n",
           (unsigned long long)seed, r->wrong ? r->wrong : "not wrong",
           r->given_up, r->excess, stop_why_text(text, &r->why));
    return false;
}

static void print(const char *what, uint64_t n, const struct sim_result *sum)
{
    printf("# %s: %llu seeds, %u stops, %u too late, %u given up; let through: "
           "%u found, %u tried; %u retreats, %u messages kept; where it is known "
           "%u collectives were needed, %u more (%u where some are freed) not; "
           "at most %u rounds\n", what, (unsigned long long)n, sum->stops,
           sum->late, sum->given_up, sum->pushed, sum->tried, sum->retreats,
           sum->kept, sum->more - sum->excess - sum->torn_excess, sum->excess,
           sum->torn_excess, sum->rounds);
}

static void test_random_programs(void **state)
{
    struct sim_result sum = { 0 }, r;
    uint64_t bad = 0;

    (void)state;
    for (uint64_t i = first; i < first + seeds && bad < 10; i++) {
        sim_run(&(struct sim_options){ .seed = i }, &r);
        bad += !show(i, &r);
        add(&sum, &r);
    }
    print("random programs", seeds, &sum);
    assert_int_equal(bad, 0);
    assert_true(sum.stops > seeds && sum.pushed * 10 > seeds);
    assert_true(sum.tried * 1000 > seeds && sum.retreats * 100 > seeds);
    assert_true(sum.kept > seeds / 2);
    assert_true(sum.torn_excess * 10000 <= sum.stops);
}

/* One who owes is let through; where that is not done, there is no stop. */
static void test_owing_programs(void **state)
{
    struct sim_result sum = { 0 }, without = { 0 }, r;
    uint32_t owed = 0, bad = 0;

    (void)state;
    for (uint64_t i = 1; i <= 500; i++) {
        struct sim_options o = { .seed = i, .owes = true };

        sim_run(&o, &r);
        bad += !show(i, &r);
        add(&sum, &r);
        if (!r.stops || !r.pushed)
            continue;
        owed++;
        o.ignores_raises = true;
        o.limit_rounds = 5000;
        sim_run(&o, &r);
        bad += r.wrong || r.stops || r.why.reason != STOP_WHY_BEHIND;
        add(&without, &r);
    }
    print("owing", 500, &sum);
    print("owing, and not let through", owed, &without);
    assert_int_equal(bad, 0);
    assert_true(owed > 250);
    assert_int_equal(sum.stops + sum.late, 500);
    assert_int_equal(without.stops, 0);
    assert_int_equal(without.given_up, owed);
}

/* The same looks, the same orders. */
static void test_replay(void **state)
{
    struct sim_result a, b;

    (void)state;
    for (uint64_t i = 1; i < 200; i++) {
        memset(&a, 0, sizeof(a));
        memset(&b, 1, sizeof(b));
        sim_run(&(struct sim_options){ .seed = i }, &a);
        sim_run(&(struct sim_options){ .seed = i }, &b);
        assert_int_equal(a.ticks, b.ticks);
        assert_int_equal(a.pushed, b.pushed);
        assert_int_equal(a.rounds, b.rounds);
    }
}

static int end(void **state)
{
    (void)state;
    stop_destroy(stop);
    stop_destroy(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_word_first),
        cmocka_unit_test(test_held_behind),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_anybody),
        cmocka_unit_test(test_polls),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_new_communicator),
        cmocka_unit_test(test_freed_by_some),
        cmocka_unit_test(test_many_communicators),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_slipped),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_missing_message),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_owing_programs),
        cmocka_unit_test(test_random_programs),
    };

    if (argc == 3 && strcmp(argv[1], "-s") == 0) {
        struct sim_result r;
        uint64_t seed = strtoull(argv[2], NULL, 10);

        sim_run(&(struct sim_options){ .seed = seed, .shows = true }, &r);
        return !show(seed, &r);
    }
    seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : seeds;
    first = argc > 2 ? strtoull(argv[2], NULL, 10) : first;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, end);
}
