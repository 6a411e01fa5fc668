/* ladder_step.c - does a step, sees how it comes about, and undoes it.
 *
 * Invariants. rung_step() is the one place where the state of a step changes,
 * and notes it. What a job gives up on its nodes follows from its steps that
 * stand alone (rung_tell), so it can be told again. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "master/ladder/ladder_private.h"
#include "master/move/checkpoint.h"
#include "master/store/journal.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"

/* What was ordered has not come about by then. */
static const uint64_t step_late_ns = 5 * CLOCK_NS_PER_S,
    step_move_ns = 120 * CLOCK_NS_PER_S;

void rung_free(struct rung_taken *r)
{
    if (!r)
        return;
    taskset_fini(&r->ranks);
    free(r->was);
    free(r->was_to);
    free(r->due);
    free(r);
}

void rung_note(struct ladder *l, const struct rung_taken *r)
{
    struct store_rung row = {
        .job = r->job, .number = r->number, .deadline = r->due,
        .deadline_number = r->deadline, .kind = climb_name(r->kind),
        .target = r->target, .node = r->node ? r->node->name : r->was,
        .to_node = r->to ? r->to->name : r->was_to, .margin = r->margin,
        .chance = r->chance, .gain = r->gain,
        .state = rung_state_name(r->state), .at_ns = r->at_ns,
        .done_ns = r->done_ns, .brought = r->brought, .undone_ns = r->undone_ns,
        .result = *r->result ? r->result : NULL, .why = r->why,
        .master = l->parts.instance };

    journal_rung(l->parts.acts->journal, &row);
}

bool rung_step(struct ladder *l, struct rung_taken *r, enum rung_event e,
               const char *result)
{
    enum rung_state from = r->state;

    if (!rung_next(&r->state, e)) {
        log_warn("ladder", "%s in state %s job=%" PRIu64,
                 machine_event(&rung_machine, e), rung_state_name(from),
                 r->job);
        return false;
    }
    r->since_ns = clock_monotonic_ns();
    if (r->state == RUNG_DONE)
        r->done_ns = clock_wall_ns();
    if (r->state == RUNG_UNDONE)
        r->undone_ns = clock_wall_ns();
    if (result && result != r->result)
        snprintf(r->result, sizeof(r->result), "%s", result);
    rung_note(l, r);
    log_info("ladder", "%s -> %s job=%" PRIu64 " %s for=%" PRIu64 "%s%s",
             rung_state_name(from), rung_state_name(r->state), r->target,
             climb_name(r->kind), r->job, *r->result ? ": " : "", r->result);
    return true;
}

/* ------------------------------------------------------------------- words */

static struct job *target_of(const struct ladder *l, const struct rung_taken *r)
{
    return jobs_find(l->parts.jobs, r->target);
}

/* " for 10 s at most" */
static void add_patience(struct ladder *l, const struct rung_taken *r,
                         const struct job *j, char *to, size_t size)
{
    const struct job *rt = jobs_find(l->parts.jobs, r->job);
    const struct due *d = rt ? l->parts.due(rt, r->deadline) : NULL;
    double may_s = ladder_may_s(l, j);

    *to = '\0';
    if ((r->kind == CLIMB_SUSPEND || r->kind == CLIMB_STORE) && d && !d->firm &&
        isfinite(may_s))
        snprintf(to, size, ", for %.0f s at most now (--max-suspend %u)", may_s,
                 j->max_suspend);
}

static void say_done(struct ladder *l, const struct rung_taken *r)
{
    const struct job *j = target_of(l, r),
                     *rt = jobs_find(l->parts.jobs, r->job);
    const struct act_ops *ops = l->parts.acts->ops;
    char most[80];

    if (!j || !rt)
        return;
    add_patience(l, r, j, most, sizeof(most));
    if (r->kind == CLIMB_RAISE) {
        ops->notice(rt, false,
                    "deadline %s: tasks of job %" PRIu64 " are %s: %s", r->due,
                    rt->id, climb_words(r->kind), r->why);
        return;
    }
    if (r->kind == CLIMB_FASTER) {
        ops->notice(rt, false,
                    "deadline %s: tasks of job %" PRIu64 " are %s, %s: %s",
                    r->due, rt->id, climb_words(r->kind), r->to->name, r->why);
        return;
    }
    ops->notice(rt, false, "deadline %s: job %" PRIu64 " is %s: %s", r->due,
                j->id, climb_words(r->kind), r->why);
    ops->notice(j, false,
                "job %" PRIu64 " is %s for the deadline %s of job %" PRIu64
                "%s",
                j->id, climb_words(r->kind), r->due, rt->id, most);
}

static void say_undone(struct ladder *l, const struct rung_taken *r)
{
    const struct job *j = target_of(l, r),
                     *rt = jobs_find(l->parts.jobs, r->job);
    const struct act_ops *ops = l->parts.acts->ops;

    if (rt)
        ops->notice(rt, false,
                    "deadline %s: job %" PRIu64 " is no longer %s: %s", r->due,
                    r->target, climb_words(r->kind), r->result);
    if (j && j != rt)
        ops->notice(j, false,
                    "job %" PRIu64 " is no longer %s for the deadline %s of"
                    " job %" PRIu64 ": %s",
                    j->id, climb_words(r->kind), r->due, r->job, r->result);
}

/* ------------------------------------------------------------------ orders */

static bool gives_up(const struct rung_taken *r, uint64_t job,
                     enum climb_kind k)
{
    return r->target == job && r->kind == k && rung_stands(r->state);
}

void rung_tell(struct ladder *l, struct job *j, const struct job_node *only)
{
    const int most = l->parts.acts->conf.max_priority;
    Hct__Yield m = HCT__YIELD__INIT;
    const struct rung_taken *r;

    m.job = j->id;
    m.serial = ++l->serial;
    TAILQ_FOREACH(r, &l->rungs, place) {
        m.calm |= gives_up(r, j->id, CLIMB_CALM);
        m.aside |= gives_up(r, j->id, CLIMB_ASIDE);
        m.held |= gives_up(r, j->id, CLIMB_SUSPEND);
        if (gives_up(r, j->id, CLIMB_RAISE) && most > 0)
            m.raise = (uint32_t)most;
        if (gives_up(r, j->id, CLIMB_ASIDE))
            m.for_job = r->job;
    }
    for (size_t i = 0; i < j->nnodes; i++) {
        const struct job_node *jn = &j->nodes[i];

        if (!jn->lost && jn->node->link && (!only || only == jn))
            conn_send(jn->node->link, MESSAGE_YIELD, &m);
    }
}

static int all_ranks(struct taskset *all, const struct job *j, struct err *err)
{
    return j->ntasks && taskset_add(all, 0, j->ntasks - 1) ? err_memory(err)
                                                           : 0;
}

static int order_hold(struct ladder *l, struct job *j, enum act_name act,
                      const char *why, struct err *err)
{
    struct taskset all = { 0 };
    struct act_order o = { .act = act, .who = ACT_LADDER,
                           .why = why, .ranks = &all, .whole = true };
    int rc = all_ranks(&all, j, err);

    if (rc == 0)
        rc = acts_order(l->parts.acts, j, &o, NULL, 0, err) < 0 ? -1 : 0;
    taskset_fini(&all);
    return rc;
}

static int order_store(struct ladder *l, struct job *j, const char *why,
                       struct err *err)
{
    const struct checkpoint_order o = { .why = why, .store = true };
    struct act_order act = { .act = ACT_CHECKPOINT, .who = ACT_LADDER,
                             .why = why, .whole = true };
    int rc = checkpoint_order(l->parts.movers, j, &o, err);

    acts_record(l->parts.acts, j, &act, rc ? err->text : "ordered");
    return rc;
}

static int order_move(struct ladder *l, const struct rung_taken *r,
                      struct job *j, const char *why, struct err *err)
{
    const struct mover_order o = {.ranks = &r->ranks, .to = r->to, .why = why};
    struct act_order act = { .act = ACT_MIGRATE, .who = ACT_LADDER,
                             .why = why, .ranks = &r->ranks };
    int rc = mover_order(l->parts.movers, j, &o, err);

    acts_record(l->parts.acts, j, &act, rc ? err->text : "ordered");
    return rc;
}

static void record(struct ladder *l, const struct rung_taken *r, struct job *j,
                   const char *result)
{
    struct act_order act = { .act = ACT_REPORT, .who = ACT_LADDER,
                             .why = result, .whole = true };
    char text[40];

    snprintf(text, sizeof(text), "step %" PRIu32 " of job %" PRIu64, r->number,
             r->job);
    acts_record(l->parts.acts, j, &act, text);
}

void rung_order(struct ladder *l, struct rung_taken *r)
{
    struct job *j = target_of(l, r);
    char why[CLIMB_WHY + 80];
    struct err err = { .text = "" };
    int rc = 0;

    if (!j) {
        rung_step(l, r, RUNG_EVENT_OVER, "it has ended");
        return;
    }
    snprintf(why, sizeof(why), "for the deadline %.60s of job %" PRIu64, r->due,
             r->job);
    if (!rung_step(l, r, RUNG_EVENT_ORDER, NULL))
        return;
    switch (r->kind) {
    case CLIMB_SUSPEND:
        rc = order_hold(l, j, ACT_SUSPEND, why, &err);
        break;
    case CLIMB_STORE:
        rc = order_store(l, j, why, &err);
        break;
    case CLIMB_LEAVE:
    case CLIMB_FASTER:
        rc = order_move(l, r, j, why, &err);
        break;
    default:
        record(l, r, j, why);
        break;
    }
    if (rc)
        rung_step(l, r, RUNG_EVENT_BREAK, err.text);
    rung_tell(l, j, NULL);
}

static void finish(struct ladder *l, struct rung_taken *r)
{
    if (r->state == RUNG_UNDOING) {
        rung_step(l, r, RUNG_EVENT_RETURN, NULL);
        say_undone(l, r);
    }
}

void rung_undo(struct ladder *l, struct rung_taken *r, const char *why)
{
    struct job *j = target_of(l, r);
    struct err err;
    int rc = 0;

    if (!rung_step(l, r, RUNG_EVENT_UNDO, why) || !j)
        return;
    rung_tell(l, j, NULL);
    if (r->kind == CLIMB_SUSPEND && !ladder_holds(l, j->id))
        rc = order_hold(l, j, ACT_RESUME, why, &err);
    else if (r->kind == CLIMB_STORE && j->state == JOB_STORED)
        rc = l->parts.unstore(j, &err);
    else if (r->kind == CLIMB_LEAVE || r->kind == CLIMB_FASTER)
        finish(l, r);           /* it stays where it is */
    if (rc)
        log_warn("ladder", "%s job=%" PRIu64, err.text, j->id);
}

void rung_over(struct ladder *l, struct rung_taken *r, const char *why)
{
    struct job *j = target_of(l, r);

    rung_step(l, r, RUNG_EVENT_OVER, why);
    if (j)
        rung_tell(l, j, NULL);
}

/* ------------------------------------------------------------- and effects */

/* Of those that live. */
static bool all_are(const struct job *j, enum hold hold)
{
    for (uint32_t i = 0; i < j->ntasks; i++)
        if (!task_state_final(j->tasks[i].state) && j->tasks[i].hold != hold)
            return false;
    return true;
}

static bool any_goes(const struct job *j)
{
    for (uint32_t i = 0; i < j->ntasks; i++)
        if (!task_state_final(j->tasks[i].state) &&
            j->tasks[i].hold == HOLD_GOING)
            return true;
    return false;
}

static bool is_on(const struct job *j, const struct taskset *ranks,
                  const struct node *n)
{
    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; )
        if (!task_state_final(j->tasks[r].state) &&
            j->nodes[j->tasks[r].node].node == n)
            return true;
    return false;
}

static bool has_given(const struct fare *f, enum climb_kind k)
{
    return k == CLIMB_CALM ? f->calm : k == CLIMB_RAISE ? f->raised > 0
                                                        : f->aside;
}

/* Where some of it was given up, or all back. */
static bool yields(struct ladder *l, const struct rung_taken *r,
                   const struct job *j, bool given, bool *answered)
{
    bool any = false;

    *answered = true;
    for (size_t i = 0; i < j->nnodes; i++) {
        const struct job_node *jn = &j->nodes[i];
        const struct fare *f = ladder_fare(l, j->id, jn->node, false);

        if (jn->lost || !jn->nlive)
            continue;
        *answered &= f && f->heard_ns >= r->since_ns;
        any |= f && has_given(f, r->kind) == given;
    }
    return any;
}

/* Images are copied and sealed while tasks stand no more. */
static bool being_stored(const struct job *j)
{
    return j->mover || checkpoint_works(j) || checkpoint_stores(j);
}

/* RUNG_EVENT_COUNT: not yet. */
static enum rung_event doing(struct ladder *l, struct rung_taken *r,
                             struct job *j)
{
    bool answered;

    switch (r->kind) {
    case CLIMB_SUSPEND:
        return all_are(j, HOLD_SUSPENDED) ? RUNG_EVENT_WORK : RUNG_EVENT_COUNT;
    case CLIMB_STORE:
        if (j->state == JOB_STORED)
            return RUNG_EVENT_WORK;
        r->moved |= being_stored(j);
        return r->moved && !being_stored(j) && j->state == JOB_RUNNING
                   ? RUNG_EVENT_BREAK
                   : RUNG_EVENT_COUNT;
    case CLIMB_LEAVE:
    case CLIMB_FASTER:
        return j->mover                       ? RUNG_EVENT_COUNT
               : is_on(j, &r->ranks, r->node) ? RUNG_EVENT_BREAK
                                              : RUNG_EVENT_WORK;
    default:
        if (yields(l, r, j, true, &answered))
            return RUNG_EVENT_WORK;
        return answered ? RUNG_EVENT_BREAK : RUNG_EVENT_COUNT;
    }
}

static bool is_back(struct ladder *l, const struct rung_taken *r,
                    const struct job *j)
{
    bool answered;

    switch (r->kind) {
    case CLIMB_SUSPEND:
        return ladder_holds(l, j->id) || all_are(j, HOLD_GOING);
    case CLIMB_STORE:
        return j->state != JOB_STORED && !being_stored(j);
    default:
        return (yields(l, r, j, false, &answered) && answered) ||
               clock_monotonic_ns() - r->since_ns > step_late_ns;
    }
}

static struct pace *pace_for(const struct ladder *l, const struct rung_taken *r)
{
    struct job *rt = jobs_find(l->parts.jobs, r->job);

    return rt && rt->paces ? &rt->paces[r->deadline - 1] : NULL;
}

static bool is_late(const struct rung_taken *r)
{
    bool moves = r->kind >= CLIMB_STORE;

    return clock_monotonic_ns() - r->since_ns > (moves ? step_move_ns
                                                       : step_late_ns);
}

void rung_watch(struct ladder *l, struct rung_taken *r)
{
    struct job *j = target_of(l, r);
    struct pace *p = pace_for(l, r);
    enum rung_event e;
    struct err err;

    if (!j)
        return;
    if (r->state == RUNG_UNDOING && r->kind == CLIMB_STORE &&
        j->state == JOB_STORED && l->parts.unstore(j, &err))    /* since then */
        log_warn("ladder", "%s job=%" PRIu64, err.text, j->id);
    if (r->state == RUNG_UNDOING && is_back(l, r, j))
        finish(l, r);
    if (r->state == RUNG_DONE && r->kind == CLIMB_SUSPEND && any_goes(j))
        rung_undo(l, r, "a slave has let it go on, as the master was away");
    if (r->state != RUNG_DOING)
        return;
    e = doing(l, r, j);
    if (e == RUNG_EVENT_COUNT && is_late(r)) {
        rung_undo(l, r, "it did not come about in time");
        return;
    }
    if (e == RUNG_EVENT_COUNT)
        return;
    r->instances = p ? p->instances : 0;
    if (p && e == RUNG_EVENT_WORK)
        pace_anew(p);
    rung_step(l, r, e,
              e == RUNG_EVENT_BREAK && !*r->result ? "it could not be done"
                                                   : NULL);
    if (e == RUNG_EVENT_WORK)
        say_done(l, r);
    else
        rung_tell(l, j, NULL);
}
