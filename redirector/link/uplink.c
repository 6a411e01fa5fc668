/* uplink.c - speaks with the master for one job; see uplink.h.
 *
 * Invariants. Once the master was reached, a link that is lost is opened
 * again until it has been away for UPLINK_LOST_NS. What was submitted is kept:
 * sent again to a master that has not accepted it, it names our job by its
 * cookie. A wish to end the job, that adopted tasks' launcher has ended, and
 * what the batch system says is repeated to a master that has accepted the job
 * again, as the one before may not have heard it. */
#include "redirector/link/uplink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"
#include "proto/link/timer.h"

#define UPLINK_LOST_NS (60 * CLOCK_NS_PER_S)
#define UPLINK_TOLD_NS (2 * CLOCK_NS_PER_S)     /* before a person hears of it */
#define UPLINK_RETRY_NS (300 * CLOCK_NS_PER_MS)

struct uplink {
    struct event_base *base;    /* borrowed, with the key in conf */
    struct conn_conf conf;
    char *addresses;            /* owned */
    struct event *retry;        /* owned */
    bool opened;                /* somebody was there */
    bool welcomed, refused, told;
    uint64_t away_ns;           /* since when there is no link */
    Hct__Submit *submit;        /* owned; NULL: not yet */
    Hct__Kill *kill;            /* owned: the last one; NULL: none */
    Hct__AdoptEnd *adopt_end;   /* owned; NULL: not yet */
    Hct__Allotment *allotment;  /* owned: the last one; NULL: none */
    struct conn *conn;          /* owned; NULL: lost */
    const struct uplink_ops *ops;
    void *arg;
    uint64_t job;               /* 0: not accepted yet */
};

static void on_open(void *arg, struct conn *c)
{
    Hct__Hello hello = HCT__HELLO__INIT;

    ((struct uplink *)arg)->opened = true;
    hello.role = HCT__ROLE__ROLE_REDIRECTOR;
    greeting_hello(c, &hello);
}

/* May end in ops->lost(), after which u may be closed: the last act. */
static void uplink_failed(struct uplink *u, const struct err *why)
{
    uint64_t now_ns = clock_monotonic_ns();

    u->conn = NULL;
    if (!u->away_ns)
        u->away_ns = now_ns;
    if (!u->opened || u->refused || now_ns - u->away_ns >= UPLINK_LOST_NS) {
        u->ops->lost(u->arg, why);
        return;
    }
    timer_set(u->retry, UPLINK_RETRY_NS);
    if (!u->told && now_ns - u->away_ns >= UPLINK_TOLD_NS) {
        u->told = true;
        u->ops->notice(u->arg, "hector-master is away: the job runs on, "
                       "waiting for it to come back", false);
    }
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    (void)c;
    uplink_failed(arg, why);
}

/* Again: to the same master, or to one that has taken its place. */
static void uplink_resume(struct uplink *u, struct conn *c)
{
    Hct__Attach m = HCT__ATTACH__INIT;

    if (u->told)
        u->ops->notice(u->arg, "hector-master is back", false);
    u->told = false;
    if (!u->submit)
        return;
    m.job = u->job;
    m.cookie = u->submit->cookie;
    if (u->job)
        conn_send(c, MESSAGE_ATTACH, &m);
    else
        conn_send(c, MESSAGE_SUBMIT, u->submit);
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct uplink *u = arg;

    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    u->away_ns = 0;
    if (u->welcomed) {
        uplink_resume(u, c);
        return 0;
    }
    u->welcomed = true;
    u->ops->ready(u->arg);
    return 0;
}

static int on_refuse(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    ((struct uplink *)arg)->refused = true;
    return greeting_on_refuse(arg, c, msg, err);
}

static int on_accepted(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct uplink *u = arg;
    const Hct__Accepted *m = msg;

    if (m->job != 0 && m->job == u->job) {      /* again */
        if (u->kill)
            conn_send(c, MESSAGE_KILL, u->kill);
        if (u->adopt_end)
            conn_send(c, MESSAGE_ADOPT_END, u->adopt_end);
        if (u->allotment)
            conn_send(c, MESSAGE_ALLOTMENT, u->allotment);
        return 0;
    }
    if (m->job == 0 || u->job != 0)
        return err_set(err, EPROTO, "job %llu was accepted, which there is "
                       "not", (unsigned long long)m->job);
    u->job = m->job;
    u->ops->accepted(u->arg, m->job, m->name);
    return 0;
}

static int on_notice(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct uplink *u = arg;
    const Hct__Notice *m = msg;

    (void)c;
    (void)err;
    u->ops->notice(u->arg, m->text, m->error);
    return 0;
}

static int on_finding(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct uplink *u = arg;

    (void)c;
    (void)err;
    if (u->ops->finding)
        u->ops->finding(u->arg, msg);
    return 0;
}

static int on_job_state(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct uplink *u = arg;
    const Hct__JobState *m = msg;

    (void)c;
    (void)err;
    u->ops->state(u->arg, m->state, m->started, m->ntasks);
    return 0;
}

static int on_job_ended(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct uplink *u = arg;

    (void)c;
    (void)err;
    u->ops->ended(u->arg, msg);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, on_refuse },
    MESSAGES_MASTER_TO_REDIRECTOR(CONN_ROUTE)
};
static const struct conn_ops uplink_conn_ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

static void uplink_on_retry(evutil_socket_t fd, short what, void *arg)
{
    struct uplink *u = arg;
    struct err err;

    (void)fd;
    (void)what;
    u->conn = conn_open_to(u->base, u->addresses, &u->conf, &uplink_conn_ops,
                           u, &err);
    if (!u->conn)
        uplink_failed(u, &err);
}

struct uplink *uplink_open(struct event_base *base, const char *addresses,
                           const struct key *key,
                           const struct uplink_ops *ops, void *arg,
                           struct err *err)
{
    struct uplink *u = calloc(1, sizeof(*u));

    if (!u)
        return err_memory(err), NULL;
    u->base = base;
    u->conf.key = key;
    u->ops = ops;
    u->arg = arg;
    u->addresses = strdup(addresses);
    u->retry = evtimer_new(base, uplink_on_retry, u);
    if (!u->addresses || !u->retry)
        err_memory(err);
    else
        u->conn = conn_open_to(base, addresses, &u->conf, &uplink_conn_ops, u,
                               err);
    if (u->conn)
        return u;
    uplink_close(u);
    return NULL;
}

/* A copy of a message, to be freed by protobuf_c_message_free_unpacked(). */
static void *uplink_copy(const void *msg)
{
    const ProtobufCMessage *m = msg;
    size_t n = protobuf_c_message_get_packed_size(m);
    uint8_t *packed = malloc(n ? n : 1);
    void *copy = NULL;

    if (packed)
        copy = protobuf_c_message_unpack(m->descriptor, NULL,
                                         protobuf_c_message_pack(m, packed),
                                         packed);
    free(packed);
    return copy;
}

int uplink_submit(struct uplink *u, const Hct__Submit *m, struct err *err)
{
    u->submit = uplink_copy(m);
    if (!u->submit)
        return err_memory(err);
    if (u->conn && conn_send(u->conn, MESSAGE_SUBMIT, m) < 0)
        return err_set(err, E2BIG, "arguments and environment are too big to "
                       "be sent");
    return 0;
}

void uplink_signal(struct uplink *u, int sig)
{
    Hct__Signal m = HCT__SIGNAL__INIT;

    if (!u->conn || u->job == 0)
        return;
    m.job = u->job;
    m.ranks = (char *)"all";
    m.signal = sig;
    conn_send(u->conn, MESSAGE_SIGNAL, &m);
}

void uplink_kill(struct uplink *u, const char *why, int exit_code, int sig,
                 bool at_once)
{
    Hct__Kill m = HCT__KILL__INIT;

    if (u->job == 0)
        return;
    m.job = u->job;
    m.ranks = (char *)"all";
    m.why = (char *)why;
    m.exit_code = exit_code;
    m.signal = sig;
    m.at_once = at_once;
    if (u->kill)
        hct__kill__free_unpacked(u->kill, NULL);
    u->kill = uplink_copy(&m);
    if (u->conn)
        conn_send(u->conn, MESSAGE_KILL, &m);
}

void uplink_allot(struct uplink *u, Hct__Allotment *m)
{
    if (u->job == 0)
        return;
    m->job = u->job;
    if (u->allotment)
        hct__allotment__free_unpacked(u->allotment, NULL);
    u->allotment = uplink_copy(m);
    if (u->conn)
        conn_send(u->conn, MESSAGE_ALLOTMENT, m);
}

void uplink_adopt_end(struct uplink *u, bool unknown, int code, int sig,
                      uint64_t grace_ns)
{
    Hct__AdoptEnd m = HCT__ADOPT_END__INIT;

    if (u->job == 0 || u->adopt_end)
        return;
    m.job = u->job;
    m.code = code;
    m.signal = sig;
    m.unknown = unknown;
    m.grace_ns = grace_ns;
    u->adopt_end = uplink_copy(&m);
    if (u->conn)
        conn_send(u->conn, MESSAGE_ADOPT_END, &m);
}

uint64_t uplink_silence_ns(const struct uplink *u)
{
    return u->away_ns ? clock_monotonic_ns() - u->away_ns
           : conn_silence_ns(u->conn);
}

bool uplink_is_flushed(const struct uplink *u)
{
    return !u->conn || conn_queued_bytes(u->conn) == 0;
}

void uplink_close(struct uplink *u)
{
    if (!u)
        return;
    conn_close(u->conn);
    timer_free(u->retry);
    if (u->submit)
        hct__submit__free_unpacked(u->submit, NULL);
    if (u->kill)
        hct__kill__free_unpacked(u->kill, NULL);
    if (u->adopt_end)
        hct__adopt_end__free_unpacked(u->adopt_end, NULL);
    if (u->allotment)
        hct__allotment__free_unpacked(u->allotment, NULL);
    free(u->addresses);
    free(u);
}
