/* test_master_move.c - moves as the master leads them: slaves are played, which
 * answer late, fail, or have just been left by all their tasks. */
#include "proto/link/conn.h"

static conn_handler_f on_stop_order, on_swap, on_swap_go, on_swap_end,
    on_image_credit, on_moving, on_keep, on_room_ask, on_room;
#define RIG_ROUTES                                          \
    { MESSAGE_STOP_ORDER, CONN_ANY, on_stop_order },        \
    { MESSAGE_SWAP, CONN_ANY, on_swap },                    \
    { MESSAGE_SWAP_GO, CONN_ANY, on_swap_go },              \
    { MESSAGE_SWAP_END, CONN_ANY, on_swap_end },            \
    { MESSAGE_IMAGE_CREDIT, CONN_ANY, on_image_credit },    \
    { MESSAGE_MOVING, CONN_ANY, on_moving },                \
    { MESSAGE_KEEP, CONN_ANY, on_keep },                    \
    { MESSAGE_ROOM_ASK, CONN_ANY, on_room_ask },            \
    { MESSAGE_ROOM, CONN_ANY, on_room },
#include "tests/unit/master_rig.h"

#include <signal.h>

#include "master/move/mover.h"
#include "mpi-wrappers/page.h"
#include "tests/unit/skip_time.h"

enum { HOSTS = 3 };

/* What a played slave has of job 1. */
static struct host {
    struct peer *p;
    struct taskset here;
    uint32_t serial;            /* of the last Swap */
    struct taskset leaving, coming;
    bool going;                 /* SwapGo has come */
    bool says_came;             /* and has been said */
    bool stays_mute;            /* about Drained, once all have left */
    bool makes_long;            /* memory for a task that comes */
    const char *cannot;         /* why it does not swap */
    const char *spoiled;        /* why no task can be made of an image */
    bool saves;                 /* all write images into files */
    bool hangs;                 /* ... or would: nothing of them comes to be */
    bool early;                 /* its tasks have not come out of MPI_Init */
    bool silent;                /* says nothing when it is asked for a look */
    bool halts;                 /* says nothing once SwapGo has come */
    bool deaf;                  /* does not hear that tasks are to come apart */
    uint64_t tagged;            /* calls, of a task that leaves */
    uint64_t past;              /* so much of an image goes past the master */
} hosts[HOSTS];

static struct host *host_of(const struct peer *p)
{
    for (int i = 0; i < HOSTS; i++)
        if (hosts[i].p == p)
            return &hosts[i];
    return NULL;
}

static void say_moved(struct host *h, uint32_t rank, Hct__TaskMoved__Kind kind,
                      const char *why)
{
    Hct__TaskMoved m = HCT__TASK_MOVED__INIT;

    m.job = 1;
    m.rank = rank;
    m.serial = h->serial;
    m.kind = kind;
    m.pid = 2000 + rank;
    m.at_ns = clock_wall_ns();
    m.why = (char *)(uintptr_t)why;
    m.tagged = h->tagged;
    conn_send(h->p->c, MESSAGE_TASK_MOVED, &m);
}

static void say_all(struct host *h, const struct taskset *ranks,
                    Hct__TaskMoved__Kind kind, const char *why)
{
    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; )
        say_moved(h, (uint32_t)r, kind, why);
}

/* Tasks stand whenever they are told to, and have no MPI under SWAP. */
static int on_stop_order(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    const Hct__StopOrder *m = msg;
    struct host *h = host_of(arg);
    Hct__StopLook look = HCT__STOP_LOOK__INIT;
    Hct__StopLook__Task task[8], *tasks[8];
    bool stands = m->word >= PAGE_STOP_FREEZE;

    (void)err;
    if (m->end)
        peer_say(arg, "RUN");
    if (m->end || h->silent || (h->halts && h->going) ||
        (h->deaf && m->word == PAGE_STOP_SWAP))
        return 0;
    if (m->word == PAGE_STOP_SWAP && !h->says_came) {
        h->says_came = true;
        if (h->saves && !h->hangs)
            say_all(h, &h->here, HCT__TASK_MOVED__KIND__SAVED, "");
        say_all(h, &h->coming, h->spoiled ? HCT__TASK_MOVED__KIND__FAILED
                                          : HCT__TASK_MOVED__KIND__CAME,
                h->spoiled ? h->spoiled : "");
    }
    for (int64_t r = -1; (r = taskset_next(&h->here, r)) >= 0; ) {
        Hct__StopLook__Task *t = &task[look.n_tasks];

        hct__stop_look__task__init(t);
        t->rank = (uint32_t)r;
        t->where = stands ? PAGE_AT_FROZEN : PAGE_AT_USER;
        t->peer = -1;
        t->order = m->number;
        t->able = !h->early;
        if (m->word == PAGE_STOP_SWAP)
            t->swap = h->going ? PAGE_SWAP_UP : PAGE_SWAP_DOWN;
        t->generation = m->generation;
        tasks[look.n_tasks++] = t;
    }
    look.job = 1;
    look.look = m->look;
    look.tasks = tasks;
    conn_send(c, MESSAGE_STOP_LOOK, &look);
    return 0;
}

static int on_room_ask(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    const Hct__RoomAsk *ask = msg;
    struct host *h = host_of(arg);
    struct taskset ranks = { 0 };
    uint64_t spans[2] = { 1 << 20, 3 << 20 };

    if (taskset_parse(&ranks, ask->ranks, 8, err))
        return -1;
    for (int64_t r = -1; (r = taskset_next(&ranks, r)) >= 0; ) {
        Hct__Room m = HCT__ROOM__INIT;

        m.job = ask->job;
        m.serial = ask->serial;
        m.rank = (uint32_t)r;
        m.spans = spans;
        m.n_spans = r % 2 ? 0 : 2;      /* one that has little memory */
        assert_true(taskset_has(&h->here, m.rank));
        conn_send(c, MESSAGE_ROOM, &m);
    }
    taskset_fini(&ranks);
    return 0;
}

static void say_made(struct host *h, uint32_t rank, uint32_t serial)
{
    Hct__RoomMade m = HCT__ROOM_MADE__INIT;

    m.job = 1;
    m.rank = rank;
    m.serial = serial;
    conn_send(h->p->c, MESSAGE_ROOM_MADE, &m);
}

static int on_room(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const Hct__Room *m = msg;
    struct host *h = host_of(arg);

    (void)c, (void)err;
    assert_int_equal(m->n_spans, 2);
    peer_say(arg, "Room %u %llx-%llx", m->rank, (unsigned long long)m->spans[0],
             (unsigned long long)m->spans[1]);
    if (!h->makes_long)
        say_made(h, m->rank, m->serial);
    return 0;
}

static int on_swap(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    const Hct__Swap *m = msg;
    struct host *h = host_of(arg);
    Hct__Swapped said = HCT__SWAPPED__INIT;

    peer_say(arg, "Swap serial=%u leaving=%s coming=%s", m->serial, m->leaving,
             m->coming);
    for (size_t i = 0; i < m->n_ways; i++)
        peer_say(arg, "way %u of %s to %s at %s", m->serial, m->ways[i]->ranks,
                 m->ways[i]->node, m->ways[i]->addresses);
    h->serial = m->serial;
    h->going = h->says_came = false;
    h->saves = *m->saving;
    taskset_fini(&h->leaving);
    taskset_fini(&h->coming);
    if ((*m->leaving && taskset_parse(&h->leaving, m->leaving, 8, err)) ||
        (*m->coming && taskset_parse(&h->coming, m->coming, 8, err)))
        return -1;
    said.job = 1;
    said.serial = m->serial;
    said.ok = !h->cannot;
    if (h->cannot)
        said.why = (char *)(uintptr_t)h->cannot;
    conn_send(c, MESSAGE_SWAPPED, &said);
    return 0;
}

static int on_swap_go(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    const Hct__SwapGo *m = msg;
    struct host *h = host_of(arg);

    (void)c, (void)err;
    peer_say(arg, "SwapGo serial=%u", m->serial);
    for (size_t i = 0; i < m->n_arrivals; i++)
        peer_say(arg, "arrival %u of %u tagged=%llu", m->serial,
                 m->arrivals[i]->rank,
                 (unsigned long long)m->arrivals[i]->tagged);
    h->going = true;
    for (int64_t r = -1; (r = taskset_next(&h->coming, r)) >= 0; )
        taskset_add(&h->here, (uint32_t)r, (uint32_t)r);
    return 0;
}

static int on_swap_end(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    const Hct__SwapEnd *m = msg;
    struct host *h = host_of(arg);

    (void)c, (void)err;
    peer_say(arg, "SwapEnd serial=%u", m->serial);
    if (!h->here.n && !h->stays_mute)
        peer_drained(h->p, 1);
    return 0;
}

static void say_sent(struct host *h, uint32_t rank, uint32_t serial)
{
    Hct__ImageSent m = HCT__IMAGE_SENT__INIT;

    m.job = 1;
    m.rank = rank;
    m.serial = serial;
    m.bytes = h->past;
    conn_send(h->p->c, MESSAGE_IMAGE_SENT, &m);
}

static int on_image_credit(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    const Hct__ImageCredit *m = msg;
    struct host *h = host_of(arg);

    (void)c, (void)err;
    if (!m->came)
        return 0;
    assert_true(taskset_has(&h->leaving, m->rank));
    if (h->past) {
        say_sent(h, m->rank, h->serial);
        say_sent(h, m->rank, h->serial);
        say_sent(h, m->rank, h->serial - 1);    /* of a move before */
        say_sent(h, 1, h->serial);              /* who does not move */
        say_sent(h, 9, h->serial);
    }
    for (int64_t r = -1; (r = taskset_next(&h->leaving, r)) >= 0; )
        if (r == m->rank) {
            struct taskset rest = { 0 };

            for (int64_t k = -1; (k = taskset_next(&h->here, k)) >= 0; )
                if (k != r)
                    taskset_add(&rest, (uint32_t)k, (uint32_t)k);
            taskset_fini(&h->here);
            h->here = rest;
            say_moved(h, m->rank, HCT__TASK_MOVED__KIND__LEFT, "");
        }
    return 0;
}

static int on_moving(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__Moving *m = msg;

    (void)c, (void)err;
    peer_say(arg, "Moving %s", m->state);
    if (m->image_bytes)
        peer_say(arg, "with %llu", (unsigned long long)m->image_bytes);
    return 0;
}

/* Directories are made, images are good, and sealed. */
static int on_keep(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const Hct__Keep *m = msg;
    Hct__Kept kept = HCT__KEPT__INIT;

    (void)arg, (void)err;
    kept.job = m->job;
    kept.ticket = m->ticket;
    kept.ok = true;
    conn_send(c, MESSAGE_KEPT, &kept);
    return 0;
}

/* --------------------------------------------------------------- the job */

static struct peer *run, *operator;

/* Task 0 on a, task 1 on b; c is there. */
static void start(struct rig *r)
{
    static const char *const names[HOSTS] = { "a", "b", "c" };

    memset(hosts, 0, sizeof(hosts));
    for (int i = 0; i < HOSTS; i++)
        hosts[i].p = rig_slave(r, names[i], 4);
    run = rig_redirector(r);
    operator = rig_connect(r, HCT__ROLE__ROLE_OPERATOR, "u@h", 0);
    rig_wait(operator, "Welcome");
    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a", "b" },
                                     .slots = 4, .by_node = true, .migratable = true,
                                     .dir = "/saved", .max_restarts = 1 });
    rig_wait(run, "running 2/2");
    taskset_add(&hosts[0].here, 0, 0);
    taskset_add(&hosts[1].here, 1, 1);
}

static void forget(void)
{
    for (int i = 0; i < HOSTS; i++) {
        taskset_fini(&hosts[i].here);
        taskset_fini(&hosts[i].leaving);
        taskset_fini(&hosts[i].coming);
    }
}

static void migrate(const char *ranks, const char *node)
{
    Hct__Migrate m = HCT__MIGRATE__INIT;

    m.job = 1;
    m.ranks = (char *)(uintptr_t)ranks;
    m.node = (char *)(uintptr_t)node;
    m.why = (char *)"test";
    conn_send(operator->c, MESSAGE_MIGRATE, &m);
}

/* ------------------------------------------------------------------ tests */

static void test_moves(void **state)
{
    struct rig *r = *state;

    start(r);
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    rig_wait(hosts[2].p, "Swap serial=1 leaving= coming=0");
    rig_wait(hosts[0].p, "Swap serial=1 leaving=0 coming=");
    rig_wait(hosts[1].p, "Swap serial=1 leaving= coming=\n");
    rig_wait(hosts[2].p, "SwapEnd serial=1");
    rig_expect(r, "SELECT rank, node, pid FROM tasks ORDER BY 1",
               "0|c|2000\n1|b|1001\n");
    forget();
}

/* Nobody stops before the memory is there, where that is to be worth it. */
static void test_room(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[2].makes_long = true;
    migrate("0-1", "c");
    rig_wait(hosts[2].p, "Room 0 100000-300000");
    migrate("1", "c");
    rig_wait(operator, "Result 0 tasks of job 1 are being moved already");
    rig_expect(r, "SELECT state_to FROM transition WHERE machine = 'move'", "");
    say_made(&hosts[2], 1, 0);          /* which was not asked */
    say_made(&hosts[1], 0, 0);          /* nor was who says this */
    say_made(&hosts[2], 0, 7);          /* of another move */
    migrate("1", "c");
    rig_wait(operator, "Result 0 tasks of job 1 are being moved already\n"
             "Result 0 tasks of job 1 are being moved already");
    rig_expect(r, "SELECT state_to FROM transition WHERE machine = 'move'", "");
    say_made(&hosts[2], 0, 0);
    rig_wait(operator, "Result 1 tasks 0-1 are on c now");
    assert_false(heard(hosts[2].p, "Room 1"));
    forget();
}

/* A node that all tasks have left takes long to be through with the job: the
 * next move is not its business. */
static void test_left_node(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[0].stays_mute = true;
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    migrate("1", "c");
    rig_wait(operator, "Result 1 task 1 is on c now");
    assert_false(heard(hosts[0].p, "Swap serial=2"));
    rig_expect(r, "SELECT node, count(*) FROM tasks GROUP BY 1", "c|2\n");
    forget();
}

/* ... unless it goes back there: that waits, and then it prepares anew. */
static void test_back_to_left_node(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[0].stays_mute = true;
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    migrate("1", "a");
    rig_wait_n(operator, "Moving asked", 2);
    assert_false(heard(hosts[0].p, "Forget"));
    peer_drained(hosts[0].p, 1);
    rig_wait(hosts[0].p, "Forget job=1\nPrepare job=1");
    rig_wait(operator, "Result 1 task 1 is on a now");
    rig_wait(hosts[0].p, "Swap serial=2 leaving= coming=1");
    rig_expect(r, "SELECT rank, node FROM tasks ORDER BY 1", "0|c\n1|a\n");
    forget();
}

static void listens(struct host *h, const char *addresses)
{
    Hct__ReduceAt m = HCT__REDUCE_AT__INIT;

    m.addresses = (char *)(uintptr_t)addresses;
    conn_send(h->p->c, MESSAGE_REDUCE_AT, &m);
}

/* Slaves are told of each other; what goes past the master counts as what went
 * through it, and is heard of by who has asked for the move. */
static void test_past(void **state)
{
    struct rig *r = *state;

    start(r);
    listens(&hosts[2], "tcp:10.0.0.3:7,tcp:10.1.0.3:7");
    listens(&hosts[1], "unix:/b");
    hosts[0].past = 5000;
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    rig_wait(hosts[0].p, "way 1 of 0 to c at tcp:10.0.0.3:7,tcp:10.1.0.3:7");
    assert_false(heard(hosts[1].p, "way"));
    assert_false(heard(hosts[2].p, "way"));
    rig_expect(r, "SELECT image_bytes, image_ns > 0, restore_ns > 0 FROM moves",
               "10000|1|1\n");
    rig_wait(operator, "with 10000");
    migrate("0-1", "a");                /* of whom it is not known where */
    rig_wait(operator, "Result 1 tasks 0-1 are on a now");
    assert_false(heard(hosts[1].p, "way"));
    assert_false(heard(hosts[2].p, "way"));
    forget();
}

/* When all stay nothing goes anywhere. */
static void test_no_way_back(void **state)
{
    struct rig *r = *state;

    start(r);
    listens(&hosts[2], "unix:/c");
    hosts[2].spoiled = "its image is cut off";
    migrate("0-1", "c");
    rig_wait(operator, "Result 0 nothing was moved");
    rig_wait(hosts[0].p, "way 1 of 0 to c at unix:/c");
    rig_wait(hosts[1].p, "way 1 of 1 to c at unix:/c");
    rig_wait(hosts[0].p, "Swap serial=2");
    assert_false(heard(hosts[0].p, "way 2"));
    forget();
}

/* Nothing can be made of any of the images: all stay, and what is said after
 * the first word of it is taken as well. */
static void test_spoiled(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[2].spoiled = "its image is cut off";
    migrate("0-1", "c");
    rig_wait(operator, "Result 0 nothing was moved, the job goes on: task 0 "
             "cannot be moved: its image is cut off");
    assert_false(hosts[2].p->closed);
    rig_wait(hosts[2].p, "Swap serial=2 leaving= coming=\n");
    rig_expect(r, "SELECT rank, node FROM tasks ORDER BY 1", "0|a\n1|b\n");
    hosts[2].spoiled = NULL;
    migrate("0-1", "c");
    rig_wait(operator, "Result 1 tasks 0-1 are on c now");
    forget();
}

static void test_cannot_swap(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[1].cannot = "b: PMIx does not take the job: no memory";
    migrate("0", "c");
    rig_wait(operator, "Result 0 nothing was moved, the job goes on: b: PMIx "
             "does not take the job: no memory");
    rig_expect(r, "SELECT rank, node FROM tasks ORDER BY 1", "0|a\n1|b\n");
    forget();
}

/* ---------------------------------------------------- the master is killed */

enum { STANDS = 0 };            /* as a generation */

/* The slave of that host finds another master. */
static void comes(struct rig *r, int i)
{
    static const char *const names[HOSTS] = { "a", "b", "c" };

    hosts[i].p = rig_slave(r, names[i], 4);
}

/* ... and says how far its tasks are apart, by a Swap with that number. */
static void says_apart(int i, uint32_t serial, uint32_t generation,
                       const char *leaving, const char *coming, bool let)
{
    Hct__ComeApart m = HCT__COME_APART__INIT;
    struct host *h = &hosts[i];
    struct err err;

    h->serial = serial;
    h->says_came = true;
    h->going = false;
    taskset_fini(&h->leaving);
    taskset_fini(&h->coming);
    assert_false(*leaving && taskset_parse(&h->leaving, leaving, 8, &err));
    assert_false(*coming && taskset_parse(&h->coming, coming, 8, &err));
    m.job = 1;
    m.serial = serial;
    m.generation = generation;
    m.leaving = (char *)(uintptr_t)leaving;
    m.coming = (char *)(uintptr_t)coming;
    m.let = let;
    conn_send(h->p->c, MESSAGE_COME_APART, &m);
}

static void has_told(int i)
{
    Hct__SlaveJobs m = HCT__SLAVE_JOBS__INIT;
    uint64_t job = 1;

    m.jobs = &job;
    m.n_jobs = 1;
    conn_send(hosts[i].p->c, MESSAGE_SLAVE_JOBS, &m);
}

static void run_comes(struct rig *r)
{
    run = rig_redirector(r);
    peer_submit(run, &(struct wish){ .ntasks = 2, .again = true });
    rig_wait(run, "Accepted job=1");
}

static void goes_on(struct rig *r, const char *places)
{
    rig_expect(r, "SELECT rank, node, t.state, j.state FROM tasks t JOIN jobs j "
               "ON j.job = t.job ORDER BY 1", places);
    assert_false(heard(run, "ending"));
    forget();
}

/* What was tagged by a task that has left counts on, though the node that it
 * has left is gone as well. */
static void test_again_left(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[0].tagged = 9;
    hosts[1].halts = hosts[2].halts = true;
    migrate("0", "c");
    rig_wait(hosts[2].p, "arrival 1 of 0 tagged=9");
    rig_expect(r, "SELECT node FROM tasks ORDER BY rank", "c\nb\n");
    rig_again(r);
    run_comes(r);
    hosts[1].halts = hosts[2].halts = false;
    taskset_fini(&hosts[2].here);
    comes(r, 2);
    says_apart(2, 1, 1, "", "0", false);
    say_all(&hosts[2], &hosts[2].coming, HCT__TASK_MOVED__KIND__CAME, "");
    has_told(2);
    comes(r, 1);
    says_apart(1, 1, 1, "", "", false);
    has_told(1);
    rig_wait(hosts[2].p, "arrival 1 of 0 tagged=9");
    rig_wait(hosts[1].p, "SwapEnd serial=1");
    goes_on(r, "0|c|running|running\n1|b|running|running\n");
}

/* One slave has not heard that all are to come apart: they do, and go back. */
static void test_again_stands(void **state)
{
    struct rig *r = *state;

    start(r);
    rig_again(r);
    run_comes(r);
    comes(r, 0);
    says_apart(0, 1, 1, "0", "", false);
    has_told(0);
    comes(r, 1);
    says_apart(1, 1, STANDS, "", "", false);
    has_told(1);
    rig_wait(hosts[0].p, "Swap serial=2 leaving= coming=\n");
    rig_wait(hosts[1].p, "SwapGo serial=2");
    rig_wait(hosts[0].p, "SwapEnd serial=2");
    goes_on(r, "0|a|running|running\n1|b|running|running\n");
}

/* Nobody has come apart: all go on at once. */
static void test_again_all_stand(void **state)
{
    struct rig *r = *state;

    start(r);
    rig_again(r);
    run_comes(r);
    comes(r, 0);
    says_apart(0, 1, STANDS, "0", "", false);
    has_told(0);
    rig_turn(r, 50);
    assert_false(heard(hosts[0].p, "RUN"));
    comes(r, 1);
    says_apart(1, 1, STANDS, "", "", false);
    has_told(1);
    rig_wait(hosts[0].p, "RUN\nSwapEnd serial=0");
    rig_wait(hosts[1].p, "RUN\nSwapEnd serial=0");
    assert_false(heard(hosts[0].p, "Swap serial"));
    goes_on(r, "0|a|running|running\n1|b|running|running\n");
}

/* All tasks are on one node, and were to come apart by Swap 4: its slave has let them
 * go on meanwhile, whatever the one says that has tasks wait for them. */
static void come_to_one(struct rig *r)
{
    start(r);
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    migrate("0-1", "a");
    rig_wait(operator, "Result 1 tasks 0-1 are on a now");
    rig_expect(r, "SELECT node FROM tasks ORDER BY rank", "a\na\n");
}

static void all_on_one(struct rig *r)
{
    come_to_one(r);
    rig_again(r);
    run_comes(r);
}

static void says_alone(int i, uint32_t serial)
{
    Hct__ComeApart m = HCT__COME_APART__INIT;

    m.job = 1;
    m.serial = serial;
    m.alone = true;
    conn_send(hosts[i].p->c, MESSAGE_COME_APART, &m);
}

static void source_comes(struct rig *r)
{
    comes(r, 0);
    says_alone(0, 4);
    has_told(0);
    rig_wait(hosts[0].p, "RUN\nSwapEnd serial=4");
}

static void target_comes(struct rig *r)
{
    comes(r, 2);
    says_apart(2, 3, 3, "", "0", false);
    has_told(2);
}

static void test_again_alone(void **state)
{
    struct rig *r = *state;

    all_on_one(r);
    source_comes(r);
    target_comes(r);
    rig_wait(hosts[2].p, "SwapEnd serial=4");
    goes_on(r, "0|a|running|running\n1|a|running|running\n");
}

static void test_again_alone_late(void **state)
{
    struct rig *r = *state;

    all_on_one(r);
    target_comes(r);
    rig_turn(r, 50);
    source_comes(r);
    rig_wait(hosts[2].p, "SwapEnd serial=4");
    goes_on(r, "0|a|running|running\n1|a|running|running\n");
}

/* The same one, whom its slave did not reach: that is the end of the move, and the next
 * one has a number that is not used up. */
static void test_alone(void **state)
{
    struct rig *r = *state;

    come_to_one(r);
    hosts[0].deaf = hosts[2].deaf = true;
    migrate("0", "c");
    rig_wait(hosts[0].p, "Swap serial=3 leaving=0 coming=");
    rig_expect(r, "SELECT count(*) FROM transition WHERE machine = 'move' AND "
               "state_to = 'apart'", "3\n");
    says_alone(0, 4);
    rig_wait(operator, "Result 0 nothing was moved, the job goes on: a had let all go "
             "on while no master was there");
    rig_wait(hosts[0].p, "SwapEnd serial=4");
    hosts[0].deaf = hosts[2].deaf = false;
    migrate("0", "c");
    rig_wait(hosts[0].p, "Swap serial=5 leaving=0 coming=");
    rig_wait(operator, "Result 1 task 0 is on c now");
    forget();
}

/* A third master knows of it, too: the number was stored. */
static void test_again_alone_twice(void **state)
{
    struct rig *r = *state;

    all_on_one(r);
    source_comes(r);
    rig_again(r);
    run_comes(r);
    comes(r, 0);
    has_told(0);
    target_comes(r);
    rig_wait(hosts[2].p, "SwapEnd serial=4");
    goes_on(r, "0|a|running|running\n1|a|running|running\n");
}

/* Task 0 may have left, and where it has come to had no task before: that node is
 * waited for. One that does not come back is the end of the job. */
static void someone_may_have_left(struct rig *r)
{
    start(r);
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    migrate("0", "a");
    rig_wait(operator, "Result 1 task 0 is on a now");
    rig_expect(r, "SELECT node FROM tasks ORDER BY rank", "a\nb\n");
    rig_again(r);
    run_comes(r);
    comes(r, 0);
    says_apart(0, 3, 3, "0", "", true);
    has_told(0);
    comes(r, 1);
    says_apart(1, 3, 3, "", "", false);
    has_told(1);
}

static void test_again_target_late(void **state)
{
    struct rig *r = *state;

    someone_may_have_left(r);
    rig_turn(r, 50);
    comes(r, 2);
    says_apart(2, 3, 3, "", "0", false);
    say_all(&hosts[2], &hosts[2].coming, HCT__TASK_MOVED__KIND__CAME, "");
    has_told(2);
    rig_wait(hosts[2].p, "SwapGo serial=3");
    rig_wait(hosts[1].p, "SwapEnd serial=3");
    goes_on(r, "0|c|running|running\n1|b|running|running\n");
}

static void test_again_target_lost(void **state)
{
    struct rig *r = *state;

    rig_restart_wait_ns = 500 * CLOCK_NS_PER_MS;
    someone_may_have_left(r);
    rig_wait(run, "ending");
    rig_expect(r, "SELECT why FROM job", "a move failed, and nobody can go back: a "
               "node that tasks had come to was lost\n");
    rig_restart_wait_ns = 30 * CLOCK_NS_PER_S;
    forget();
}

/* What task 0 has come to is dead, and it may have left. */
static void test_again_came_and_died(void **state)
{
    struct rig *r = *state;

    someone_may_have_left(r);
    comes(r, 2);
    says_apart(2, 3, 3, "", "0", false);
    say_all(&hosts[2], &hosts[2].coming, HCT__TASK_MOVED__KIND__FAILED, "killed");
    has_told(2);
    rig_wait(run, "ending");
    rig_expect(r, "SELECT why FROM job", "a move failed, and nobody can go back: "
               "task 0 cannot be moved: killed\n");
    forget();
}

static void operator_comes(struct rig *r)
{
    operator = rig_connect(r, HCT__ROLE__ROLE_OPERATOR, "u@h", 0);
    rig_wait(operator, "Welcome");
}

/* A node was told to prepare, and the master had not come to note it: what its slave
 * says is passed over, and tasks can go there later. */
static void test_again_not_noted(void **state)
{
    struct rig *r = *state;

    start(r);
    rig_again(r);
    run_comes(r);
    comes(r, 2);
    peer_prepared(hosts[2].p, 1, true, "");
    has_told(2);
    rig_wait(hosts[2].p, "Terminate job=1 ranks=all");
    peer_drained(hosts[2].p, 1);
    for (int i = 0; i < 2; i++) {
        comes(r, i);
        has_told(i);
    }
    operator_comes(r);
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    assert_false(hosts[2].p->closed);
    goes_on(r, "0|c|running|running\n1|b|running|running\n");
}

/* A node was to get a task, the master is killed, and the next one asks for that
 * again before the slave there has told what it has: it is told that nothing came
 * of it. */
static void test_again_asked_early(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[0].silent = true;
    migrate("0", "c");
    rig_wait(operator, "Moving checked");
    rig_again(r);
    run_comes(r);
    hosts[0].silent = false;
    for (int i = 0; i < 2; i++) {
        comes(r, i);
        has_told(i);
    }
    operator_comes(r);
    comes(r, 2);
    migrate("0", "c");
    rig_wait(operator, "Moving asked");
    has_told(2);
    rig_wait(hosts[2].p, "SwapEnd serial=0");
    rig_wait(operator, "Result 1 task 0 is on c now");
    goes_on(r, "0|c|running|running\n1|b|running|running\n");
}

static void save(bool suspend)
{
    Hct__Save m = HCT__SAVE__INIT;

    m.job = 1;
    m.why = (char *)"test";
    m.suspend = suspend;
    conn_send(operator->c, MESSAGE_SAVE, &m);
}

/* The tasks on a and b are ended, once more, by the next master. */
static void end_under_another(struct rig *r)
{
    rig_expect(r, "SELECT state FROM jobs", "returning\n");
    rig_again(r);
    run_comes(r);
    operator_comes(r);
    for (int i = 0; i < 2; i++) {
        comes(r, i);
        has_told(i);
        rig_wait(hosts[i].p, "Terminate job=1 ranks=all");
        peer_exit(hosts[i].p, 1, (uint32_t)i, 0, SIGKILL, "");
        peer_drained(hosts[i].p, 1);
    }
}

/* The tasks end as all of them are in files: the next master does not begin
 * them anew, but when it is told to, of those files. */
static void test_again_stores(void **state)
{
    struct rig *r = *state;
    Hct__Hold m = HCT__HOLD__INIT;

    start(r);
    save(true);
    rig_wait(hosts[0].p, "Terminate job=1");
    end_under_another(r);
    rig_expect(r, "SELECT state FROM jobs", "stored\n");
    m.job = 1;
    m.ranks = (char *)"all";
    m.order = HCT__HOLD_ORDER__HOLD_RESUME;
    m.why = (char *)"test";
    conn_send(operator->c, MESSAGE_HOLD, &m);
    rig_wait(hosts[0].p, "attempt=1 restore=/saved/1");
    forget();
}

/* They go back to a checkpoint: not to their beginning. */
static void test_again_returns(void **state)
{
    struct rig *r = *state;

    start(r);
    save(false);
    rig_wait(operator, "Result 1 checkpoint 1 is in /saved/1");
    peer_exit(hosts[1].p, 1, 1, 0, SIGKILL, "");
    rig_wait(hosts[0].p, "Terminate job=1");
    end_under_another(r);
    rig_wait(hosts[0].p, "attempt=1 restore=/saved/1");
    rig_wait(hosts[1].p, "attempt=1 restore=/saved/1");
    forget();
}

/* ---------------------------------------------------------- what takes too long */

/* Hosts that are asked for looks answer at once: the loop is never idle. */
static void turn_until(struct rig *r, const char *text)
{
    str_fini(&operator->log);
    while (!heard(operator, text))
        event_base_loop(r->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

/* Images: the tasks go on without them, and nobody is blamed who was asked for a
 * look a moment ago. */
static void test_images_late(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[1].hangs = true;
    save(false);
    turn_until(r, "Moving apart");
    skip_time(r->base, 570 * CLOCK_NS_PER_S);   /* this takes some time, too */
    assert_false(heard(operator, "Result"));
    skip_time(r->base, 31 * CLOCK_NS_PER_S);
    rig_wait(operator, "Result 0 there is no checkpoint 1, and the tasks go on: not all "
             "images were written within 10 minutes; does /saved/1 answer?");
    rig_wait(hosts[1].p, "SwapGo serial=2");
    hosts[1].hangs = false;
    save(false);
    rig_wait(operator, "Result 1 checkpoint 2 is in /saved/2");
    goes_on(r, "0|a|running|running\n1|b|running|running\n");
}

/* Who was asked long ago is. */
static void test_silent(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[1].silent = true;
    migrate("0", "c");
    rig_wait(operator, "Moving checked");
    skip_time(r->base, 16 * CLOCK_NS_PER_S);
    rig_wait(operator, "Result 0 nothing was moved, the job goes on: b does not answer");
    hosts[1].silent = false;
    migrate("0", "c");
    rig_wait(operator, "Result 1 task 0 is on c now");
    goes_on(r, "0|c|running|running\n1|b|running|running\n");
}

/* A task in MPI_Init is waited for, as long as for all to stand; one that has
 * not begun it may never do so. */
static void test_in_init(void **state)
{
    struct rig *r = *state;

    start(r);
    hosts[1].early = true;
    migrate("0", "c");
    rig_wait(operator, "Result 0 nothing was moved, the job goes on: task 1 "
             "cannot be stopped: it has not called MPI_Init, or is no program of Open MPI");
    peer_task_state(hosts[1].p, 1, 1, HCT__TASK_STATE__KIND__IN_MPI_INIT);
    migrate("0", "c");
    turn_until(r, "Moving checked");
    skip_time(r->base, 4 * CLOCK_NS_PER_S);
    assert_false(heard(operator, "not come out"));
    skip_time(r->base, 7 * CLOCK_NS_PER_S);
    rig_wait(operator, "Result 0 nothing was moved, the job goes on: task 1 "
             "has not come out of MPI_Init yet, or is no program of Open MPI");
    migrate("0", "c");
    turn_until(r, "Moving checked");
    skip_time(r->base, 4 * CLOCK_NS_PER_S);
    hosts[1].early = false;
    rig_wait(operator, "Result 1 task 0 is on c now");
    forget();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_moves), TEST(test_left_node), TEST(test_back_to_left_node),
        TEST(test_room), TEST(test_past), TEST(test_no_way_back),
        TEST(test_spoiled), TEST(test_cannot_swap),
        TEST(test_again_left), TEST(test_again_stands), TEST(test_again_all_stand),
        TEST(test_again_alone), TEST(test_again_alone_late),
        TEST(test_again_alone_twice), TEST(test_alone),
        TEST(test_again_target_late), TEST(test_again_target_lost),
        TEST(test_again_came_and_died), TEST(test_again_not_noted),
        TEST(test_again_asked_early),
        TEST(test_again_stores), TEST(test_again_returns),
        TEST(test_images_late), TEST(test_silent), TEST(test_in_init),
    };

    rig_restart_wait_ns = 30 * CLOCK_NS_PER_S;

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("master_move", tests, NULL, NULL);
}
