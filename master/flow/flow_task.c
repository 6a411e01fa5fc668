/* flow_task.c - what the slaves say of their tasks, and what follows for the
 * job. Words about ranks that are not on the slave's own node are refused. */
#include "master/flow/flow.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "master/act/hands.h"
#include "master/flow/again.h"
#include "master/flow/apart.h"
#include "master/flow/flow_step.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/clock.h"
#include "proto/base/signals.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"

/* A node to which tasks are to be moved. */
static void prepared_later(struct job *j, struct job_node *jn,
                           const Hct__Prepared *m)
{
    Hct__Launch launch = HCT__LAUNCH__INIT;

    launch.job = j->id;
    if (m->ok) {
        jn->prepared = true;
        j->nprepared++;
        conn_send(jn->node->link, MESSAGE_LAUNCH, &launch);
    }
    mover_prepared(j, jn, m);
}

int flow_prepared(struct job *j, struct job_node *jn, const Hct__Prepared *m,
                  struct err *err)
{
    char why[512];

    (void)err;
    if (j->state == JOB_RUNNING && !jn->prepared)
        prepared_later(j, jn, m);
    if (jn->prepared || j->state != JOB_PREPARING)
        return 0;               /* told again; or Forget is on its way */
    if (!m->ok) {
        snprintf(why, sizeof(why), "node %s cannot run the job: %.400s",
                 jn->node->name, m->why);
        flow_fail(j, 125, clock_wall_ns(), why);
        return 0;
    }
    jn->prepared = true;
    j->nprepared++;
    if (!job_all_prepared(j))
        return 0;
    for (uint32_t r = 0; r < j->ntasks; r++)
        flow_task_step(j, &j->tasks[r], TASK_EVENT_LAUNCH);
    flow_step(j, JOB_EVENT_PREPARED, JOB_EFFECT_LAUNCH);
    return 0;
}

static void flow_task_runs(struct job *j, struct task *t, uint64_t at_ns)
{
    if (t->started_ns == 0) {
        t->started_ns = at_ns;
        if (j->attempt)
            journal_posting(j->flow->journal, j, t, at_ns, 0);
    }
    if (flow_task_step(j, t, TASK_EVENT_RUN))
        j->nrunning++;
}

int flow_launched(struct job *j, struct job_node *jn, const Hct__Launched *m,
                  struct err *err)
{
    size_t i = 0;

    if (jn->launched)
        return 0;                       /* told again */
    if (j->state < JOB_STARTING)
        return err_set(err, EPROTO, "Launched for job %llu out of turn",
                       (unsigned long long)j->id);
    if (m->n_pids != jn->ntasks)
        return err_set(err, EPROTO, "Launched with %zu tasks of %u",
                       m->n_pids, jn->ntasks);
    jn->launched = true;
    j->nlaunched++;
    for (int64_t r = -1; (r = taskset_next(&jn->ranks, r)) >= 0; i++) {
        j->tasks[r].pid = m->pids[i];
        if (m->pids[i])
            flow_task_runs(j, &j->tasks[r], m->at_ns);
    }
    if (job_all_launched(j) && j->state == JOB_STARTING)
        flow_step(j, JOB_EVENT_LAUNCHED, JOB_EFFECT_HOLD);
    return 0;
}

int flow_task_state(struct job *j, struct job_node *jn,
                    const Hct__TaskState *m, struct err *err)
{
    static const enum task_event events[] = {
        [HCT__TASK_STATE__KIND__RUNNING] = TASK_EVENT_RUN,
        [HCT__TASK_STATE__KIND__IN_MPI_INIT] = TASK_EVENT_MPI_INIT,
        [HCT__TASK_STATE__KIND__CONNECTED] = TASK_EVENT_CONNECT,
        [HCT__TASK_STATE__KIND__FINALIZED] = TASK_EVENT_FINALIZE,
    };
    struct task *t = flow_task(j, jn, m->rank, "TaskState", err);
    bool ran;

    if (!t)
        return -1;
    if (m->kind == HCT__TASK_STATE__KIND__APART) {
        apart_note(j, m);
        return 0;
    }
    if ((unsigned)m->kind >= sizeof(events) / sizeof(events[0]))
        return err_set(err, EPROTO, "TaskState of kind %d", (int)m->kind);
    ran = t->state >= TASK_RUNNING;
    if (flow_task_step(j, t, events[m->kind]) && !ran)
        j->nrunning++;
    return 0;
}

/* ------------------------------------------------------------------- exits */

static void exit_copy(struct task *t, const Hct__TaskExited *m)
{
    t->ended = true;
    t->untold = m->untold;
    t->signal = m->signal;
    t->exit_code = m->signal ? 128 + m->signal : m->code;
    t->ended_ns = m->at_ns;
    hands_over(t, m->at_ns);
    t->cpu_ns = m->user_ns + m->system_ns;
    t->waited_ns = m->waited_ns;
    t->rss_bytes = m->max_rss_bytes;
    t->mpi_calls = m->mpi_calls;
    t->in_mpi_ns = m->in_mpi_ns;
    t->out_mpi_ns = m->out_mpi_ns;
    t->ring_waits = m->ring_waits;
    t->ring_lost = m->ring_lost;
    if (t->cpu_in_mpi_ns > t->cpu_ns)
        t->cpu_in_mpi_ns = t->cpu_ns;
    if (*m->last_tag)
        node_set_text(&t->last_tag, m->last_tag);
    t->starved = m->starved;
    if (*m->why)
        node_set_text(&t->why, m->why);
}

int flow_task_exited(struct job *j, struct job_node *jn,
                     const Hct__TaskExited *m, struct err *err)
{
    struct task *t = flow_task(j, jn, m->rank, "TaskExited", err);
    bool ran;

    if (!t)
        return -1;
    if (task_state_final(t->state)) {   /* told again */
        if (m->code == 0 && !m->signal && !m->finalized && !t->left)
            j->ops->task_left(j, t);
        return 0;
    }
    if (j->state < JOB_STARTING)
        return err_set(err, EPROTO, "TaskExited for job %llu, which is %s",
                       (unsigned long long)j->id, job_state_name(j->state));
    if (!signals_may_end(m->signal))
        return err_set(err, EPROTO, "TaskExited by signal %d", m->signal);
    if (m->orphaned)            /* that may be read before hector-run's end is */
        flow_abandon(j);
    ran = t->state >= TASK_RUNNING;
    exit_copy(t, m);
    flow_task_step(j, t, m->signal ? TASK_EVENT_SIGNAL : TASK_EVENT_EXIT);
    j->nrunning -= ran;
    job_task_ended(j, t);
    j->ops->task_ended(j, jn, t, m->core, m->finalized);
    if (jn->nlive == 0 && !jn->away)
        relay_node_gone(flow_relay(j), j, jn, false);
    return 0;
}

/* "task 1 on vm called MPI_Abort", or in which call it failed. */
static void abort_words(struct str *to, const struct job_node *jn,
                        const Hct__TaskAbort *m)
{
    const char *call = call_name(m->call);
    bool failed = *call && strcmp(call, "MPI_Abort") != 0;

    str_addf(to, "task %u on %s %s", m->rank, jn->node->name,
             failed ? "failed in " : "called MPI_Abort");
    if (failed)
        str_add(to, call);
}

int flow_task_abort(struct job *j, struct job_node *jn,
                    const Hct__TaskAbort *m, struct err *err)
{
    struct task *t = flow_task(j, jn, m->rank, "TaskAbort", err);
    int code = m->code & 255 ? m->code & 255 : 1;
    /* Open MPI's word for no message. */
    const char *text = strcmp(m->text, "N/A") == 0 ? "" : m->text;
    struct str why = { 0 };

    if (!t)
        return -1;
    if (j->state < JOB_STARTING)
        return err_set(err, EPROTO, "TaskAbort for job %llu, which is %s",
                       (unsigned long long)j->id, job_state_name(j->state));
    abort_words(&why, jn, m);
    str_addf(&why, " with code %d%s%.500s", m->code, *text ? ": " : "", text);
    /* What MPI says as another task is gone comes before that is known. */
    if (*call_name(m->call) && strcmp(call_name(m->call), "MPI_Abort") != 0)
        again_or_fail(j, code, clock_wall_ns(), str_text(&why));
    else
        flow_fail(j, code, clock_wall_ns(), str_text(&why));
    str_fini(&why);
    job_abort(j);
    return 0;
}

int flow_task_moved(struct job *j, struct job_node *jn, const Hct__TaskMoved *m,
                    struct err *err)
{
    return j->mover ? mover_moved(j, jn, m, err) : 0;
}

int flow_drained(struct job *j, struct job_node *jn, const Hct__Drained *m,
                 struct err *err)
{
    const struct job_drained d = {
        .model = m->model.data, .model_bytes = m->model.len,
        .abort_place = m->abort_place, .abort_rank = m->abort_rank };

    if (jn->drained || (j->attempt && j->state < JOB_STARTING))
        return 0;                       /* told again, as it was to end */
    if (j->state < JOB_STARTING || !j->ops->drained)
        return err_set(err, EPROTO, "Drained for job %llu out of turn",
                       (unsigned long long)j->id);
    if (j->ops->drained(j, jn, &d, err))
        return -1;
    mover_drained(j);
    return 0;
}
