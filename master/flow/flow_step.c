/* flow_step.c - steps of the machines of jobs and tasks, see flow_step.h.
 *
 * Invariants. job->state changes in flow_step() only, which notes the step and
 * puts the job on the list of those that act after the next commit. Nothing
 * here does anything to the outside: effects are flow.c's. */
#include "master/flow/flow_step.h"

#include <errno.h>
#include <signal.h>

#include "master/act/allotment.h"
#include "master/flow/again.h"
#include "master/flow/apart.h"
#include "master/flow/endmodel.h"
#include "master/move/checkpoint.h"
#include "master/tree/lastrun.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

/* hector-run pings once a second: somebody has stopped it. */
static const uint64_t flow_late_ns = 3 * CLOCK_NS_PER_S / 2;

static unsigned long long flow_id(const struct job *j)
{
    return j->id;
}

void flow_submit(struct flow *f, struct job *j)
{
    j->flow = f;
    j->submitted_ns = clock_wall_ns();
    j->clock.submitted_ns = clock_monotonic_ns();
    flow_act(j, JOB_EFFECT_ACCEPT);
    lastrun_begin(f->journal, j);
}

void flow_act(struct job *j, unsigned effects)
{
    if (!j->effects) {
        j->next_acting = j->flow->acting;
        j->flow->acting = j;
    }
    j->effects |= effects;
    journal_job(j->flow->journal, j);
}

void flow_arm(struct job *j, uint64_t delay_ns)
{
    timer_set(j->clock.timer, delay_ns);
}

/* The job has come to its end: what is to be said of orders still open. */
static void settle_orders(struct job *j)
{
    journal_action_result(j->flow->journal, j, "kill", "done");
    journal_action_result(j->flow->journal, j, NULL, "the job ended first");
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
        checkpoint_start(&j->flow->movers, j);
    } else {
        const char *why = j->state == JOB_RETURNING
                          ? "the job goes back to a checkpoint"
                          : "the job ends";

        if (j->state == JOB_ENDING)
            watcher_close(j->watcher);
        else
            watcher_stop(j->watcher);
        checkpoint_stop(j, why);        /* first: it waits for the move */
        mover_drop(j, why);
    }
    if (j->state == JOB_PREPARING)
        j->clock.preparing_ns = clock_monotonic_ns();
    if (j->state == JOB_ENDING || j->state == JOB_RETURNING)
        j->clock.ending_ns = clock_monotonic_ns();
    if (job_state_final(j->state)) {
        j->ended_ns = clock_wall_ns();
        effects |= JOB_EFFECT_END;
        settle_orders(j);
        if (j->clock.timer)
            event_del(j->clock.timer);
    }
    log_info("flow", "%s -> %s job=%llu%s%s", job_state_name(from),
             job_state_name(j->state), flow_id(j), *job_why(j) ? ": " : "",
             job_why(j));
    journal_step(j->flow->journal, j, &job_state_machine, -1, ev, from,
                 j->state);
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
    journal_step(j->flow->journal, j, &task_state_machine, job_rank(j, t), ev,
                 from, t->state);
    journal_task(j->flow->journal, j, t);
    return true;
}

/* Before it has begun, there is nothing to end on its nodes. */
static void end_early(struct job *j, enum job_event ev)
{
    if (!j->ops->ours || j->state == JOB_STORED || !allotment_may_tell(j)) {
        flow_step(j, ev, 0);
        return;
    }
    for (size_t i = 0; i < j->nnodes; i++) {
        j->ndrained += !j->nodes[i].drained;
        j->nodes[i].drained = true;
    }
    flow_step(j, JOB_EVENT_ASK, 0);
    flow_check_drained(j);
}

static void end_it(struct job *j, enum job_event ev)
{
    if (j->state < JOB_STARTING)
        end_early(j, ev);
    else
        flow_step(j, ev, JOB_EFFECT_TERMINATE);
}

/* A failure that is the job's: end it, from wherever it is. */
void flow_fail(struct job *j, int exit_code, uint64_t at_ns, const char *why)
{
    bool first;

    if (j->state == JOB_RETURNING)
        return;                 /* none of it counts any more */
    first = job_fail(j, exit_code, at_ns, why);
    if (job_state_final(j->state))
        return;
    if (j->state == JOB_ENDING) {
        if (first)
            journal_job(j->flow->journal, j);
        return;
    }
    end_it(j, JOB_EVENT_FAIL);
}

void flow_fail_now(struct job *j, const char *why)
{
    flow_fail(j, FLOW_FAILURE, clock_wall_ns(), why);
}

static bool flow_waits_for_batch(struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns();
    uint64_t until_ns = j->clock.ending_ns + j->flow->conf.batch_wait_ns;

    if (!allotment_is_due(j) || now_ns >= until_ns)
        return false;
    flow_arm(j, until_ns - now_ns);
    return true;
}

void flow_check_drained(struct job *j)
{
    char why[300];

    if (j->state < JOB_STARTING || job_state_final(j->state) ||
        !job_all_drained(j))
        return;
    if (j->state == JOB_RETURNING) {
        again_begin(j);
        return;
    }
    if (flow_waits_for_batch(j))
        return;
    if (watcher_last(j->watcher))
        return;                 /* what it finds is whole before the job is */
    endmodel_keep(j);
    if (apart_end(j, why, sizeof(why)))
        flow_fail_now(j, why);
    flow_step(j, job_end_event(j), 0);
}

void flow_kill(struct job *j, const char *why, int exit_code, bool at_once)
{
    if (j->clock.settled_ns) {
        j->clock.settled_ns = 1;         /* the record is not waited for */
        flow_arm(j, 0);
    }
    if (job_state_final(j->state))
        return;
    if (j->state == JOB_ENDING) {
        job_hurry(j);
        flow_act(j, JOB_EFFECT_TERMINATE);
        return;
    }
    job_kill(j, why, exit_code, at_once);
    end_it(j, JOB_EVENT_KILL);
}

void flow_order_end(const struct job *j, const struct job_node *jn)
{
    Hct__Terminate m = HCT__TERMINATE__INIT;

    bool returns = j->state == JOB_RETURNING;

    if ((j->state != JOB_ENDING && !returns) || !j->ops->ends_tasks(j) ||
        jn->lost || jn->drained || !jn->node->link)
        return;
    m.job = j->id;
    m.ranks = (char *)"all";
    /* Who goes back has nothing to say any more, but what it said is shown. */
    m.grace_ns = returns ? 1 : job_grace_ns(j);
    m.signal = returns ? SIGKILL : job_kill_signal(j);
    conn_send(jn->node->link, MESSAGE_TERMINATE, &m);
}

size_t flow_lose_tasks(struct job *j, struct job_node *jn)
{
    size_t lost = 0;

    for (int64_t r = -1; (r = taskset_next(&jn->ranks, r)) >= 0; ) {
        struct task *t = &j->tasks[r];
        bool ran = t->state >= TASK_RUNNING;

        if (task_state_final(t->state) ||
            !flow_task_step(j, t, TASK_EVENT_LOSE))
            continue;
        j->nrunning -= ran;
        job_task_ended(j, t);
        lost++;
    }
    return lost;
}

void flow_wait_for_others(struct job *j)
{
    if (!event_pending(j->clock.timer, EV_TIMEOUT, NULL))
        flow_arm(j, j->flow->conf.left_wait_ns);
}

/* ---------------------------------------------------------- who is it about */

struct task *flow_task(struct job *j, const struct job_node *jn,
                       uint32_t rank, const char *message, struct err *err)
{
    struct task *t = job_task_find(j, rank);

    if (t && job_has_on(j, t, jn))
        return t;
    err_set(err, EPROTO, "%s for rank %u of job %llu, which is not on this "
            "node", message, rank, (unsigned long long)j->id);
    return NULL;
}

uint64_t flow_silence_ns(const struct job *j)
{
    return j->redirector ? conn_silence_ns(j->redirector) : 0;
}

bool flow_may_be_stopped(const struct job *j)
{
    return flow_silence_ns(j) > flow_late_ns;
}

struct relay *flow_relay(const struct job *j)
{
    return j->flow->relay;
}
