/* hub.c - one struct for each link: who comes in, what each kind of peer may
 * say, which part of the master hears it, and who has gone.
 *
 * Invariants. A peer's link has no role until it was welcomed; then a slave has
 * its node, and the node's link is this one. Messages about a job that is not
 * known (any more) are dropped: the slave was told to forget it and has not read
 * that yet. What needs an answer then gets one that lets the slave come to its
 * end. */
#include "master/peers/hub.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "master/act/hands.h"
#include "master/act/importance.h"
#include "master/act/owner.h"
#include "master/findings/findings.h"
#include "master/flow/adopt.h"
#include "master/flow/again.h"
#include "master/flow/notice.h"
#include "master/flow/submit.h"
#include "master/ladder/ladder.h"
#include "master/move/checkpoint.h"
#include "master/optimize/effort.h"
#include "master/optimize/optimize.h"
#include "master/peers/control.h"
#include "master/store/events.h"
#include "master/store/profile.h"
#include "master/tree/gather.h"
#include "master/watch/watcher.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/signals.h"
#include "proto/link/greeting.h"
#include "proto/link/refused.h"

enum { PEER_LISTENERS = 8, PEER_NAME_MAX = 255 };
static const uint64_t peer_redial_ns = 2 * CLOCK_NS_PER_S;

struct peer {
    LIST_ENTRY(peer) place;     /* in the hub */
    struct hub *hub;            /* borrowed */
    struct conn *link;          /* owned */
    struct node *node;          /* borrowed; slaves only */
    struct job *job;            /* of the message being handled */
    struct job_node *at;        /* its part of that job */
    bool told;                  /* slaves: which jobs they have */
    struct gather *gather;      /* operators: what they wait for, or NULL */
    uint64_t late, late_job;    /* slaves: records that nobody can store any
                                   more, and the last job that they were of */
};

struct hub {
    struct event_base *base;    /* borrowed, like the next five */
    struct nodes *nodes;
    struct jobs *jobs;
    struct journal *journal;
    struct relay *relay;
    struct flow *flow;
    struct hub_conf conf;
    struct reducer *reducer;    /* owned, like the next two */
    LIST_HEAD(, peer) peers;
    struct conn_listener *listeners[PEER_LISTENERS];
    size_t nlisteners;
    bool holding, had_redirector;
    size_t nleaving;            /* links that are still being flushed */
    void (*left)(void *arg);    /* when there is none any more */
    char *warning;              /* owned; said to everyone who submits */
};

/* --------------------------------------------------------------- admission */

/* Say why, and close behind it. The peer is gone when this returns. */
static int peer_refuse(struct peer *s, const struct err *err)
{
    greeting_refuse(s->link, "peer", err);
    LIST_REMOVE(s, place);
    free(s);
    return 0;
}

static void node_describe(struct node *n, const Hct__Hello *m)
{
    n->instance = m->instance;
    n->state = NODE_UP;
    n->seen_ns = clock_wall_ns();
    n->clock_known = false;
    free(n->reduce_at);
    n->reduce_at = NULL;
    if (!m->node)
        return;
    n->cpus = m->node->cpus ? m->node->cpus : 1;
    n->processors = m->node->processors;
    n->pace = (struct node_pace){ .loop = m->node->speed > 0 &&
                                          m->node->speed < 1e6
                                          ? m->node->speed : 0 };
    n->busy_mean = 0;
    n->memory_bytes = m->node->memory_bytes;
    node_set_text(&n->hostname, m->node->hostname);
    node_set_text(&n->machine, m->node->machine);
    cpu_take(&n->cpu, m->node->cpu, m->node->n_cpu);
}

/* The same slave on a new link: it has given up the old one before us. */
static void peer_drop_link(struct hub *h, const struct node *n)
{
    struct peer *s;

    LIST_FOREACH(s, &h->peers, place)
        if (s->node == n) {
            LIST_REMOVE(s, place);
            conn_close(s->link);
            free(s);
            reducer_node_gone(h->reducer, n, "its link was lost");
            break;
        }
}

/* PMIx, sets of hosts and people take a name apart at these; a node by such a
 * name would spoil every job that is placed on it. */
static bool peer_is_name(const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (*p <= ' ' || *p == 0x7f || strchr(",;[]\"", *p))
            return false;
    return true;
}

static int peer_join(struct peer *s, const Hct__Hello *m,
                     struct err *err)
{
    struct node *n = nodes_find(s->hub->nodes, m->name);

    if (!*m->name || strlen(m->name) > PEER_NAME_MAX)
        return err_set(err, EINVAL, "a slave needs a name of 1 to %d bytes",
                       PEER_NAME_MAX);
    if (!peer_is_name(m->name))
        return err_set(err, EINVAL, "\"%s\" is no name for a node: a blank, a "
                       "comma or the like is in it", m->name);
    if (n && n->link && n->instance == m->instance) {
        peer_drop_link(s->hub, n);
        n->link = NULL;
        flow_node_away(s->hub->flow, n, "it has opened another link");
    }
    if (n && n->link)
        return err_set(err, EEXIST, "a slave named %s has already joined (%s)",
                       m->name, conn_peer(n->link));
    if (m->last_words && !n)
        return err_set(err, ENOENT, "there was no slave called %s", m->name);
    n = nodes_make(s->hub->nodes, m->name);
    if (!n)
        return err_memory(err);
    if (m->last_words) {                /* it will not run anything */
        n->link = s->link;
        s->node = n;
        flow_node_speaks(n);
        return 0;
    }
    node_describe(n, m);
    n->link = s->link;
    s->node = n;
    journal_node(s->hub->journal, n);
    log_info("peer", "node %s joined with %u processors: %s", n->name,
             n->cpus, conn_peer(s->link));
    if (s->hub->holding)
        conn_pause(s->link);
    return 0;
}

static void peer_owner(const struct peer *s, const Hct__Owner *m);

static void peer_welcome(struct peer *s, Hct__Role role)
{
    Hct__Welcome w = HCT__WELCOME__INIT;

    w.role = HCT__ROLE__ROLE_MASTER;
    w.name = (char *)s->hub->conf.name;
    w.instance = s->hub->conf.instance;
    w.node = s->node ? s->node->id : 0;
    greeting_welcome(s->link, role, &w);
}

static int on_hello(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct peer *s = arg;
    const Hct__Hello *m = msg;

    if (greeting_check(c, m, "master", err))
        return peer_refuse(s, err);
    switch (m->role) {
    case HCT__ROLE__ROLE_SLAVE:
        if (peer_join(s, m, err))
            return peer_refuse(s, err);
        break;
    case HCT__ROLE__ROLE_REDIRECTOR:
    case HCT__ROLE__ROLE_OPERATOR:
        break;
    default:
        err_set(err, EPROTO, "nothing is known about peers of role %d",
                (int)m->role);
        return peer_refuse(s, err);
    }
    s->hub->had_redirector |= m->role == HCT__ROLE__ROLE_REDIRECTOR;
    if (m->role == HCT__ROLE__ROLE_REDIRECTOR)
        conn_tolerate_silence(c);       /* Ctrl-Z stops it */
    peer_welcome(s, m->role);
    if (s->node && !m->last_words && m->node)
        peer_owner(s, m->node->owner);
    if (s->node && !m->last_words)
        flow_node_joined(s->hub->flow);
    return 0;
}

/* -------------------------------------------------- redirectors, operators */

static void peer_end_job(struct conn *c, int exit_code, const char *why)
{
    Hct__JobEnded m = HCT__JOB_ENDED__INIT;

    m.exit_code = exit_code;
    m.why = (char *)why;
    conn_send(c, MESSAGE_JOB_ENDED, &m);
}

/* A Submit that comes again, as its Accepted was never seen. */
static struct job *peer_submitted(const struct hub *h,
                                  const Hct__Submit *m)
{
    for (struct job *j = NULL; (j = jobs_next(h->jobs, j)); )
        if (job_has_cookie(j, m->cookie.data, m->cookie.len))
            return j;
    return NULL;
}

static int on_submit(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct hub *h = ((struct peer *)arg)->hub;
    struct job *j = peer_submitted(h, msg);

    if (j) {
        flow_attach(j, c);
        return 0;
    }
    if (flow_stopping(h->flow)) {
        peer_end_job(c, 125, "hector-master is about to stop");
        return 0;
    }
    j = submit_job(msg, err);
    if (!j) {
        peer_end_job(c, 125, err->text);
        return 0;
    }
    if (importance_allowed(&flow_acts(h->flow)->conf, &j->priority, NULL, err) ||
        flow_watch(h->flow, j, msg, err)) {
        peer_end_job(c, 2, err->text);          /* as for wrong usage */
        flow_free_job(j);
        return 0;
    }
    j->redirector = c;
    if (h->warning)
        notice(j, true, "%s", h->warning);
    flow_submit(h->flow, j);
    return 0;
}

/* It has ended while its redirector was away; the record says how. */
static void peer_end_recorded(struct hub *h, struct conn *c,
                              uint64_t job)
{
    Hct__JobEnded m = HCT__JOB_ENDED__INIT;
    struct journal_end end;
    char text[200];

    m.job = job;
    if (journal_find_end(h->journal, job, &end) == 0) {
        m.exit_code = end.exit_code;
        m.why = end.why;
    } else {
        m.exit_code = 125;
        snprintf(text, sizeof(text), "hector-master knows no job %llu: its "
                 "record is lost", (unsigned long long)job);
        m.why = text;
    }
    conn_send(c, MESSAGE_JOB_ENDED, &m);
}

static int on_attach(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct hub *h = ((struct peer *)arg)->hub;
    const Hct__Attach *m = msg;
    struct job *j = jobs_find(h->jobs, m->job);

    if (!j) {
        peer_end_recorded(h, c, m->job);
        return 0;
    }
    if (!job_has_cookie(j, m->cookie.data, m->cookie.len))
        return err_set(err, EACCES, "job %llu is another's",
                       (unsigned long long)m->job);
    flow_attach(j, c);
    return 0;
}

static int on_adopt_end(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct hub *h = ((struct peer *)arg)->hub;
    const Hct__AdoptEnd *m = msg;
    struct job *j = jobs_find(h->jobs, m->job);

    if (!j)
        return 0;
    if (j->redirector != c)
        return err_set(err, EPROTO, "AdoptEnd for job %llu",
                       (unsigned long long)m->job);
    if (!signals_may_end(m->signal))
        return err_set(err, EPROTO, "AdoptEnd by signal %d", m->signal);
    return adopt_end(j, m, err);
}

/* An operator hears how it went; a redirector sees it. */
static void peer_answer(struct conn *c, int rc, const struct err *err,
                        const char *text)
{
    Hct__Result m = HCT__RESULT__INIT;

    if (conn_role(c) != HCT__ROLE__ROLE_OPERATOR) {
        if (rc)
            log_debug("peer", "%s: %s", conn_peer(c), err->text);
        return;
    }
    m.ok = rc == 0;
    m.text = rc ? (char *)err->text : (char *)text;
    conn_send(c, MESSAGE_RESULT, &m);
}

static void peer_result(struct conn *c, int rc, const struct err *err)
{
    peer_answer(c, rc, err, "");
}

static const struct conn *peer_own(struct conn *c)
{
    return conn_role(c) == HCT__ROLE__ROLE_OPERATOR ? NULL : c;
}

/* A job that is in files gets nodes; 1: that is not what is meant. */
static int resume_stored(struct peer *s, struct conn *c, const Hct__Hold *m,
                         struct err *err)
{
    struct job *j = jobs_find(s->hub->jobs, m->job);
    const struct nodes *nodes = s->hub->nodes;

    if (!j || (peer_own(c) && j->redirector != c) ||
        m->order != HCT__HOLD_ORDER__HOLD_RESUME ||
        (j->state != JOB_STORED && !m->n_nodes))
        return 1;
    for (size_t i = 0; i < m->n_nodes; i++)
        if (!nodes_find(nodes, m->nodes[i]))
            return err_set(err, ENOENT, "there is no node %.100s", m->nodes[i]);
    return again_resume(j, m->nodes, m->n_nodes, err);
}

static int on_hold(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    struct peer *s = arg;
    char text[200] = "";
    int rc = resume_stored(s, c, msg, err);

    if (rc <= 0) {
        peer_answer(c, rc, err, text);
        return 0;
    }
    rc = control_hold(flow_acts(s->hub->flow), s->hub->jobs,
                          peer_own(c), msg, text, sizeof(text), err);

    peer_answer(c, rc, err, text);
    return 0;
}

static int on_priority(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct peer *s = arg;
    char text[200] = "";
    int rc = control_priority(flow_acts(s->hub->flow), s->hub->jobs, msg, text,
                              sizeof(text), err);

    peer_answer(c, rc, err, text);
    return 0;
}

static int on_calendar(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct peer *s = arg;
    struct str text = { 0 };
    int rc = control_calendar(flow_acts(s->hub->flow), s->hub->jobs, msg, &text,
                              err);

    peer_answer(c, rc, err, str_text(&text));
    str_fini(&text);
    return 0;
}

static int on_ask(void *arg, struct conn *c, const void *msg, struct err *err)
{
    struct peer *s = arg;

    peer_answer(c, control_ask(s->hub->jobs, msg, err), err, "");
    return 0;
}

/* Answered when it is done, or cannot be. */
static int on_migrate(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct peer *s = arg;

    if (control_migrate(flow_acts(s->hub->flow), flow_movers(s->hub->flow),
                        s->hub->jobs, s->hub->nodes, c, msg, err))
        peer_result(c, -1, err);
    return 0;
}

/* The same. */
static int on_save(void *arg, struct conn *c, const void *msg, struct err *err)
{
    struct peer *s = arg;

    if (control_save(flow_acts(s->hub->flow), flow_movers(s->hub->flow),
                     s->hub->jobs, c, msg, err))
        peer_result(c, -1, err);
    return 0;
}

static int on_drain(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct peer *s = arg;

    if (control_drain(flow_acts(s->hub->flow), flow_drains(s->hub->flow), c,
                      msg, err))
        peer_result(c, -1, err);
    return 0;
}

static int on_optimize(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct peer *s = arg;

    if (optimize_order(flow_optimize(s->hub->flow), c, msg, err))
        peer_result(c, -1, err);
    return 0;
}

static int on_kill(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    struct peer *s = arg;

    peer_result(c, control_kill(flow_acts(s->hub->flow), s->hub->jobs,
                                peer_own(c), msg, err), err);
    return 0;
}

/* What is late is of no use any more. */
static int on_allotment(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct peer *s = arg;
    const Hct__Allotment *m = msg;
    struct job *j = jobs_find(s->hub->jobs, m->job);

    return j && j->redirector == c ? flow_allotment(j, m, err) : 0;
}

/* ------------------------------------------------------------------ slaves */

/* The job a message is about, and the part of it that is on this slave. 1:
 * go on, 0: the job is gone, -1: it was never this slave's. */
static int peer_find(struct peer *s, uint64_t id, struct err *err)
{
    s->job = jobs_find(s->hub->jobs, id);
    if (!s->job)
        return 0;
    s->at = s->job->nodes ? job_node_find(s->job, s->node) : NULL;
    if (!s->at && (s->job->attempt || (s->job->inherited && !s->told)))
        return 0;               /* it had, before the job went back; or was about
                                   to get one from a master before */
    if (!s->at)
        return err_set(err, EPROTO, "job %llu has no task on this node",
                       (unsigned long long)id);
    return s->at->lost ? 0 : 1;
}

#define ON_JOB(name, Type, call)                                        \
    static int on_##name(void *arg, struct conn *c, const void *msg,    \
                         struct err *err)                               \
    {                                                                   \
        struct peer *s = arg;                                        \
        const Hct__##Type *m = msg;                                     \
        int rc = peer_find(s, m->job, err);                          \
                                                                        \
        (void)c;                                                        \
        return rc > 0 ? (call) : rc;                                    \
    }

ON_JOB(passed_signal, Signal,
       control_passed_signal(flow_acts(s->hub->flow), s->job, s->at, m, err))
ON_JOB(prepared, Prepared, flow_prepared(s->job, s->at, m, err))
ON_JOB(launched, Launched, flow_launched(s->job, s->at, m, err))
ON_JOB(task_state, TaskState, flow_task_state(s->job, s->at, m, err))
ON_JOB(task_exited, TaskExited, flow_task_exited(s->job, s->at, m, err))
ON_JOB(task_abort, TaskAbort, flow_task_abort(s->job, s->at, m, err))
ON_JOB(held, Held, hands_held(s->hub->journal, s->job, s->at, m, err))
ON_JOB(scheduled, Scheduled,
       importance_scheduled(flow_acts(s->hub->flow), s->job, s->at, m, err))
ON_JOB(yielded, Yielded,
       ladder_yielded(flow_ladder(s->hub->flow), s->job, s->at, m, err))
ON_JOB(looked, Looked, watcher_looked(s->job->watcher, s->at, m, err))
ON_JOB(stop_look, StopLook, mover_looked(s->job, s->at, m, err))
ON_JOB(room, Room, (mover_room(s->job, s->at, m), 0))
ON_JOB(room_made, RoomMade, (mover_room_made(s->job, s->at, m), 0))
ON_JOB(swapped, Swapped, (mover_swapped(s->job, s->at, m), 0))
ON_JOB(task_moved, TaskMoved, flow_task_moved(s->job, s->at, m, err))
ON_JOB(come_apart, ComeApart,
       mover_apart(flow_movers(s->hub->flow), s->job, s->at, m, err))
ON_JOB(kept, Kept, (checkpoint_kept(s->job, s->at, m), 0))
ON_JOB(image, Image, (mover_image(s->job, s->at, m), 0))
ON_JOB(image_credit, ImageCredit, (mover_credit(s->job, s->at, m), 0))
ON_JOB(image_sent, ImageSent, (mover_sent(s->job, s->at, m), 0))
ON_JOB(fence, Fence, relay_fence(s->hub->relay, s->job, s->at, m, err))
ON_JOB(publish, Publish, relay_publish(s->hub->relay, s->job, s->at, m, err))
ON_JOB(lookup, Lookup, relay_lookup(s->hub->relay, s->job, s->at, m, err))
ON_JOB(unpublish, Unpublish,
       relay_unpublish(s->hub->relay, s->job, s->at, m, err))
ON_JOB(modex_request, ModexRequest,
       relay_modex_request(s->hub->relay, s->job, s->at, m, err))
ON_JOB(modex_reply, ModexReply,
       relay_modex_reply(s->hub->relay, s->job, s->at, m, err))

static int on_signal(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct peer *s = arg;

    if (conn_role(c) == HCT__ROLE__ROLE_SLAVE)
        return on_passed_signal(arg, c, msg, err);
    peer_result(c, control_signal(flow_acts(s->hub->flow), s->hub->jobs,
                                  peer_own(c), msg, err), err);
    return 0;
}

/* The last word about a job, which may have ended without this node. */
static int on_drained(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct peer *s = arg;
    const Hct__Drained *m = msg;
    Hct__Forget forget = HCT__FORGET__INIT;
    int rc = peer_find(s, m->job, err);

    if (rc > 0)
        return flow_drained(s->job, s->at, m, err);
    forget.job = m->job;
    if (rc == 0)
        conn_send(c, MESSAGE_FORGET, &forget);
    if (rc == 0 && s->job && s->at)
        flow_left(s->job, s->at);
    return rc;
}

/* Nobody can store events of a job that has ended, or has given up the node:
 * what was not known is counted. */
static void peer_count_late(struct peer *s, const Hct__Events *m)
{
    const struct task *t = s->job ? job_task_find(s->job, m->rank) : NULL;
    uint64_t upto = m->first + m->n_records;
    uint64_t known = t && t->records > m->first ? t->records : m->first;

    if (upto <= known)
        return;
    s->late += upto - known;
    s->late_job = m->job;
}

static void peer_tell_late(struct peer *s)
{
    if (!s->late || !s->node)
        return;
    log_warn("peer", "%llu records of tagged calls came from %s when the job "
             "had given it up, and are lost job=%llu",
             (unsigned long long)s->late, s->node->name,
             (unsigned long long)s->late_job);
    s->late = 0;
}

static int on_events(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct peer *s = arg;
    const Hct__Events *m = msg;
    Hct__EventAck ack = HCT__EVENT_ACK__INIT;
    const struct task *t;
    uint64_t known;
    int rc = peer_find(s, m->job, err);

    if (s->node)
        s->node->events_ns = clock_monotonic_ns();
    if (rc > 0) {
        t = job_task_find(s->job, m->rank);
        known = t ? t->records : 0;
        rc = events_take(s->hub->journal, s->job, s->at, m, err);
        if (rc == 0)
            watcher_events(s->job->watcher, s->at, m, known);
        return rc;
    }
    ack.job = m->job;
    ack.rank = m->rank;
    ack.upto = m->first + m->n_records;
    if (rc == 0) {
        peer_count_late(s, m);
        conn_send(c, MESSAGE_EVENT_ACK, &ack);
    }
    return rc;
}

/* Nobody watches tasks of a session that has ended. */
static int on_adopt(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct peer *s = arg;
    const Hct__Adopt *m = msg;
    Hct__Adopted no = HCT__ADOPTED__INIT;
    int rc = peer_find(s, m->job, err);

    if (rc > 0)
        return adopt_task(s->job, s->at, m, err);
    no.session = m->job;
    no.world = m->world;
    no.rank = m->rank;
    no.why = (char *)"its job has ended";
    if (rc == 0)
        conn_send(c, MESSAGE_ADOPTED, &no);
    return rc;
}

static int on_slave_jobs(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    struct peer *s = arg;
    const Hct__SlaveJobs *m = msg;

    (void)c;
    (void)err;
    s->told = true;
    flow_node_told(s->hub->flow, s->node, m->jobs, m->n_jobs);
    return 0;
}

static int on_farewell(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct peer *s = arg;
    const Hct__Farewell *m = msg;

    (void)c;
    (void)err;
    peer_tell_late(s);
    flow_node_lost(s->hub->flow, s->node, m->why);
    return 0;
}

static int peer_samples(struct peer *s, const Hct__TaskSamples *m,
                        struct err *err)
{
    for (size_t i = 0; i < m->n_tasks; i++) {
        const Hct__TaskSamples__Task *x = m->tasks[i];
        struct task *t = job_task_find(s->job, x->rank);

        if (!t || !job_has_on(s->job, t, s->at))
            return err_set(err, EPROTO, "sample of rank %u, which is not on "
                           "this node", x->rank);
        if (t->ended)
            continue;
        t->mpi_calls = x->mpi_calls;
        t->in_mpi_ns = x->in_mpi_ns;
        t->out_mpi_ns = x->out_mpi_ns;
        t->cpu_ns = x->cpu_ns;
        t->cpu_in_mpi_ns = x->cpu_in_mpi_ns;
        t->rss_bytes = x->rss_bytes;
        t->ring_lost = x->ring_lost;
        journal_task_later(s->hub->journal, s->job, t);
    }
    return 0;
}
ON_JOB(task_samples, TaskSamples, peer_samples(s, m, err))

static int peer_profile(struct peer *s, const Hct__Profile *m, struct err *err)
{
    if (profile_take(s->hub->journal, s->job, s->at, m, err))
        return -1;
    findings_names(s->job, m);
    return 0;
}
ON_JOB(profile, Profile, peer_profile(s, m, err))

ON_JOB(effort, Effort, effort_take(s->job, s->at, m, err))

static int on_pace(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const struct peer *s = arg;
    const Hct__Pace *m = msg;

    (void)c;
    if (!(m->speed > 0 && m->speed < 1e6 && m->part > 0 && m->part <= 1))
        return err_set(err, EPROTO, "a node of speed %g, of which it has %g",
                       m->speed, m->part);
    s->node->pace.loop = m->speed;
    s->node->pace.part = m->part;
    optimize_news(flow_optimize(s->hub->flow));
    return 0;
}

static void peer_take_waits(struct node *n, const Hct__NodeLoad *m)
{
    size_t bytes = m->n_output_waits * sizeof(*n->output_waits);
    uint64_t *v = bytes ? realloc(n->output_waits, bytes) : NULL;

    n->noutput_waits = v ? m->n_output_waits : 0;
    if (!v)
        return;
    memcpy(v, m->output_waits, bytes);
    n->output_waits = v;
}

static int on_node_load(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct peer *s = arg;
    const Hct__NodeLoad *m = msg;
    const struct clock_offset *o = conn_clock(c);
    struct node *n = s->node;

    (void)err;
    n->load = m->load;
    n->cpu_busy = m->cpu_busy;
    node_mix_busy(n);
    n->disk_available_bytes = m->disk_available_bytes;
    n->memory_available_bytes = m->memory_available_bytes;
    n->seen_ns = clock_wall_ns();
    peer_take_waits(n, m);
    n->clock_known = o && o->samples;
    if (n->clock_known) {
        n->clock_offset_ns = o->offset_ns;
        n->clock_error_ns = o->error_ns;
    }
    journal_node(s->hub->journal, n);
    return 0;
}

static void peer_owner(const struct peer *s, const Hct__Owner *m)
{
    const struct owners o = { .acts = flow_acts(s->hub->flow),
                              .drains = flow_drains(s->hub->flow),
                              .jobs = s->hub->jobs };

    owner_told(&o, s->node, m);
    optimize_news(flow_optimize(s->hub->flow));
}

static int on_owner(void *arg, struct conn *c, const void *msg, struct err *err)
{
    (void)c, (void)err;
    peer_owner(arg, msg);
    return 0;
}

/* ------------------------------------------------------ trees of slaves */

static int on_reduce_at(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct peer *s = arg;
    const Hct__ReduceAt *m = msg;

    (void)c;
    if (strlen(m->addresses) >= ADDR_LIST_MAX)
        return err_set(err, EPROTO, "addresses of %zu bytes",
                       strlen(m->addresses));
    node_set_text(&s->node->reduce_at, m->addresses);
    return 0;
}

static int on_reduce_part(void *arg, struct conn *c, const void *msg,
                          struct err *err)
{
    struct peer *s = arg;

    (void)c;
    return reducer_part(s->hub->reducer, s->node, msg, err);
}

static void on_gathered(void *arg)
{
    ((struct peer *)arg)->gather = NULL;
}

static int on_gather(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct peer *s = arg;

    if (s->gather)
        return err_set(err, EPROTO, "Gather before the answer to the last "
                       "one");
    s->gather = gather_start(s->hub->reducer, s->hub->jobs, s->hub->journal,
                             c, msg, on_gathered, s);
    return 0;
}

/* ------------------------------------------------------------- the table */

static const struct conn_route peer_routes[] = {
    { MESSAGE_HELLO, CONN_STRANGER, on_hello },
    MESSAGES_TO_MASTER(CONN_ROUTE)
};

/* ------------------------------------------------------------ links, hub */

/* A connection that opened: from now on it is a peer. */
static void peer_open(void *arg, struct conn *c)
{
    struct hub *h = arg;
    struct peer *s = calloc(1, sizeof(*s));

    if (!s) {
        log_warn("peer", "%s: out of memory", conn_peer(c));
        conn_close(c);
        return;
    }
    s->hub = h;
    s->link = c;
    LIST_INSERT_HEAD(&h->peers, s, place);
    conn_set_arg(c, s);
}

static void peer_slave_gone(struct peer *s, const char *why)
{
    struct node *n = s->node;

    n->link = NULL;
    reducer_node_gone(s->hub->reducer, n, why);
    n->seen_ns = clock_wall_ns();
    if (n->state == NODE_UP)
        flow_node_away(s->hub->flow, n, why);
}

/* On this machine the end of a link is the end of the process. Over TCP it may
 * be that the other side has given up a link that did not work. */
static uint64_t peer_run_wait(const struct peer *s,
                              const struct err *why)
{
    if (strncmp(conn_peer(s->link), "tcp:", 4) != 0)
        return 0;
    return why->code == ETIMEDOUT ? s->hub->conf.lost_wait_ns
                                  : peer_redial_ns;
}

/* Of a stranger the listener has told; and who breaks the protocol, and comes
 * again, is not to fill the log. */
static void peer_log_end(const struct peer *s, const struct err *why)
{
    const char *peer = conn_peer(s->link);

    if (!conn_role(s->link))
        log_debug("peer", "%s left: %s", peer, why->text);
    else if (why->code == EPROTO || why->code == EBADMSG ||
             why->code == EKEYREJECTED)
        refused("peer", peer, why);
    else
        log_info("peer", "%s left: %s", s->node ? s->node->name : peer,
                 why->text);
}

/* Nobody waits there for what was ordered any more. */
static void peer_forget(struct hub *h, const struct conn *c)
{
    for (struct job *j = NULL; (j = jobs_next(h->jobs, j)); ) {
        mover_forget(j, c);
        checkpoint_forget(j, c);
    }
    drain_forget(flow_drains(h->flow), c);
    optimize_forget(flow_optimize(h->flow), c);
}

static void peer_close(void *arg, struct conn *c, const struct err *why)
{
    struct peer *s = arg;
    struct hub *h = s->hub;

    peer_log_end(s, why);
    LIST_REMOVE(s, place);
    if (s->node)
        peer_slave_gone(s, why->text);
    if (conn_role(c) == HCT__ROLE__ROLE_REDIRECTOR)
        flow_redirector_gone(h->flow, c, peer_run_wait(s, why));
    gather_cancel(s->gather);
    peer_forget(h, c);
    free(s);
    h->conf.quiet(h->conf.arg);
}

static const struct conn_ops peer_ops = {
    .routes = peer_routes,
    .nroutes = sizeof(peer_routes) / sizeof(peer_routes[0]),
    .on_open = peer_open,
    .on_close = peer_close,
};

struct hub *hub_create(struct event_base *base,
                       const struct hub_conf *conf,
                       struct nodes *nodes, struct jobs *jobs,
                       struct relay *relay, struct flow *flow)
{
    struct hub *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->base = base;
    h->conf = *conf;
    h->nodes = nodes;
    h->jobs = jobs;
    h->relay = relay;
    h->flow = flow;
    h->reducer = reducer_create(base, &conf->reduce, nodes);
    if (!h->reducer)
        return free(h), NULL;
    return h;
}

struct reducer *hub_reducer(const struct hub *h)
{
    return h->reducer;
}

void hub_set_journal(struct hub *h, struct journal *jn)
{
    h->journal = jn;
}

int hub_listen(struct hub *h, int fd, struct err *err)
{
    struct conn_listener *l;

    if (h->nlisteners == PEER_LISTENERS)
        return err_set(err, EMFILE, "more than %d sockets to listen on",
                       PEER_LISTENERS);
    l = conn_listen_fd(h->base, fd, &h->conf.conn, &peer_ops, h, err);
    if (!l)
        return -1;
    h->listeners[h->nlisteners++] = l;
    return 0;
}

size_t hub_count(const struct hub *h, Hct__Role role)
{
    const struct peer *s;
    size_t n = 0;

    LIST_FOREACH(s, &h->peers, place)
        n += conn_role(s->link) == (unsigned)role;
    return n;
}

bool hub_had_redirector(const struct hub *h)
{
    return h->had_redirector;
}

void hub_hold_slaves(struct hub *h, bool hold)
{
    struct peer *s;

    h->holding = hold;
    LIST_FOREACH(s, &h->peers, place) {
        if (!s->node)
            continue;
        if (hold)
            conn_pause(s->link);
        else
            conn_resume(s->link);
    }
}

void hub_warn(struct hub *h, const char *sentence, bool bad)
{
    free(h->warning);
    h->warning = bad ? strdup(sentence) : NULL;
    notice_all(h->flow, bad, sentence);
}

static void peer_stop_listening(struct hub *h)
{
    while (h->nlisteners)
        conn_listener_close(h->listeners[--h->nlisteners]);
}

static void peer_flushed(void *arg)
{
    struct hub *h = arg;

    if (--h->nleaving == 0)
        h->left(h->conf.arg);
}

void hub_leave(struct hub *h, void (*left)(void *arg))
{
    Hct__Farewell farewell = HCT__FAREWELL__INIT;

    peer_stop_listening(h);
    farewell.why = (char *)"hector-master has ended";
    h->left = left;
    h->nleaving = 1;
    for (struct peer *s; (s = LIST_FIRST(&h->peers)); ) {
        if (s->node) {
            conn_send(s->link, MESSAGE_FAREWELL, &farewell);
            s->node->link = NULL;
            s->node->state = NODE_LEFT;
            journal_node(h->journal, s->node);
        }
        LIST_REMOVE(s, place);
        gather_cancel(s->gather);
        h->nleaving++;
        conn_close_then(s->link, peer_flushed, h);
        free(s);
    }
    peer_flushed(h);
}

void hub_destroy(struct hub *h)
{
    if (!h)
        return;
    peer_stop_listening(h);
    for (struct peer *s; (s = LIST_FIRST(&h->peers)); ) {
        LIST_REMOVE(s, place);
        gather_cancel(s->gather);
        peer_forget(h, s->link);
        conn_close(s->link);
        free(s);
    }
    reducer_destroy(h->reducer);
    free(h->warning);
    free(h);
}
