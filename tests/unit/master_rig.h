/* master_rig.h - a whole master without its main(), and peers that speak real
 * frames over real sockets, all in one event loop. Each test includes it
 * once; what a peer hears is written down as lines, "Launch job=1". */
#ifndef MASTER_RIG_H
#define MASTER_RIG_H

#include <event2/event.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/master.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/link/addr.h"
#include "proto/link/nodemap.h"

#ifndef RIG_PEERS
#define RIG_PEERS 16
#endif
enum { RIG_WAIT_MS = 60000 };

struct peer {
    struct conn *c;
    struct rig *rig;
    Hct__Role role;
    const char *name;
    uint32_t cpus;
    bool passive;               /* a slave that does not answer by itself */
    bool last_words;            /* the guard of a slave that is dead */
    bool closed;
    struct str log;
    struct taskset ranks;       /* of the last Prepare */
};

struct rig {
    struct event_base *base;
    struct master *master;
    char dir[PATHS_MAX], db[PATHS_MAX + 16], address[PATHS_MAX + 32];
    struct peer peers[RIG_PEERS];
    size_t npeers;
    unsigned turns, starts;
};

/* ---------------------------------------------------------------- the peers */

static void peer_say(struct peer *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    str_vaddf(&p->log, fmt, ap);
    va_end(ap);
    str_add(&p->log, "\n");
}

static void peer_prepared(struct peer *p, uint64_t job, bool ok,
                          const char *why)
{
    Hct__Prepared m = HCT__PREPARED__INIT;

    m.job = job;
    m.ok = ok;
    m.why = (char *)why;
    conn_send(p->c, MESSAGE_PREPARED, &m);
}

/* Rank r gets pid 1000 + r. */
static void peer_launched(struct peer *p, uint64_t job)
{
    Hct__Launched m = HCT__LAUNCHED__INIT;
    static uint32_t pids[65536];

    for (int64_t r = -1; (r = taskset_next(&p->ranks, r)) >= 0; )
        pids[m.n_pids++] = 1000 + (uint32_t)r;
    m.job = job;
    m.pids = pids;
    m.at_ns = clock_wall_ns();
    conn_send(p->c, MESSAGE_LAUNCHED, &m);
}

static int peer_prepare(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct peer *p = arg;
    const Hct__Prepare *m = msg;

    (void)c;
    struct nodemap map;
    char *ranks;

    assert_int_equal(nodemap_read(&map, m, err), 0);
    assert_true(m->here < map.n);
    taskset_copy(&p->ranks, &map.v[m->here].ranks);
    ranks = taskset_text(&p->ranks);
    peer_say(p, "Prepare job=%llu here=%u of %zu ranks=%s over=%d app=%.*s "
             "nspace=%s attempt=%u restore=%s", (unsigned long long)m->job, m->here, map.n,
             ranks, m->oversubscribed,
             (int)m->apps[0]->argv[0].len, m->apps[0]->argv[0].data,
             m->nspace, m->attempt, m->restore);
    free(ranks);
    nodemap_fini(&map);
    if (!p->passive)
        peer_prepared(p, m->job, true, "");
    return 0;
}

static int peer_launch(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct peer *p = arg;
    const Hct__Launch *m = msg;

    (void)c;
    (void)err;
    peer_say(p, "Launch job=%llu", (unsigned long long)m->job);
    if (!p->passive)
        peer_launched(p, m->job);
    return 0;
}

/* Messages that are only written down. x is the message. */
#define PEER_ON(name, Type, ...)                                        \
    static int peer_##name(void *arg, struct conn *c, const void *msg,  \
                           struct err *err)                             \
    {                                                                   \
        const Hct__##Type *x = msg;                                     \
                                                                        \
        (void)c;                                                        \
        (void)err;                                                      \
        peer_say(arg, #Type " " __VA_ARGS__);                           \
        return 0;                                                       \
    }
#define LLU(v) ((unsigned long long)(v))
PEER_ON(welcome, Welcome, "node=%u", x->node)
PEER_ON(refuse, Refuse, "%s", x->why)
PEER_ON(accepted, Accepted, "job=%llu name=%s", LLU(x->job), x->name)
PEER_ON(notice, Notice, "%d %s", x->error, x->text)
PEER_ON(job_state, JobState, "job=%llu %s %u/%u", LLU(x->job), x->state,
        x->started, x->ntasks)
PEER_ON(job_ended, JobEnded, "job=%llu code=%d why=%s", LLU(x->job),
        x->exit_code, x->why)
PEER_ON(result, Result, "%d %s", x->ok, x->text)
PEER_ON(task_signal, TaskSignal, "job=%llu ranks=%s signal=%d", LLU(x->job),
        x->ranks, x->signal)
PEER_ON(terminate, Terminate, "job=%llu ranks=%s grace=%llu signal=%d",
        LLU(x->job), x->ranks, LLU(x->grace_ns), x->signal)
PEER_ON(forget, Forget, "job=%llu", LLU(x->job))
PEER_ON(fence_done, FenceDone, "job=%llu status=%d data=%.*s", LLU(x->job),
        x->status, (int)x->data.len, x->data.data)
PEER_ON(event_ack, EventAck, "job=%llu rank=%u upto=%llu", LLU(x->job),
        x->rank, LLU(x->upto))
PEER_ON(modex_request, ModexRequest, "rank=%u ticket=%llu from=%u", x->rank,
        LLU(x->ticket), x->from_node)
PEER_ON(modex_reply, ModexReply, "ticket=%llu status=%d data=%.*s",
        LLU(x->ticket), x->status, (int)x->data.len, x->data.data)
PEER_ON(farewell, Farewell, "%s", x->why)
PEER_ON(lookup_reply, LookupReply, "ticket=%llu status=%d found=%zu %s",
        LLU(x->ticket), x->status, x->n_found,
        x->n_found ? x->found[0]->key : "")

static void peer_open(void *arg, struct conn *c)
{
    struct peer *p = arg;
    Hct__Hello m = HCT__HELLO__INIT;
    Hct__NodeInfo n = HCT__NODE_INFO__INIT;

    conn_set_role(c, HCT__ROLE__ROLE_MASTER);
    m.protocol = PROTOCOL_VERSION;
    m.role = p->role;
    m.name = (char *)p->name;
    m.version = (char *)"test";
    m.instance = 1 + (uint64_t)(p - p->rig->peers);
    n.cpus = p->cpus;
    n.hostname = (char *)p->name;
    n.machine = (char *)"x86_64";
    n.memory_bytes = 1 << 30;
    m.last_words = p->last_words;
    if (p->role == HCT__ROLE__ROLE_SLAVE && !p->last_words)
        m.node = &n;
    conn_send(c, MESSAGE_HELLO, &m);
}

static void peer_close(void *arg, struct conn *c, const struct err *why)
{
    struct peer *p = arg;

    (void)c;
    peer_say(p, "closed: %s", why->text);
    p->closed = true;
    p->c = NULL;
}

#ifdef RIG_ON_LOOK
static int RIG_ON_LOOK(void *arg, struct conn *c, const void *msg,
                       struct err *err);
#endif
static const struct conn_route peer_routes[] = {
#ifdef RIG_ON_LOOK
    { MESSAGE_LOOK, CONN_ANY, RIG_ON_LOOK },
#endif
#ifdef RIG_ROUTES               /* what a test hears besides */
    RIG_ROUTES
#endif
    { MESSAGE_WELCOME, CONN_ANY, peer_welcome },
    { MESSAGE_REFUSE, CONN_ANY, peer_refuse },
    { MESSAGE_ACCEPTED, CONN_ANY, peer_accepted },
    { MESSAGE_NOTICE, CONN_ANY, peer_notice },
    { MESSAGE_JOB_STATE, CONN_ANY, peer_job_state },
    { MESSAGE_JOB_ENDED, CONN_ANY, peer_job_ended },
    { MESSAGE_RESULT, CONN_ANY, peer_result },
    { MESSAGE_PREPARE, CONN_ANY, peer_prepare },
    { MESSAGE_LAUNCH, CONN_ANY, peer_launch },
    { MESSAGE_TASK_SIGNAL, CONN_ANY, peer_task_signal },
    { MESSAGE_TERMINATE, CONN_ANY, peer_terminate },
    { MESSAGE_FORGET, CONN_ANY, peer_forget },
    { MESSAGE_FENCE_DONE, CONN_ANY, peer_fence_done },
    { MESSAGE_EVENT_ACK, CONN_ANY, peer_event_ack },
    { MESSAGE_MODEX_REQUEST, CONN_ANY, peer_modex_request },
    { MESSAGE_MODEX_REPLY, CONN_ANY, peer_modex_reply },
    { MESSAGE_LOOKUP_REPLY, CONN_ANY, peer_lookup_reply },
    { MESSAGE_FAREWELL, CONN_ANY, peer_farewell },
};

static const struct conn_ops peer_ops = {
    .routes = peer_routes,
    .nroutes = sizeof(peer_routes) / sizeof(peer_routes[0]),
    .on_open = peer_open,
    .on_close = peer_close,
};

/* --------------------------------------------------------------- the master */

static void rig_turned(void *arg)
{
    ((struct rig *)arg)->turns++;
}

static const struct master_ops rig_ops = { .turned = rig_turned };

/* How long slaves may take for it; before the rig is started. */
static uint64_t rig_prepare_wait_ns = CLOCK_NS_PER_S;
static uint64_t rig_restart_wait_ns = 2 * CLOCK_NS_PER_S;

static void rig_start(struct rig *r)
{
    struct master_conf conf = {
        .flow = {
            .instance = 0xabcdef12 + r->starts++, .join_wait_ns = 400 * CLOCK_NS_PER_MS,
            .notice_ns = 50 * CLOCK_NS_PER_MS,
            .left_wait_ns = 50 * CLOCK_NS_PER_MS,
            .lost_wait_ns = 700 * CLOCK_NS_PER_MS,
            .restart_wait_ns = rig_restart_wait_ns,
            .prepare_wait_ns = rig_prepare_wait_ns,
            .batch_wait_ns = 6 * CLOCK_NS_PER_S,
            .end_wait_ns = 2 * CLOCK_NS_PER_S,
#ifdef RIG_POLICIES
            .watch = { .policies = RIG_POLICIES, .tape_bytes = 1 << 20,
                       .judge = { .step_ns = 60 * CLOCK_NS_PER_S } },
#endif
        },
        .name = "rig", .host = "here", .addresses = r->address, .path = r->db,
    };
    struct addr a;
    struct err err;
    struct store *st = store_open(r->db, &err);
    int fd;

    assert_non_null(st);
    r->base = event_base_new();
    r->master = master_create(r->base, &conf, st, &rig_ops, r, &err);
    assert_non_null(r->master);
    assert_int_equal(addr_parse(&a, r->address, &err), 0);
    fd = addr_listen(&a, &err);
    assert_true(fd >= 0);
    assert_int_equal(hub_listen(r->master->hub, fd, &err), 0);
}

static int rig_setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct err err;

    log_init("test", getenv("RIG_DEBUG") ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARN);
    if (paths_make_private_dir(r->dir, sizeof(r->dir), &err))
        return -1;
    snprintf(r->db, sizeof(r->db), "%s/h.db", r->dir);
    snprintf(r->address, sizeof(r->address), "unix:%s/m.sock", r->dir);
    rig_start(r);
    *state = r;
    return 0;
}

static int rig_teardown(void **state)
{
    struct rig *r = *state;

    for (size_t i = 0; i < r->npeers; i++) {
        conn_close(r->peers[i].c);
        str_fini(&r->peers[i].log);
        taskset_fini(&r->peers[i].ranks);
    }
    master_destroy(r->master);
    event_base_free(r->base);
    paths_remove_tree(r->dir, NULL);
    free(r);
    return 0;
}

/* ------------------------------------------- a master that is killed, and again */

static inline void rig_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    if (sqlite3_open(path, &db) || sqlite3_busy_timeout(db, RIG_WAIT_MS) ||
        sqlite3_exec(db, sql, NULL, NULL, NULL))
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static inline void rig_leave(struct rig *r)
{
    for (size_t i = 0; i < r->npeers; i++) {
        conn_close(r->peers[i].c);
        r->peers[i].c = NULL;
    }
    master_destroy(r->master);
    event_base_free(r->base);
}

/* As kill -9 leaves it: the database is as it is now. Then another one is started;
 * peers have to come anew. */
static inline void rig_again(struct rig *r)
{
    char now[sizeof(r->db) + 8], sql[sizeof(now) + 300], host[200] = "";

    snprintf(now, sizeof(now), "%s.now", r->db);
    snprintf(sql, sizeof(sql), "VACUUM INTO '%s'", now);
    rig_sql(r->db, sql);
    rig_leave(r);
    gethostname(host, sizeof(host) - 1);
    snprintf(sql, sizeof(sql), "UPDATE master SET host = '%s'", host);
    rig_sql(now, sql);
    snprintf(sql, sizeof(sql), "%s-wal", r->db);
    unlink(sql);
    snprintf(sql, sizeof(sql), "%s-shm", r->db);
    unlink(sql);
    assert_int_equal(rename(now, r->db), 0);
    rig_start(r);
}

/* ------------------------------------------------------------------- waiting */

/* Turn the loop until the peer has heard text n times; fails the test. */
static void rig_wait_n(struct peer *p, const char *text, int n)
{
    uint64_t end = clock_monotonic_ns() + RIG_WAIT_MS * CLOCK_NS_PER_MS;

    for (;;) {
        const char *at = str_text(&p->log);
        int seen = 0;

        while ((at = strstr(at, text))) {
            seen++;
            at += strlen(text);
        }
        if (seen >= n)
            return;
        if (clock_monotonic_ns() > end)
            fail_msg("%s did not hear \"%s\" %d times, but:\n%s", p->name,
                     text, n, str_text(&p->log));
        event_base_loop(p->rig->base, EVLOOP_NONBLOCK);
        usleep(200);
    }
}

static void rig_wait(struct peer *p, const char *text)
{
    rig_wait_n(p, text, 1);
}

/* Turn the loop for a while; for things that must not happen. */
static inline void rig_turn(struct rig *r, int ms)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)ms * CLOCK_NS_PER_MS;

    do {
        event_base_loop(r->base, EVLOOP_NONBLOCK);
        usleep(200);
    } while (clock_monotonic_ns() < end);
}

static inline bool heard(const struct peer *p, const char *text)
{
    return strstr(str_text(&p->log), text) != NULL;
}

static struct peer *rig_connect(struct rig *r, Hct__Role role,
                                const char *name, uint32_t cpus)
{
    struct peer *p = &r->peers[r->npeers++];
    struct conn_conf conf = { 0 };
    struct err err;

    p->rig = r;
    p->role = role;
    p->name = name;
    p->cpus = cpus;
    p->c = conn_open_to(r->base, r->address, &conf, &peer_ops, p, &err);
    assert_non_null(p->c);
    return p;
}

static struct peer *rig_slave(struct rig *r, const char *name, uint32_t cpus)
{
    struct peer *p = rig_connect(r, HCT__ROLE__ROLE_SLAVE, name, cpus);

    rig_wait(p, "Welcome");
    return p;
}

static struct peer *rig_redirector(struct rig *r)
{
    struct peer *p = rig_connect(r, HCT__ROLE__ROLE_REDIRECTOR, "u@h", 0);

    rig_wait(p, "Welcome");
    return p;
}

/* ----------------------------------------------------------- what peers say */

struct wish {
    uint32_t ntasks;
    const char *hosts[4];
    uint32_t slots;
    bool by_node;
    uint32_t per_node;
    bool again;                 /* with the cookie of the last one */
    bool adopt;                 /* others start the tasks */
    const char *on_hang;
    Hct__Checkpoint **from;     /* it begins as it was there, */
    size_t nfrom;               /* and goes back so often: */
    uint32_t max_restarts;
    bool migratable;
    const char *dir;            /* for checkpoints */
    bool batch;                 /* it is in a batch system that can be asked */
};

static void peer_submit(struct peer *p, const struct wish *w)
{
    Hct__Submit m = HCT__SUBMIT__INIT;
    Hct__App app = HCT__APP__INIT, *apps[1] = { &app };
    Hct__Host hosts[4], *list[4];
    ProtobufCBinaryData argv[1] = { { 8, (uint8_t *)"./solver" } };
    ProtobufCBinaryData env[1] = { { 6, (uint8_t *)"PATH=/" } };
    char *streams[1] = { (char *)"unix:/tmp/stream.sock" };
    static int submitted;       /* each job has a cookie of its own */
    char cookie[17];

    app.n_argv = app.n_env = 1;
    app.argv = argv;
    app.env = env;
    app.ntasks = w->ntasks;
    app.wdir = (char *)"/tmp";
    m.n_apps = 1;
    m.apps = apps;
    for (; m.n_hosts < 4 && w->hosts[m.n_hosts]; m.n_hosts++) {
        hct__host__init(&hosts[m.n_hosts]);
        hosts[m.n_hosts].name = (char *)w->hosts[m.n_hosts];
        hosts[m.n_hosts].slots = w->slots;
        list[m.n_hosts] = &hosts[m.n_hosts];
    }
    m.hosts = list;
    m.map_by = w->by_node ? HCT__MAP_BY__MAP_BY_NODE
                          : HCT__MAP_BY__MAP_BY_SLOT;
    m.per_node = w->per_node;
    m.n_stream_addresses = 1;
    m.stream_addresses = streams;
    snprintf(cookie, sizeof(cookie), "%016d", w->again ? submitted
                                                       : ++submitted);
    m.cookie.data = (uint8_t *)cookie;
    m.cookie.len = 16;
    m.stdin_ranks = (char *)(w->adopt ? "" : "0");
    m.grace_ns = 250 * CLOCK_NS_PER_MS;
    m.command = (char *)"hector-run ./solver";
    m.batch = (char *)(w->batch ? "Slurm 42" : "");
    m.batch_tells = w->batch;
    if (w->on_hang)
        m.on_hang = (char *)w->on_hang;
    if (w->adopt)
        m.adopt_socket = (char *)"@hector-test";
    m.migratable = w->migratable || w->nfrom;
    m.restore = w->from;
    m.n_restore = w->nfrom;
    m.max_restarts = w->max_restarts;
    if (w->dir)
        m.checkpoint_dir = (char *)(uintptr_t)w->dir;
    conn_send(p->c, MESSAGE_SUBMIT, &m);
}

static void peer_exit(struct peer *p, uint64_t job, uint32_t rank, int code,
                      int signal, const char *tag)
{
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    m.job = job;
    m.rank = rank;
    m.code = code;
    m.signal = signal;
    m.at_ns = clock_wall_ns();
    m.user_ns = 5;
    m.system_ns = 2;
    m.mpi_calls = 10 + rank;
    m.last_tag = (char *)tag;
    m.finalized = true;
    conn_send(p->c, MESSAGE_TASK_EXITED, &m);
}

static void peer_drained(struct peer *p, uint64_t job)
{
    Hct__Drained m = HCT__DRAINED__INIT;

    m.job = job;
    conn_send(p->c, MESSAGE_DRAINED, &m);
}

static inline void peer_task_state(struct peer *p, uint64_t job, uint32_t rank,
                                   Hct__TaskState__Kind kind)
{
    Hct__TaskState m = HCT__TASK_STATE__INIT;

    m.job = job;
    m.rank = rank;
    m.kind = kind;
    m.at_ns = clock_wall_ns();
    conn_send(p->c, MESSAGE_TASK_STATE, &m);
}

/* A job of two tasks runs on one slave; and comes to its end. */
static inline void rig_run_two(struct rig *r, struct peer **slave,
                               struct peer **run)
{
    *slave = rig_slave(r, "a", 2);
    *run = rig_redirector(r);
    peer_submit(*run, &(struct wish){ .ntasks = 2, .hosts = { "a" } });
    rig_wait(*run, "running 2/2");
}

static inline void rig_end_two(struct peer *slave, struct peer *run)
{
    peer_exit(slave, 1, 0, 0, 0, "");
    peer_exit(slave, 1, 1, 0, 0, "");
    peer_drained(slave, 1);
    rig_wait(run, "JobEnded job=1 code=0");
}

/* -------------------------------------------------------------- the record */

static int rig_row(void *arg, int n, const char *const *names,
                   const struct store_value *v)
{
    struct str *out = arg;

    (void)names;
    for (int i = 0; i < n; i++) {
        if (i)
            str_add(out, "|");
        if (v[i].type == STORE_INT)
            str_addf(out, "%lld", (long long)v[i].i);
        else if (v[i].type == STORE_REAL)
            str_addf(out, "%g", v[i].d);
        else if (v[i].type != STORE_NULL)
            str_add_bytes(out, v[i].text, v[i].bytes);
    }
    str_add(out, "\n");
    return 0;
}

/* The answer of the database, as another process would get it, once what is
 * under way has been committed. */
static inline void rig_expect(struct rig *r, const char *sql,
                              const char *want)
{
    uint64_t until = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;
    struct str out = { 0 };
    struct err err = { 0 };

    for (;;) {
        struct store *st = store_open_readonly(r->db, &err);

        str_reset(&out);
        if (!st || store_query(st, sql, rig_row, &out, &err))
            fail_msg("%s: %s", sql, err.text);
        store_close(st);
        if (strcmp(str_text(&out), want) == 0 || clock_monotonic_ns() > until)
            break;
        rig_turn(r, 5);
    }
    assert_string_equal(str_text(&out), want);
    str_fini(&out);
}

#endif
