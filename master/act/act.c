/* act.c - the table of actions, and the one way through it, see act.h.
 *
 * Invariants. An order is looked at in full before anything changes: who may,
 * check, limit. Its row in table action is noted before what it changes, and
 * both go with one commit, before any effect. */
#include "master/act/act.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "hct.pb-c.h"
#include "master/act/away.h"
#include "master/act/hands.h"
#include "master/act/importance.h"
#include "master/act/timetable.h"
#include "master/move/mover.h"
#include "master/state/job.h"
#include "master/state/ownerhold.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"

static unsigned long long act_id(const struct job *j)
{
    return j->id;
}

/* ------------------------------------------------------------------ checks */

static bool of_tasks(const struct act_order *o)
{
    return o->ranks && !o->whole;
}

static enum hold_event event_of(const struct act_order *o);

/* Of tasks, by their machine. */
static long check_hold(const struct job *j, const struct act_order *o,
                       struct err *err)
{
    return hands_check(j, o->ranks, event_of(o), err);
}

static int check_number(int number, int least, struct err *err)
{
    return number >= least && number <= SIGRTMAX
           ? 0 : err_set(err, EINVAL, "there is no signal %d", number);
}

/* A job may be ended in any state; a second time that is nothing new. */
static long check_kill(const struct job *j, const struct act_order *o,
                       struct err *err)
{
    if (o->exit_code < 0 || o->exit_code > 255)
        return err_set(err, EINVAL, "%d is not an exit code", o->exit_code);
    if (check_number(o->number, 0, err))
        return -1;
    if (of_tasks(o))
        return check_hold(j, o, err);
    return !job_killed(j) || o->at_once;
}

static long check_signal(const struct job *j, const struct act_order *o,
                         struct err *err)
{
    if (check_number(o->number, 1, err))
        return -1;
    if (j->state < JOB_STARTING || job_state_final(j->state))
        return err_set(err, ESRCH, "job %llu is %s: it has no tasks to be "
                       "signalled", act_id(j), job_state_name(j->state));
    return 1;
}

/* ------------------------------------------------------------------ limits */

/* A person may end as many jobs as there are. */
static int limit_kill(struct acts *a, const struct job *j,
                      const struct act_order *o, struct err *err)
{
    if (o->who != ACT_POLICY ||
        limit_take(&a->kills, a->conf.kills_per_hour, clock_monotonic_ns()))
        return 0;
    a->ops->notice(j, true, "job %llu is not ended: this master has ended %u "
                   "hung jobs within an hour", act_id(j),
                   a->conf.kills_per_hour);
    return err_set(err, EDQUOT, "refused: too many kills in this hour");
}

/* ------------------------------------------------------------------ orders */

static int order_hold(struct acts *a, struct job *j,
                      const struct act_order *o, struct err *err)
{
    (void)err;
    if (o->who != ACT_HOST && ownerhold_drop(j, o->ranks))
        journal_job(a->journal, j);
    if (hands_order(a->journal, j, o->ranks, event_of(o)))
        a->ops->effect(j, JOB_EFFECT_HOLD);
    return 0;
}

static int order_kill(struct acts *a, struct job *j,
                      const struct act_order *o, struct err *err)
{
    if (of_tasks(o))
        return order_hold(a, j, o, err);
    job_kill_with(j, o->number);
    a->ops->end(j, o->end ? o->end : o->why, o->exit_code, o->at_once);
    return 0;
}

/* One that cannot go back is ended: it hangs. */
static int order_rollback(struct acts *a, struct job *j,
                          const struct act_order *o, struct err *err)
{
    return a->ops->again(j, o->why) ? 0 : order_kill(a, j, o, err);
}

struct blamed { const struct job *j; const struct taskset *ranks; };

static bool is_elsewhere(const void *arg, const struct node *n)
{
    const struct blamed *b = arg;

    for (int64_t r = -1; (r = taskset_next(b->ranks, r)) >= 0; )
        if (b->j->nodes[b->j->tasks[r].node].node == n)
            return false;
    return n->state == NODE_UP && !n->draining;
}

static int move_blamed(struct acts *a, struct job *j, const struct act_order *o,
                       struct err *err)
{
    struct blamed blamed = { j, o->ranks };
    struct node **to_of = calloc(j->ntasks + 1, sizeof(*to_of));
    struct mover_order m = { .ranks = o->ranks, .to_of = to_of, .why = o->why,
                             .tells = true };
    int rc = !to_of ? err_memory(err)
           : !a->movers || !o->ranks || taskset_count(o->ranks) == 0 ||
             taskset_count(o->ranks) == j->ntasks
           ? err_set(err, ENOTSUP, "no task is to blame more than the others")
           : mover_able(j, err);

    if (rc == 0)
        rc = away_plan(a->nodes, is_elsewhere, &blamed, j, o->ranks, to_of, NULL,
                       err);
    if (rc == 0)
        rc = mover_order(a->movers, j, &m, err);
    free(to_of);
    return rc;
}

/* To where none of those is that are to blame. */
static int order_migrate(struct acts *a, struct job *j, const struct act_order *o,
                         struct err *err)
{
    if (move_blamed(a, j, o, err) == 0) {
        acts_record(a, j, o, "ordered");
        return 0;
    }
    acts_record(a, j, o, err->text);
    a->ops->notice(j, true, "job %llu: nothing is moved: %s", act_id(j), err->text);
    return -1;
}

static long check_priority(const struct job *j, const struct act_order *o,
                           struct err *err)
{
    if (job_state_final(j->state) || j->state == JOB_ENDING)
        return err_set(err, ESRCH, "job %llu is %s", act_id(j),
                       job_state_name(j->state));
    return priority_equal(&j->priority, o->priority) ? 0 : j->ntasks ? j->ntasks : 1;
}

static int limit_priority(struct acts *a, const struct job *j,
                          const struct act_order *o, struct err *err)
{
    return importance_allowed(&a->conf, o->priority, &j->priority, err);
}

static int order_priority(struct acts *a, struct job *j,
                          const struct act_order *o, struct err *err)
{
    if (priority_equal(&j->priority, o->priority))
        return 0;
    if (importance_order(a->journal, j, o->priority, err))
        return -1;
    a->ops->effect(j, JOB_EFFECT_HOLD);
    return 0;
}

static long check_deadline(const struct job *j, const struct act_order *o,
                           struct err *err)
{
    return timetable_check(j, o->due, err);
}

static int order_deadline(struct acts *a, struct job *j,
                          const struct act_order *o, struct err *err)
{
    if (timetable_order(a->journal, j, o->due, err))
        return -1;
    a->ops->effect(j, JOB_EFFECT_HOLD);
    if (o->due->said->n)
        a->ops->notice(j, false, "job %llu: %s: %s", act_id(j),
                       str_text(o->due->said), o->why);
    return 0;
}

/* A word to the tasks, which changes nothing that is kept: sent at once. */
static int order_signal(struct acts *a, struct job *j,
                        const struct act_order *o, struct err *err)
{
    (void)a;
    return hands_signal(j, o->ranks, o->number, err);
}

/* --------------------------------------------------------------- the table */

static const struct act {
    const char *name;           /* in table action, and of the command */
    unsigned who;               /* may ask for it */
    /* How many tasks would change; -1: it is not legal in this state. NULL:
     * it is always, and changes nothing. */
    long (*check)(const struct job *j, const struct act_order *o,
                  struct err *err);
    /* -1: not now, and who runs the job has been told. NULL: none. */
    int (*limit)(struct acts *a, const struct job *j,
                 const struct act_order *o, struct err *err);
    /* Change the state, and leave what is to be sent after the commit. */
    int (*order)(struct acts *a, struct job *j, const struct act_order *o,
                 struct err *err);
    const char *record;         /* its result at first; NULL: no row */
    /* "2 tasks are being suspended", to who asked; "... are suspended", to who
     * runs the job and did not; and if nothing changes. NULL: nothing. */
    const char *done, *nothing;
    enum hold_event event;      /* of tasks: the step of their machine */
    int hold;                   /* how Hold asks for it; -1: it does not */
} table[] = {
    [ACT_REPORT] = { "report", ACT_POLICY, NULL, NULL, NULL, "done", NULL,
                     NULL, HOLD_EVENT_COUNT, -1 },
    [ACT_SUSPEND] = { "suspend", ACT_OWNER | ACT_OPERATOR | ACT_POLICY |
                      ACT_HOST | ACT_LADDER, check_hold, NULL, order_hold,
                      "ordered", "suspended", "suspended already",
                      HOLD_EVENT_SUSPEND, HCT__HOLD_ORDER__HOLD_SUSPEND },
    [ACT_RESUME] = { "resume",
                     ACT_OWNER | ACT_OPERATOR | ACT_POLICY | ACT_HOST |
                     ACT_LADDER,
                     check_hold, NULL, order_hold, "ordered", "resumed",
                     "nothing is suspended", HOLD_EVENT_RESUME,
                     HCT__HOLD_ORDER__HOLD_RESUME },
    [ACT_KILL] = { "kill", ACT_OWNER | ACT_OPERATOR | ACT_BATCH | ACT_POLICY,
                   check_kill, limit_kill, order_kill, "ordered", NULL, NULL,
                   HOLD_EVENT_END, -1 },
    [ACT_SIGNAL] = { "signal", ACT_OWNER | ACT_OPERATOR | ACT_BATCH,
                     check_signal, NULL, order_signal, NULL, NULL, NULL,
                     HOLD_EVENT_COUNT, -1 },
    [ACT_WARN] = { "warn", ACT_POLICY, NULL, NULL, NULL, "done", NULL, NULL,
                   HOLD_EVENT_COUNT, -1 },
    [ACT_SWITCH_OFF] = { "switch off", ACT_POLICY, NULL, NULL, NULL, "done",
                         NULL, NULL, HOLD_EVENT_COUNT, -1 },
    /* Of an operator, or for the owner of a node, ordered by mover_order(), which
     * has a machine of its own. */
    [ACT_MIGRATE] = { "migrate", ACT_OPERATOR | ACT_POLICY, NULL, NULL,
                      order_migrate, NULL, NULL, NULL, HOLD_EVENT_COUNT, -1 },
    /* By checkpoint_order(); and by whoever drives jobs. */
    [ACT_CHECKPOINT] = { "checkpoint", ACT_OPERATOR, NULL, NULL, NULL, "ordered",
                         NULL, NULL, HOLD_EVENT_COUNT, -1 },
    [ACT_ROLLBACK] = { "rollback", ACT_POLICY, check_kill, limit_kill,
                       order_rollback, "ordered", NULL, NULL, HOLD_EVENT_END,
                       -1 },
    [ACT_PRIORITY] = { "priority", ACT_OPERATOR, check_priority, limit_priority,
                       order_priority, "ordered", "given another priority",
                       "it has this priority already", HOLD_EVENT_COUNT, -1 },
    [ACT_DEADLINE] = { "deadline", ACT_OPERATOR, check_deadline, NULL,
                       order_deadline, "done", NULL, NULL, HOLD_EVENT_COUNT,
                       -1 },
    /* Of a node, by drain_order(), also for its owner. */
    [ACT_DRAIN] = { "drain", ACT_OPERATOR, NULL, NULL, NULL, NULL, NULL, NULL,
                    HOLD_EVENT_COUNT, -1 },
    [ACT_UNDRAIN] = { "undrain", ACT_OPERATOR, NULL, NULL, NULL, NULL, NULL,
                      NULL, HOLD_EVENT_COUNT, -1 },
};
enum { ACTS = sizeof(table) / sizeof(table[0]) };

static enum hold_event event_of(const struct act_order *o)
{
    return o->at_once ? HOLD_EVENT_END_NOW : table[o->act].event;
}

int act_of_hold(int order, enum act_name *act, struct err *err)
{
    for (unsigned i = 0; i < ACTS; i++)
        if (table[i].hold == order && order >= 0) {
            *act = (enum act_name)i;
            return 0;
        }
    return err_set(err, EPROTO, "Hold with order %d", order);
}

const char *act_name(enum act_name act)
{
    return table[act].name;
}

static const char *who_name(const struct act_order *o)
{
    return o->who == ACT_OWNER ? "hector-run"
           : o->who == ACT_OPERATOR ? "operator"
           : o->who == ACT_BATCH ? "batch system"
           : o->who == ACT_HOST ? "owner"
           : o->who == ACT_LADDER ? "ladder"
           : o->by ? o->by : "a policy";
}

/* ----------------------------------------------------------------- the way */

static int may(const struct act *row, const struct act_order *o,
               struct err *err)
{
    if (row->who & o->who)
        return 0;
    return err_set(err, EPERM, "%s may not be asked for by %s%s", row->name,
                   o->who == ACT_POLICY ? "policy " : "", who_name(o));
}

void acts_record(struct acts *a, const struct job *j,
                 const struct act_order *o, const char *result)
{
    char *ranks = o->ranks ? taskset_text(o->ranks) : NULL;
    struct store_action row = {
        .action = table[o->act].name, .by = who_name(o), .why = o->why,
        .ranks = ranks ? ranks : o->whole ? "all" : NULL,
        .result = result };

    journal_action(a->journal, j, &row);
    free(ranks);
}

static void say(const struct acts *a, const struct act *row,
                const struct job *j, const struct act_order *o, long n,
                char *text, size_t size)
{
    const char *are = n == 1 ? "is" : "are";

    if (size)
        *text = '\0';
    if (!row->done)
        return;
    if (n == 0)
        snprintf(text, size, "%s", row->nothing);
    else
        snprintf(text, size, "%ld task%s %s being %s", n, n == 1 ? "" : "s",
                 are, row->done);
    if (n > 0 && o->who == ACT_OPERATOR)
        a->ops->notice(j, false, "%ld of %u tasks of job %llu %s %s: %s", n,
                       j->ntasks, act_id(j), are, row->done, o->why);
}

long acts_order(struct acts *a, struct job *j, const struct act_order *o,
                char *text, size_t size, struct err *err)
{
    const struct act *row = &table[o->act];
    long n = 0;

    if (may(row, o, err) ||
        (row->check && (n = row->check(j, o, err)) < 0) ||
        (row->limit && row->limit(a, j, o, err))) {
        if (o->who == ACT_POLICY)
            acts_record(a, j, o, err->text);
        return -1;
    }
    if (row->record && (n > 0 || !row->check))
        acts_record(a, j, o, row->record);
    if (row->order && row->order(a, j, o, err))
        return -1;
    if (a->ops->ordered && o->who < ACT_POLICY)
        a->ops->ordered(j, o);
    say(a, row, j, o, n, text, text ? size : 0);
    return n;
}
