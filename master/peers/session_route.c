/* session_route.c - what each kind of peer may say, and which part of the
 * master hears it.
 *
 * A slave may speak of jobs that have ended, or that go on without it: it was
 * told to forget or to end them and has not read that yet. What needs an
 * answer then gets one that lets the slave come to its end. */
#include "master/peers/session_route.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/act/hands.h"
#include "master/flow/adopt.h"
#include "master/flow/notice.h"
#include "master/flow/submit.h"
#include "master/peers/control.h"
#include "master/store/events.h"
#include "master/store/profile.h"
#include "master/watch/watcher.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/signals.h"

/* -------------------------------------------------- redirectors, operators */

static void session_end_job(struct conn *c, int exit_code, const char *why)
{
    Hct__JobEnded m = HCT__JOB_ENDED__INIT;

    m.exit_code = exit_code;
    m.why = (char *)why;
    conn_send(c, MESSAGE_JOB_ENDED, &m);
}

/* A Submit that comes again, as its Accepted was never seen. */
static struct job *session_submitted(const struct session_hub *h,
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
    struct session_hub *h = ((struct session *)arg)->hub;
    struct job *j = session_submitted(h, msg);

    if (j) {
        flow_attach(j, c);
        return 0;
    }
    if (flow_stopping(h->flow)) {
        session_end_job(c, 125, "hector-master is about to stop");
        return 0;
    }
    j = submit_job(msg, err);
    if (!j) {
        session_end_job(c, 125, err->text);
        return 0;
    }
    if (flow_watch(h->flow, j, msg, err)) {
        session_end_job(c, 2, err->text);       /* as for wrong usage */
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
static void session_end_recorded(struct session_hub *h, struct conn *c,
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
    struct session_hub *h = ((struct session *)arg)->hub;
    const Hct__Attach *m = msg;
    struct job *j = jobs_find(h->jobs, m->job);

    if (!j) {
        session_end_recorded(h, c, m->job);
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
    struct session_hub *h = ((struct session *)arg)->hub;
    const Hct__AdoptEnd *m = msg;
    struct job *j = jobs_find(h->jobs, m->job);

    if (!j)
        return 0;
    if (j->redirector != c || !adopt_is_session(j))
        return err_set(err, EPROTO, "AdoptEnd for job %llu",
                       (unsigned long long)m->job);
    if (!signals_may_end(m->signal))
        return err_set(err, EPROTO, "AdoptEnd by signal %d", m->signal);
    adopt_end(j, m);
    return 0;
}

/* An operator hears how it went; a redirector sees it. */
static void session_answer(struct conn *c, int rc, const struct err *err,
                           const char *text)
{
    Hct__Result m = HCT__RESULT__INIT;

    if (conn_role(c) != HCT__ROLE__ROLE_OPERATOR) {
        if (rc)
            log_debug("session", "%s: %s", conn_peer(c), err->text);
        return;
    }
    m.ok = rc == 0;
    m.text = rc ? (char *)err->text : (char *)text;
    conn_send(c, MESSAGE_RESULT, &m);
}

static void session_result(struct conn *c, int rc, const struct err *err)
{
    session_answer(c, rc, err, "");
}

static const struct conn *session_own(struct conn *c)
{
    return conn_role(c) == HCT__ROLE__ROLE_OPERATOR ? NULL : c;
}

static int on_hold(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    struct session *s = arg;
    char text[200] = "";
    int rc = control_hold(flow_acts(s->hub->flow), s->hub->jobs,
                          session_own(c), msg, text, sizeof(text), err);

    session_answer(c, rc, err, text);
    return 0;
}

static int on_kill(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    struct session *s = arg;

    session_result(c, control_kill(flow_acts(s->hub->flow), s->hub->jobs,
                                   session_own(c), msg, err), err);
    return 0;
}

/* ------------------------------------------------------------------ slaves */

/* The job a message is about, and the part of it that is on this slave. 1:
 * go on, 0: the job is gone, -1: it was never this slave's. */
static int session_find(struct session *s, uint64_t id, struct err *err)
{
    s->job = jobs_find(s->hub->jobs, id);
    if (!s->job)
        return 0;
    s->at = s->job->nodes ? job_node_find(s->job, s->node) : NULL;
    if (!s->at)
        return err_set(err, EPROTO, "job %llu has no task on this node",
                       (unsigned long long)id);
    return s->at->lost ? 0 : 1;
}

#define ON_JOB(name, Type, call)                                        \
    static int on_##name(void *arg, struct conn *c, const void *msg,    \
                         struct err *err)                               \
    {                                                                   \
        struct session *s = arg;                                        \
        const Hct__##Type *m = msg;                                     \
        int rc = session_find(s, m->job, err);                          \
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
ON_JOB(looked, Looked, watcher_looked(s->job->watcher, s->at, m, err))
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
    struct session *s = arg;

    if (conn_role(c) == HCT__ROLE__ROLE_SLAVE)
        return on_passed_signal(arg, c, msg, err);
    session_result(c, control_signal(flow_acts(s->hub->flow), s->hub->jobs,
                                     session_own(c), msg, err), err);
    return 0;
}

/* The last word about a job, which may have ended without this node. */
static int on_drained(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct session *s = arg;
    const Hct__Drained *m = msg;
    Hct__Forget forget = HCT__FORGET__INIT;
    int rc = session_find(s, m->job, err);

    if (rc > 0)
        return flow_drained(s->job, s->at, m, err);
    forget.job = m->job;
    if (rc == 0)
        conn_send(c, MESSAGE_FORGET, &forget);
    return rc;
}

/* Nobody can store events of a job that has ended. */
static int on_events(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct session *s = arg;
    const Hct__Events *m = msg;
    Hct__EventAck ack = HCT__EVENT_ACK__INIT;
    int rc = session_find(s, m->job, err);

    if (rc > 0)
        return events_take(s->hub->journal, s->job, s->at, m, err);
    ack.job = m->job;
    ack.rank = m->rank;
    ack.upto = m->first + m->n_records;
    if (rc == 0)
        conn_send(c, MESSAGE_EVENT_ACK, &ack);
    return rc;
}

/* Nobody watches tasks of a session that has ended. */
static int on_adopt(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct session *s = arg;
    const Hct__Adopt *m = msg;
    Hct__Adopted no = HCT__ADOPTED__INIT;
    int rc = session_find(s, m->job, err);

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
    struct session *s = arg;
    const Hct__SlaveJobs *m = msg;

    (void)c;
    (void)err;
    flow_node_told(s->hub->flow, s->node, m->jobs, m->n_jobs);
    return 0;
}

static int on_farewell(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct session *s = arg;
    const Hct__Farewell *m = msg;

    (void)c;
    (void)err;
    flow_node_lost(s->hub->flow, s->node, m->why);
    return 0;
}

static int session_samples(struct session *s, const Hct__TaskSamples *m,
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
ON_JOB(task_samples, TaskSamples, session_samples(s, m, err))

ON_JOB(profile, Profile, profile_take(s->hub->journal, s->job, s->at, m, err))

static void session_take_waits(struct node *n, const Hct__NodeLoad *m)
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
    struct session *s = arg;
    const Hct__NodeLoad *m = msg;
    const struct clock_offset *o = conn_clock(c);
    struct node *n = s->node;

    (void)err;
    n->load = m->load;
    n->cpu_busy = m->cpu_busy;
    n->memory_available_bytes = m->memory_available_bytes;
    n->seen_ns = clock_wall_ns();
    session_take_waits(n, m);
    n->clock_known = o && o->samples;
    if (n->clock_known) {
        n->clock_offset_ns = o->offset_ns;
        n->clock_error_ns = o->error_ns;
    }
    journal_node(s->hub->journal, n);
    return 0;
}

/* ------------------------------------------------------ trees of slaves */

static int on_reduce_at(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct session *s = arg;
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
    struct session *s = arg;

    (void)c;
    return reducer_part(s->hub->reducer, s->node, msg, err);
}

static void on_gathered(void *arg)
{
    ((struct session *)arg)->gather = NULL;
}

static int on_gather(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct session *s = arg;

    if (s->gather)
        return err_set(err, EPROTO, "Gather before the answer to the last "
                       "one");
    s->gather = gather_start(s->hub->reducer, s->hub->jobs, s->hub->journal,
                             c, msg, on_gathered, s);
    return 0;
}

/* ------------------------------------------------------------- the table */

#define SLAVE CONN_ROLE(HCT__ROLE__ROLE_SLAVE)
#define REDIRECTOR CONN_ROLE(HCT__ROLE__ROLE_REDIRECTOR)
#define OPERATOR CONN_ROLE(HCT__ROLE__ROLE_OPERATOR)

const struct conn_route session_routes[SESSION_ROUTES] = {
    { MESSAGE_HELLO, CONN_ANY, session_on_hello },
    { MESSAGE_SUBMIT, REDIRECTOR, on_submit },
    { MESSAGE_SIGNAL, REDIRECTOR | OPERATOR | SLAVE, on_signal },
    { MESSAGE_HOLD, REDIRECTOR | OPERATOR, on_hold },
    { MESSAGE_KILL, REDIRECTOR | OPERATOR, on_kill },
    { MESSAGE_ATTACH, REDIRECTOR, on_attach },
    { MESSAGE_ADOPT_END, REDIRECTOR, on_adopt_end },
    { MESSAGE_PREPARED, SLAVE, on_prepared },
    { MESSAGE_LAUNCHED, SLAVE, on_launched },
    { MESSAGE_TASK_STATE, SLAVE, on_task_state },
    { MESSAGE_TASK_EXITED, SLAVE, on_task_exited },
    { MESSAGE_TASK_ABORT, SLAVE, on_task_abort },
    { MESSAGE_HELD, SLAVE, on_held },
    { MESSAGE_LOOKED, SLAVE, on_looked },
    { MESSAGE_FENCE, SLAVE, on_fence },
    { MESSAGE_EVENTS, SLAVE, on_events },
    { MESSAGE_NODE_LOAD, SLAVE, on_node_load },
    { MESSAGE_TASK_SAMPLES, SLAVE, on_task_samples },
    { MESSAGE_PROFILE, SLAVE, on_profile },
    { MESSAGE_DRAINED, SLAVE, on_drained },
    { MESSAGE_PUBLISH, SLAVE, on_publish },
    { MESSAGE_LOOKUP, SLAVE, on_lookup },
    { MESSAGE_UNPUBLISH, SLAVE, on_unpublish },
    { MESSAGE_SLAVE_JOBS, SLAVE, on_slave_jobs },
    { MESSAGE_ADOPT, SLAVE, on_adopt },
    { MESSAGE_FAREWELL, SLAVE, on_farewell },
    { MESSAGE_MODEX_REQUEST, SLAVE, on_modex_request },
    { MESSAGE_MODEX_REPLY, SLAVE, on_modex_reply },
    { MESSAGE_REDUCE_AT, SLAVE, on_reduce_at },
    { MESSAGE_REDUCE_PART, SLAVE, on_reduce_part },
    { MESSAGE_GATHER, OPERATOR, on_gather },
};
