/* flow.c - the life of a job: steps of its machine, and their effects.
 *
 * Invariants. job->state changes in flow_step() only, which notes the step
 * and puts the job on the list of those that act after the next commit. An
 * effect may be carried out twice without harm, and looks at the state as it
 * is then. A job is freed by JOB_EFFECT_END, as the last thing. What tasks do
 * is in flow_task.c, what links do in flow_come.c, what takes too long in
 * flow_watch.c. */
#include "master/flow/flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/adopt.h"
#include "master/flow/endmodel.h"
#include "master/flow/flow_step.h"
#include "master/flow/launch.h"
#include "master/flow/notice.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"

enum { FLOW_FAILURE = 125 };    /* exit code: ours, not the tasks' */
static const uint64_t flow_watch_ns = FLOW_WATCH_MS * CLOCK_NS_PER_MS;

static unsigned long long flow_id(const struct job *j)
{
    return j->id;
}

/* To every slave of the job that is there, with or without tasks left. */
static void say_to_slaves(const struct job *j, enum message_type type,
                          const void *msg, bool drained_too)
{
    for (size_t i = 0; i < j->nnodes; i++) {
        const struct job_node *n = &j->nodes[i];

        if (!n->lost && n->node->link && (drained_too || !n->drained))
            conn_send(n->node->link, type, msg);
    }
}

/* ------------------------------------------------------------------- steps */

void flow_act(struct job *j, unsigned effects)
{
    if (!j->effects) {
        j->next_acting = j->flow->acting;
        j->flow->acting = j;
    }
    j->effects |= effects;
    journal_job(j->flow->journal, j);
}

static void flow_arm(struct job *j, uint64_t delay_ns)
{
    struct timeval tv = clock_timeval(delay_ns);

    event_add(j->timer, &tv);
}

bool flow_step(struct job *j, enum job_event ev, unsigned effects)
{
    enum job_state from = j->state;
    struct err err;

    if (job_state_next(from, ev, &j->state, &err)) {
        log_warn("flow", "step refused job=%llu: %s", flow_id(j), err.text);
        return false;
    }
    if (from == j->state)
        return true;
    if (j->state == JOB_RUNNING) {
        j->started_ns = clock_wall_ns();
        watcher_start(j->watcher);
    } else {
        watcher_stop(j->watcher);
    }
    if (j->state == JOB_PREPARING)
        j->preparing_mono_ns = clock_monotonic_ns();
    if (j->state == JOB_ENDING)
        j->ending_mono_ns = clock_monotonic_ns();
    if (job_state_final(j->state)) {
        j->ended_ns = clock_wall_ns();
        effects |= JOB_EFFECT_END;
        flow_hold_settle(j);
        if (j->timer)
            event_del(j->timer);
    }
    log_info("flow", "%s -> %s job=%llu%s%s", job_state_name(from),
             job_state_name(j->state), flow_id(j), j->why ? ": " : "",
             j->why ? j->why : "");
    journal_step(j->flow->journal, j, "job", -1, job_event_name(ev),
                 job_state_name(from), job_state_name(j->state));
    flow_act(j, effects | JOB_EFFECT_STATE);
    return true;
}

bool flow_task_step(struct job *j, struct task *t, enum task_event ev)
{
    enum task_state from = t->state;
    struct err err;

    if (task_state_next(from, ev, &t->state, &err)) {
        log_debug("flow", "step refused job=%llu rank=%u: %s", flow_id(j),
                  job_rank(j, t), err.text);
        return false;
    }
    journal_step(j->flow->journal, j, "task", job_rank(j, t),
                 task_event_name(ev), task_state_name(from),
                 task_state_name(t->state));
    journal_task(j->flow->journal, j, t);
    return true;
}

/* A failure that is the job's: end it, from wherever it is. */
void flow_fail(struct job *j, int exit_code, uint64_t at_ns, const char *why)
{
    bool first = job_fail(j, exit_code, at_ns, why);

    if (job_state_final(j->state))
        return;
    if (j->state == JOB_ENDING) {
        if (first)
            journal_job(j->flow->journal, j);
        return;
    }
    flow_step(j, JOB_EVENT_FAIL,
              j->state < JOB_STARTING ? 0 : JOB_EFFECT_TERMINATE);
}

static void flow_fail_now(struct job *j, const char *why)
{
    flow_fail(j, FLOW_FAILURE, clock_wall_ns(), why);
}

void flow_check_drained(struct job *j)
{
    if (j->state >= JOB_STARTING && !job_state_final(j->state) &&
        job_all_drained(j)) {
        endmodel_keep(j);
        flow_step(j, job_end_event(j), 0);
    }
}

void flow_kill(struct job *j, const char *why, int exit_code, bool at_once)
{
    if (job_state_final(j->state))
        return;
    if (j->state == JOB_ENDING) {
        j->at_once = true;
        flow_act(j, JOB_EFFECT_TERMINATE);
        return;
    }
    j->killed = true;
    j->kill_code = exit_code;
    j->at_once |= at_once;
    node_set_text(&j->why, why);
    flow_step(j, JOB_EVENT_KILL,
              j->state < JOB_STARTING ? 0 : JOB_EFFECT_TERMINATE);
}

/* --------------------------------------------------------------- placement */

static void flow_missing(struct job *j, const char *missing)
{
    uint64_t waited = clock_monotonic_ns() - j->submitted_mono_ns;
    const struct flow_conf *c = &j->flow->conf;
    char why[sizeof(((struct err *)0)->text) + 64];

    if (j->state == JOB_SUBMITTED)
        flow_step(j, JOB_EVENT_WAIT, 0);
    if (waited >= c->join_wait_ns && flow_may_be_stopped(j)) {
        flow_arm(j, flow_watch_ns);
        return;
    }
    if (waited >= c->join_wait_ns) {
        snprintf(why, sizeof(why), "waited %llu s in vain for %.200s to join",
                 (unsigned long long)(c->join_wait_ns / CLOCK_NS_PER_S),
                 missing);
        flow_fail_now(j, why);
        return;
    }
    if (waited >= c->notice_ns && !j->missing_told) {
        j->missing_told = true;
        notice(j, false, "waiting for %s to join", missing);
    }
    flow_arm(j, j->missing_told || c->notice_ns > c->join_wait_ns
                    ? c->join_wait_ns - waited
                    : c->notice_ns > waited ? c->notice_ns - waited : 0);
}

static void flow_placed(struct job *j)
{
    struct str text = { 0 };
    struct err err;

    event_del(j->timer);
    if (launch_seal(j, j->flow->conf.instance, &err)) {
        flow_fail_now(j, err.text);
        return;
    }
    launch_oversubscription(j, &text);
    if (text.n && !j->quiet_oversubscribe)
        notice(j, false, "%s", str_text(&text));
    str_fini(&text);
    for (uint32_t r = 0; r < j->ntasks; r++)
        journal_task(j->flow->journal, j, &j->tasks[r]);
    flow_step(j, JOB_EVENT_PLACE, JOB_EFFECT_PREPARE);
}

void flow_place(struct job *j)
{
    struct str missing = { 0 };
    struct err err;

    switch (launch_place(j, j->flow->nodes, &missing, &err)) {
    case LAUNCH_PLACED:
        flow_placed(j);
        break;
    case LAUNCH_MISSING:
        flow_missing(j, str_text(&missing));
        break;
    case LAUNCH_IMPOSSIBLE:
        flow_fail_now(j, err.text);
        break;
    }
    str_fini(&missing);
}

static void flow_timer(evutil_socket_t fd, short what, void *arg)
{
    struct job *j = arg;

    (void)fd;
    (void)what;
    if (j->state == JOB_WAITING)
        flow_place(j);
    else if (j->adopt)
        adopt_timer(j);
    else if (j->state == JOB_STARTING || j->state == JOB_RUNNING)
        flow_task_check_left(j);
}

void flow_wait_for_others(struct job *j)
{
    if (!event_pending(j->timer, EV_TIMEOUT, NULL))
        flow_arm(j, j->flow->conf.left_wait_ns);
}

/* ----------------------------------------------------------------- effects */

int flow_enter(struct flow *f, struct job *j)
{
    j->flow = f;
    j->timer = event_new(f->base, -1, 0, flow_timer, j);
    jobs_add(f->jobs, j);
    return j->timer ? 0 : -1;
}

void flow_free_job(struct job *j)
{
    int saved = errno;

    if (!j)
        return;
    if (j->timer)
        event_free(j->timer);
    watcher_destroy(j->watcher);
    endmodel_fini(j);
    adopt_fini(j);
    job_destroy(j);
    errno = saved;
}

static void effect_accept(struct flow *f, struct job *j)
{
    int rc = flow_enter(f, j);

    notice_accepted(j);
    if (rc)
        flow_fail_now(j, "out of memory");
    else if (j->adopt && !adopt_is_session(j))
        adopt_accepted(j);
    else if (!j->redirector)
        flow_kill(j, "hector-run is gone", 0, false);
    else
        flow_place(j);
}

static void effect_prepare(struct job *j)
{
    struct err err;

    if (j->state == JOB_PREPARING && launch_prepare(j, NULL, &err))
        flow_fail_now(j, err.text);
}

static void effect_launch(struct job *j)
{
    Hct__Launch m = HCT__LAUNCH__INIT;

    m.job = j->id;
    if (!j->adopt)
        say_to_slaves(j, MESSAGE_LAUNCH, &m, false);
}

static void effect_terminate(struct job *j)
{
    Hct__Terminate m = HCT__TERMINATE__INIT;

    m.job = j->id;
    m.ranks = (char *)"all";
    m.grace_ns = j->at_once ? 0 : j->grace_ns;
    m.signal = j->killed ? j->kill_signal : 0;
    if (j->state == JOB_ENDING && (!j->adopt || j->killed))
        say_to_slaves(j, MESSAGE_TERMINATE, &m, false);
}

/* Everything of it is committed: tell, forget, free. */
static void effect_end(struct flow *f, struct job *j)
{
    Hct__Forget m = HCT__FORGET__INIT;
    struct err err;

    jobs_remove(f->jobs, j);
    if (journal_settle(f->journal, &err) && err.code != ENODEV)
        notice(j, true, "the record of job %llu is not in the database "
               "yet, and lost if hector-master ends: %s", flow_id(j),
               err.text);
    m.job = j->id;
    notice_ended(j);
    say_to_slaves(j, MESSAGE_FORGET, &m, true);
    relay_job_ended(f->relay, j);
    for (size_t i = 0; i < j->nnodes; i++) {
        j->nodes[i].node->ntasks -= j->nodes[i].ntasks;
        j->nodes[i].node->njobs--;
    }
    flow_free_job(j);
}

static void flow_carry_out(struct flow *f, struct job *j, unsigned effects)
{
    if (effects & JOB_EFFECT_ACCEPT)
        effect_accept(f, j);
    if (effects & JOB_EFFECT_ATTACH)
        notice_accepted(j);
    if (effects & JOB_EFFECT_STATE)
        notice_state(j);
    if (effects & JOB_EFFECT_PREPARE)
        effect_prepare(j);
    if (effects & JOB_EFFECT_LAUNCH)
        effect_launch(j);
    if (effects & JOB_EFFECT_HOLD)
        flow_hold_orders(j, NULL);
    if (effects & JOB_EFFECT_TERMINATE)
        effect_terminate(j);
    if (effects & JOB_EFFECT_END)
        effect_end(f, j);
}

void flow_committed(struct flow *f)
{
    struct job *acting = f->acting;

    f->acting = NULL;
    while (acting) {
        struct job *j = acting;
        unsigned effects = j->effects;

        acting = j->next_acting;
        j->next_acting = NULL;
        j->effects = 0;
        flow_carry_out(f, j, effects);
    }
}

/* ---------------------------------------------------------- begin and end */

/* Without memory nothing is suspended, and nothing said. */
static int suspend_all(struct job *j, const char *by, const char *why,
                       struct err *err)
{
    struct taskset all = { 0 };
    struct flow_order o = { .ranks = &all, .by = by, .why = why };
    int rc = 0;

    if (taskset_add(&all, 0, j->ntasks - 1) == 0)
        rc = flow_hold(j, &o, false, err) < 0 ? -1 : 0;
    taskset_fini(&all);
    return rc;
}

static const struct watcher_ops watcher_ops = {
    .notice = notice, .kill = flow_kill, .suspend = suspend_all,
};

int flow_watch(struct flow *f, struct job *j, const Hct__Submit *s,
               struct err *err)
{
    j->watcher = watcher_create(f->base, j, &f->conf.watch, &watcher_ops, s,
                                err);
    return j->watcher ? 0 : -1;
}

int flow_looked(struct job *j, struct job_node *jn, const Hct__Looked *m,
                struct err *err)
{
    return watcher_looked(j->watcher, jn, m, err);
}

void flow_submit(struct flow *f, struct job *j)
{
    j->flow = f;
    j->submitted_ns = clock_wall_ns();
    j->submitted_mono_ns = clock_monotonic_ns();
    flow_act(j, JOB_EFFECT_ACCEPT);
}

void flow_stop(struct flow *f)
{
    bool again = f->stopping;

    f->stopping = true;
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        if (j->adopt)
            adopt_release(j, "hector-master was told to stop", 0);
        else if (again || j->state != JOB_ENDING)
            flow_kill(j, "hector-master was told to stop", FLOW_FAILURE,
                      again);
}

bool flow_stopping(const struct flow *f)
{
    return f->stopping;
}

bool flow_idle(const struct flow *f)
{
    return f->jobs->n == 0 && !f->acting;
}

void flow_note_all(struct flow *f)
{
    for (struct job *j = f->acting; j; j = j->next_acting)
        journal_job(f->journal, j);
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); ) {
        j->submit_stored = j->placement_stored = false;
        journal_job(f->journal, j);
        for (uint32_t r = 0; j->nodes && r < j->ntasks; r++)
            if (j->tasks[r].node < j->nnodes)
                journal_task(f->journal, j, &j->tasks[r]);
    }
}

struct relay *flow_relay(const struct job *j)
{
    return j->flow->relay;
}

struct flow *flow_create(struct event_base *base, const struct flow_conf *conf,
                         struct nodes *nodes, struct jobs *jobs,
                         struct relay *relay)
{
    struct flow *f = calloc(1, sizeof(*f));
    struct timeval tv = clock_timeval(flow_watch_ns);

    if (!f || !(f->watch = event_new(base, -1, EV_PERSIST, flow_on_watch, f)) ||
        event_add(f->watch, &tv)) {
        free(f);
        return NULL;
    }
    f->base = base;
    f->watched_ns = clock_monotonic_ns();
    f->conf = *conf;
    f->nodes = nodes;
    f->jobs = jobs;
    f->relay = relay;
    return f;
}

void flow_set_journal(struct flow *f, struct journal *jn)
{
    f->journal = jn;
}

void flow_set_reducer(struct flow *f, struct reducer *rd)
{
    f->reducer = rd;
}

void flow_destroy(struct flow *f)
{
    struct job *j;

    if (!f)
        return;
    while ((j = f->acting)) {
        f->acting = j->next_acting;
        if (j->effects & JOB_EFFECT_ACCEPT)
            flow_free_job(j);           /* not in the table yet */
    }
    while ((j = jobs_next(f->jobs, NULL))) {
        jobs_remove(f->jobs, j);
        flow_free_job(j);
    }
    event_free(f->watch);
    free(f);
}
