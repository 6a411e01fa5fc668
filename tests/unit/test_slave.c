/* test_slave.c - hector-slave itself against a fake master: the life of a
 * job, refusals, a link that is cut, a master or a slave that dies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"
#include "proto/link/seal.h"

struct rig {
    struct event_base *base;
    struct conn_conf conf;
    struct conn_listener *listener;
    struct conn *link;
    struct str log;             /* what the slave said, one word each */
    char dir[64], address[100], program[PATHS_MAX];
    pid_t slave;                /* the guard */
    uint32_t pids[4];
    char images_at[200];        /* where it listens for slaves */
    struct conn *far;           /* another slave, that has connected there; */
    int raw;                    /* once it is an image: its socket */
};

/* ------------------------------------------------------ the fake master */

static int on_hello(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct rig *r = arg;
    const Hct__Hello *m = msg;
    Hct__Welcome w = HCT__WELCOME__INIT;

    (void)err;
    assert_int_equal(m->role, HCT__ROLE__ROLE_SLAVE);
    if (m->last_words) {
        str_add(&r->log, "last-words ");
    } else {
        assert_non_null(m->node);
        assert_true(m->node->cpus > 0);
        str_addf(&r->log, "hello:%s ", m->name);
    }
    w.protocol = PROTOCOL_VERSION;
    w.messages = MESSAGE_LAST;
    w.role = HCT__ROLE__ROLE_MASTER;
    conn_set_role(c, HCT__ROLE__ROLE_SLAVE);
    conn_send(c, MESSAGE_WELCOME, &w);
    r->link = c;
    return 0;
}

static int on_prepared(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    const Hct__Prepared *m = msg;

    (void)c, (void)err;
    str_addf(&((struct rig *)arg)->log, "prepared:%s ",
             m->ok ? "ok" : m->why);
    return 0;
}

static int on_launched(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct rig *r = arg;
    const Hct__Launched *m = msg;

    (void)c, (void)err;
    str_addf(&r->log, "launched:%zu ", m->n_pids);
    for (size_t i = 0; i < m->n_pids && i < 4; i++)
        r->pids[i] = m->pids[i];
    return 0;
}

static int on_exited(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__TaskExited *m = msg;

    (void)c, (void)err;
    str_addf(&((struct rig *)arg)->log, "exited:%u=%d/%d%s%s ", m->rank,
             m->code, m->signal, *m->why ? "/" : "", m->why);
    return 0;
}

static int on_drained(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    (void)c, (void)msg, (void)err;
    str_add(&((struct rig *)arg)->log, "drained ");
    return 0;
}

static int on_reduce_at(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct rig *r = arg;

    (void)c, (void)err;
    snprintf(r->images_at, sizeof(r->images_at), "%s",
             ((const Hct__ReduceAt *)msg)->addresses);
    return 0;
}

static int on_swapped(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    const Hct__Swapped *m = msg;

    (void)c, (void)err;
    str_addf(&((struct rig *)arg)->log, "swapped:%u:%s ", m->serial,
             m->ok ? "ok" : m->why);
    return 0;
}

static int on_task_moved(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    const Hct__TaskMoved *m = msg;

    (void)c, (void)err;
    str_addf(&((struct rig *)arg)->log, "moved:%u:%d:%s ", m->rank,
             (int)m->kind, m->why);
    return 0;
}

static int on_other(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    return 0;
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct rig *r = arg;

    (void)why;
    if (r->link == c)
        r->link = NULL;
    str_add(&r->log, "closed ");
}

static void on_open(void *arg, struct conn *c)
{
    (void)arg, (void)c;
}

static const struct conn_route routes[] = {
    { MESSAGE_HELLO, CONN_ANY, on_hello },
    { MESSAGE_PREPARED, CONN_ANY, on_prepared },
    { MESSAGE_LAUNCHED, CONN_ANY, on_launched },
    { MESSAGE_TASK_EXITED, CONN_ANY, on_exited },
    { MESSAGE_DRAINED, CONN_ANY, on_drained },
    { MESSAGE_NODE_LOAD, CONN_ANY, on_other },
    { MESSAGE_PACE, CONN_ANY, on_other },
    { MESSAGE_EFFORT, CONN_ANY, on_other },
    { MESSAGE_TASK_SAMPLES, CONN_ANY, on_other },
    { MESSAGE_TASK_STATE, CONN_ANY, on_other },
    { MESSAGE_SLAVE_JOBS, CONN_ANY, on_other },
    { MESSAGE_FAREWELL, CONN_ANY, on_other },
    { MESSAGE_REDUCE_AT, CONN_ANY, on_reduce_at },
    { MESSAGE_SWAPPED, CONN_ANY, on_swapped },
    { MESSAGE_TASK_MOVED, CONN_ANY, on_task_moved },
    { MESSAGE_IMAGE_CREDIT, CONN_ANY, on_other },
};
static const struct conn_ops ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

/* Run the loop until the log holds text. */
static void wait_log(struct rig *r, const char *text)
{
    uint64_t end_ns = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;
    struct timeval tick = { .tv_usec = 20000 };

    while (!strstr(str_text(&r->log), text)) {
        if (clock_monotonic_ns() > end_ns)
            fail_msg("no \"%s\" in \"%s\"", text, str_text(&r->log));
        event_base_loopexit(r->base, &tick);
        event_base_dispatch(r->base);
    }
}

/* A job of n tasks "sh -c script" on this node. */
static void prepare_attempt(struct rig *r, const char *script, uint32_t n,
                            uint32_t here, uint32_t attempt)
{
    Hct__Prepare m = HCT__PREPARE__INIT;
    Hct__App app = HCT__APP__INIT, *apps = &app;
    Hct__JobNode node = HCT__JOB_NODE__INIT, *nodes = &node;
    ProtobufCBinaryData argv[] = {
        { 2, (uint8_t *)"sh" }, { 2, (uint8_t *)"-c" },
        { strlen(script), (uint8_t *)script } };
    ProtobufCBinaryData env = { 18, (uint8_t *)"PATH=/usr/bin:/bin" };

    if (!strncmp(script, "run ", 4)) {
        argv[0] = (ProtobufCBinaryData){ strlen(script + 4),
                                         (uint8_t *)script + 4 };
        app.n_argv = 1;
    } else {
        app.n_argv = 3;
    }
    app.argv = argv;
    app.env = &env;
    app.n_env = 1;
    app.ntasks = n;
    app.wdir = (char *)"/";
    node.name = (char *)"n1";
    node.ranks = (char *)"all";
    m.job = 3;
    m.nspace = (char *)"test.3";
    m.ntasks = n;
    m.apps = &apps;
    m.n_apps = 1;
    m.nodes = &nodes;
    m.n_nodes = 1;
    m.here = here;
    m.uid = geteuid();
    m.gid = getegid();
    m.attempt = attempt;
    conn_send(r->link, MESSAGE_PREPARE, &m);
}

static void prepare(struct rig *r, const char *script, uint32_t n, uint32_t here)
{
    prepare_attempt(r, script, n, here, 0);
}

static void launch(struct rig *r)
{
    Hct__Launch m = HCT__LAUNCH__INIT;

    m.job = 3;
    conn_send(r->link, MESSAGE_LAUNCH, &m);
}

static void forget(struct rig *r)
{
    Hct__Forget m = HCT__FORGET__INIT;

    m.job = 3;
    conn_send(r->link, MESSAGE_FORGET, &m);
}

static void terminate(struct rig *r, const char *ranks, uint64_t grace_ns)
{
    Hct__Terminate m = HCT__TERMINATE__INIT;

    m.job = 3;
    m.ranks = (char *)ranks;
    m.grace_ns = grace_ns;
    conn_send(r->link, MESSAGE_TERMINATE, &m);
}

static void start_slave(struct rig *r, const char *more)
{
    r->slave = fork();
    if (r->slave == 0) {
        setenv("TMPDIR", r->dir, 1);
        unsetenv("XDG_RUNTIME_DIR");
        execl(r->program, "hector-slave", "-d", "--name", "n1", "--master",
              r->address, more, (char *)NULL);
        _exit(127);
    }
    wait_log(r, "hello:n1 ");
}

/* How the slave ended; the loop runs meanwhile. */
static int reap_slave(struct rig *r)
{
    struct timeval tick = { .tv_usec = 20000 };
    int status = 0;

    for (int i = 0; i < 1000; i++) {
        if (waitpid(r->slave, &status, WNOHANG) == r->slave) {
            r->slave = 0;
            return status;
        }
        event_base_loopexit(r->base, &tick);
        event_base_dispatch(r->base);
    }
    fail_msg("the slave does not end: %s", str_text(&r->log));
    return -1;
}

static void hang_up(struct rig *r)
{
    Hct__Farewell m = HCT__FAREWELL__INIT;

    conn_send(r->link, MESSAGE_FAREWELL, &m);
    conn_close_flushed(r->link);
    r->link = NULL;
}

static bool alive(uint32_t pid)
{
    return kill((pid_t)pid, 0) == 0;
}

static void assert_dead(const struct rig *r, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 6000 && alive(r->pids[i]); k++)
            usleep(10000);
        assert_false(alive(r->pids[i]));
    }
}

/* Nothing but our own socket may be left in its directory. */
static void assert_clean(const struct rig *r)
{
    char command[200];

    snprintf(command, sizeof(command), "test \"$(ls -A %s)\" = master.sock",
             r->dir);
    for (int i = 0; i < 6000; i++) {
        if (system(command) == 0)
            return;
        usleep(10000);
    }
    fail_msg("the slave has left something in its directory");
}

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct addr a;
    struct err err;
    char *slash;
    int fd;

    if (readlink("/proc/self/exe", r->program, sizeof(r->program) - 32) < 0)
        return -1;
    slash = strrchr(r->program, '/');
    strcpy(slash, "/../bin/hector-slave");
    strcpy(r->dir, "/tmp/test_slave.XXXXXX");
    if (!mkdtemp(r->dir))
        return -1;
    snprintf(r->address, sizeof(r->address), "unix:%s/master.sock", r->dir);
    r->base = event_base_new();
    if (addr_parse(&a, r->address, &err) || (fd = addr_listen(&a, &err)) < 0)
        return -1;
    r->listener = conn_listen_fd(r->base, fd, &r->conf, &ops, r, &err);
    *state = r;
    return r->listener ? 0 : -1;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    conn_close(r->link);
    conn_close(r->far);
    if (r->slave > 0) {
        kill(r->slave, SIGTERM);
        reap_slave(r);
    }
    conn_listener_close(r->listener);
    event_base_free(r->base);
    paths_remove_tree(r->dir, NULL);
    str_fini(&r->log);
    free(r);
    return 0;
}

/* ------------------------------------------------------------- the tests */

static void test_job(void **state)
{
    struct rig *r = *state;

    start_slave(r, "--private");
    prepare(r, "exit $((10 + HECTOR_RANK))", 3, 0);
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "drained ");
    assert_non_null(strstr(str_text(&r->log), "launched:3 "));
    assert_non_null(strstr(str_text(&r->log), "exited:0=10/0 "));
    assert_non_null(strstr(str_text(&r->log), "exited:1=11/0 "));
    assert_non_null(strstr(str_text(&r->log), "exited:2=12/0 "));
    assert_true(strstr(str_text(&r->log), "launched") <
                strstr(str_text(&r->log), "exited"));
    forget(r);
    hang_up(r);
    assert_int_equal(reap_slave(r), 0);
    assert_clean(r);
}

static void test_refused(void **state)
{
    struct rig *r = *state;

    start_slave(r, "--private");
    prepare(r, "true", 1, 5);
    wait_log(r, "prepared:n1: a Prepare that makes no sense: node 5 of 1 is "
             "not one of them ");
    terminate(r, "all", 0);
    wait_log(r, "drained ");
    forget(r);
    prepare(r, "run nonsense", 1, 0);           /* the same number again */
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "exited:0=127/0/n1: nonsense: command not found ");
    wait_log(r, "command not found drained ");
}

/* A job that goes back to a checkpoint is another one here, though the word to
 * forget what it was before was lost; one that was told twice is not. */
static void test_again(void **state)
{
    struct rig *r = *state;

    start_slave(r, "--private");
    prepare(r, "exit 7", 1, 0);
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "exited:0=7/0 drained ");
    str_reset(&r->log);
    prepare(r, "exit 8", 1, 0);
    wait_log(r, "exited:0=7/0 drained ");
    str_reset(&r->log);
    prepare_attempt(r, "exit 9", 1, 0, 1);
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "exited:0=9/0 drained ");
    forget(r);
    hang_up(r);
    assert_int_equal(reap_slave(r), 0);
    assert_clean(r);
}

static void test_order(void **state)
{
    struct rig *r = *state;

    start_slave(r, "--private");
    launch(r);                  /* of what, it cannot know: passed over */
    prepare(r, "trap '' TERM; while :; do sleep 1; done", 2, 0);
    wait_log(r, "prepared:ok ");
    forget(r);                  /* too early is not: it is prepared only */
    prepare(r, "trap '' TERM; while :; do sleep 1; done", 2, 0);
    wait_log(r, "prepared:ok prepared:ok ");
    launch(r);
    wait_log(r, "launched:2 ");
    forget(r);                  /* not while tasks run */
    terminate(r, "1", 0);
    wait_log(r, "exited:1=0/9 ");
    terminate(r, "all", 300 * CLOCK_NS_PER_MS);
    wait_log(r, "exited:0=0/9 drained ");
    assert_dead(r, 2);
}

/* The link is cut: tasks run on, the slave comes back and tells all. */
static void test_rejoin(void **state)
{
    struct rig *r = *state;

    start_slave(r, NULL);
    prepare(r, "while :; do sleep 1; done", 2, 0);
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "launched:2 ");
    str_reset(&r->log);
    conn_close(r->link);
    r->link = NULL;
    wait_log(r, "hello:n1 prepared:ok launched:2 ");
    assert_true(alive(r->pids[0]) && alive(r->pids[1]));
    terminate(r, "all", CLOCK_NS_PER_S);
    wait_log(r, "drained ");
    assert_non_null(strstr(str_text(&r->log), "exited:0=0/15 "));
    assert_dead(r, 2);
    forget(r);
    kill(r->slave, SIGTERM);
    assert_int_equal(reap_slave(r), 0);
    assert_clean(r);
}

static void start_long(struct rig *r, const char *more)
{
    start_slave(r, more);
    /* With a grandchild in a session of its own; its pid is not known. */
    prepare(r, "setsid sh -c 'exec sleep 611' & sleep 612", 2, 0);
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "launched:2 ");
}

static void assert_no_grandchildren(void)
{
    for (int i = 0; i < 6000; i++) {
        if (system("ps -eo args | grep -q '^sleep 61[12]'") != 0)
            return;
        usleep(10000);
    }
    fail_msg("something was left behind");
}

static void test_master_gone(void **state)
{
    struct rig *r = *state;

    start_long(r, "--private");
    hang_up(r);
    assert_int_equal(reap_slave(r), 1 << 8);
    assert_dead(r, 2);
    assert_no_grandchildren();
    assert_clean(r);
}

/* The slave proper is killed: its guard ends what is left. */
static void test_killed(void **state)
{
    struct rig *r = *state;
    const char *pid;

    start_long(r, "--private");
    pid = strstr(conn_peer(r->link), "pid ");
    assert_non_null(pid);
    assert_int_not_equal(atoi(pid + 4), r->slave);
    kill(atoi(pid + 4), SIGKILL);
    assert_int_equal(reap_slave(r), (128 + SIGKILL) << 8);
    assert_non_null(strstr(str_text(&r->log), "last-words "));
    assert_dead(r, 2);
    assert_no_grandchildren();
    assert_clean(r);
}

/* The guard is killed: the slave ends in order. */
static void test_guard_killed(void **state)
{
    struct rig *r = *state;

    start_long(r, "--private");
    kill(r->slave, SIGKILL);
    wait_log(r, "closed ");
    assert_non_null(strstr(str_text(&r->log), "drained "));
    assert_dead(r, 2);
    assert_no_grandchildren();
    assert_clean(r);
}

/* ------------------------------------------- images from another slave */

static int on_far_welcome(void *arg, struct conn *c, const void *msg,
                          struct err *err)
{
    (void)arg;
    return greeting_welcomed(c, msg, HCT__ROLE__ROLE_SLAVE, err);
}

static void on_far_close(void *arg, struct conn *c, const struct err *why)
{
    struct rig *r = arg;

    (void)c;
    r->far = NULL;
    str_addf(&r->log, "far:%s ", why->text);
}

static void on_far_raw(void *arg, int fd, struct seal *seal)
{
    struct rig *r = arg;

    seal_free(seal);
    r->far = NULL;
    r->raw = fd;
}

static int on_go(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const Hct__ImageCredit *m = msg;

    (void)arg, (void)err;
    assert_int_equal(m->job, 3);
    assert_int_equal(m->rank, 1);
    assert_int_equal(m->bytes, 0);
    conn_detach(c, on_far_raw);
    return 0;
}

static const struct conn_route far_routes[] = {
    { MESSAGE_WELCOME, CONN_ANY, on_far_welcome },
    { MESSAGE_REFUSE, CONN_ANY, greeting_on_refuse },
    { MESSAGE_IMAGE_CREDIT, CONN_ANY, on_go },
};
static const struct conn_ops far_ops = {
    .routes = far_routes, .nroutes = sizeof(far_routes) / sizeof(far_routes[0]),
    .on_open = on_open, .on_close = on_far_close,
};

/* The slave of that node has opened a link that is to be an image. */
static void send_image(struct rig *r, const char *name, uint64_t job,
                       uint32_t rank, uint32_t serial)
{
    Hct__Hello hello = HCT__HELLO__INIT;
    Hct__ImageRaw m = HCT__IMAGE_RAW__INIT;
    struct err err;

    conn_close(r->far);
    str_reset(&r->log);
    r->far = conn_open_to(r->base, r->images_at, &r->conf, &far_ops, r, &err);
    assert_non_null(r->far);
    hello.role = HCT__ROLE__ROLE_SLAVE;
    hello.name = (char *)(uintptr_t)name;
    greeting_hello(r->far, &hello);
    m.job = job;
    m.rank = rank;
    m.serial = serial;
    conn_send(r->far, MESSAGE_IMAGE_RAW, &m);
    conn_hush(r->far);
}

/* Tasks 0 here, 1 on n2. */
static void prepare_two(struct rig *r)
{
    Hct__Prepare m = HCT__PREPARE__INIT;
    Hct__App app = HCT__APP__INIT, *apps = &app;
    Hct__JobNode node[2] = { HCT__JOB_NODE__INIT, HCT__JOB_NODE__INIT };
    Hct__JobNode *nodes[] = { &node[0], &node[1] };
    ProtobufCBinaryData argv[] = { { 5, (uint8_t *)"sleep" },
                                   { 3, (uint8_t *)"613" } };

    app.n_argv = 2;
    app.argv = argv;
    app.ntasks = 2;
    app.wdir = (char *)"/";
    node[0].name = (char *)"n1";
    node[0].ranks = (char *)"0";
    node[1].name = (char *)"n2";
    node[1].ranks = (char *)"1";
    m.job = 3;
    m.nspace = (char *)"test.3";
    m.ntasks = 2;
    m.apps = &apps;
    m.n_apps = 1;
    m.nodes = nodes;
    m.n_nodes = 2;
    m.uid = geteuid();
    m.gid = getegid();
    m.migratable = true;
    conn_send(r->link, MESSAGE_PREPARE, &m);
}

/* Task 1 comes. */
static void swap(struct rig *r)
{
    Hct__Swap m = HCT__SWAP__INIT;
    Hct__Prepare places = HCT__PREPARE__INIT;
    Hct__JobNode node = HCT__JOB_NODE__INIT, *nodes = &node;

    node.name = (char *)"n1";
    node.ranks = (char *)"all";
    places.nspace = (char *)"test.3.1";
    places.ntasks = 2;
    places.nodes = &nodes;
    places.n_nodes = 1;
    m.job = 3;
    m.serial = 1;
    m.places = &places;
    m.coming = (char *)"1";
    conn_send(r->link, MESSAGE_SWAP, &m);
}

/* It is, and nothing of the image has been sent. */
static void wait_raw(struct rig *r)
{
    r->raw = -1;
    send_image(r, "n2", 3, 1, 1);
    while (r->raw < 0)
        event_base_loop(r->base, EVLOOP_ONCE);
}

/* Images come from who has the task, in this move, and from nobody else; one that
 * ends too early is none. */
static void test_images(void **state)
{
    struct rig *r = *state;
    char layer[PATH_MAX + 64];

    snprintf(layer, sizeof(layer), "%.*s../lib/hector/libmpi.so.40",
             (int)(strlen(r->program) - strlen("hector-slave")), r->program);
    if (access(layer, F_OK) != 0)
        skip();                         /* tasks of this Open MPI do not move */
    start_slave(r, "--private");
    prepare_two(r);
    wait_log(r, "prepared:ok ");
    launch(r);
    wait_log(r, "launched:1 ");
    send_image(r, "n2", 3, 1, 1);
    wait_log(r, "far:refused: an image from n2 that nobody waits for: job=3 "
             "rank=1 serial=1 ");
    swap(r);
    wait_log(r, "swapped:1:ok ");
    send_image(r, "n2", 4, 1, 1);
    wait_log(r, "far:refused: an image from n2 that nobody waits for: job=4 ");
    send_image(r, "n2", 3, 1, 2);
    wait_log(r, "far:refused: an image from n2 that nobody waits for: job=3 "
             "rank=1 serial=2 ");
    send_image(r, "n2", 3, 0, 1);
    wait_log(r, "far:refused: an image from n2 that nobody waits for: job=3 "
             "rank=0 ");
    send_image(r, "n5", 3, 1, 1);
    wait_log(r, "far:refused: an image from n5 of a task that is on n2: ");
    wait_raw(r);
    send_image(r, "n2", 3, 1, 1);
    wait_log(r, "far:refused: an image from n2 by two ways: job=3 rank=1");
    assert_int_equal(write(r->raw, "H", 1), 1);
    close(r->raw);                      /* as of a slave that is killed */
    wait_log(r, "moved:1:3:ends too early: it was cut off");
    terminate(r, "all", 0);
    wait_log(r, "drained ");
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_job), TEST(test_refused), TEST(test_again), TEST(test_order),
        TEST(test_rejoin), TEST(test_master_gone), TEST(test_killed),
        TEST(test_guard_killed), TEST(test_images),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
