/* test_master_move.c - moves as the master leads them: slaves are played, which
 * answer late, fail, or have just been left by all their tasks. */
#include "proto/link/conn.h"

static conn_handler_f on_stop_order, on_swap, on_swap_go, on_swap_end,
    on_image_credit, on_moving;
#define RIG_ROUTES                                          \
    { MESSAGE_STOP_ORDER, CONN_ANY, on_stop_order },        \
    { MESSAGE_SWAP, CONN_ANY, on_swap },                    \
    { MESSAGE_SWAP_GO, CONN_ANY, on_swap_go },              \
    { MESSAGE_SWAP_END, CONN_ANY, on_swap_end },            \
    { MESSAGE_IMAGE_CREDIT, CONN_ANY, on_image_credit },    \
    { MESSAGE_MOVING, CONN_ANY, on_moving },
#include "tests/unit/master_rig.h"

#include "master/move/mover.h"
#include "mpi-wrappers/page.h"

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
    const char *cannot;         /* why it does not swap */
    const char *spoiled;        /* why no task can be made of an image */
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
        return 0;
    if (m->word == PAGE_STOP_SWAP && !h->says_came) {
        h->says_came = true;
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
        t->able = true;
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
                                     .slots = 4, .by_node = true, .migratable = true });
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_moves), TEST(test_left_node), TEST(test_back_to_left_node),
        TEST(test_past), TEST(test_no_way_back), TEST(test_spoiled), TEST(test_cannot_swap),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("master_move", tests, NULL, NULL);
}
