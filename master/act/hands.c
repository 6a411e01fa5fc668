/* hands.c - what hands do to the tasks of a job that runs on, see hands.h.
 *
 * Invariants. An order changes task->hold (hold.h), is committed with its row
 * in table action, and only then given to the slaves. What the slaves have to
 * do follows from task->hold alone, so it can be told again to one that was
 * away. Time suspended is that between the slave's words, on its clock. */
#include "master/act/hands.h"

#include <errno.h>
#include <stdlib.h>

#include "master/act/importance.h"
#include "master/act/timetable.h"
#include "master/store/journal.h"
#include "proto/link/conn.h"

static unsigned long long hold_id(const struct job *j)
{
    return j->id;
}

/* Send to the nodes that have some of the ranks. */
static size_t hold_send(struct job *j, const struct taskset *ranks,
                        const struct job_node *only, enum message_type type,
                        const void *msg)
{
    size_t sent = 0;

    for (size_t i = 0; i < j->nnodes; i++) {
        struct job_node *n = &j->nodes[i];
        bool some = false;

        for (size_t k = 0; k < ranks->n && !some; k++) {
            int64_t r = taskset_next(&n->ranks,
                                     (int64_t)ranks->v[k].first - 1);
            some = r >= 0 && r <= ranks->v[k].last;
        }
        if (!some || n->lost || n->drained || !n->node->link ||
            (only && only != n))
            continue;
        conn_send(n->node->link, type, msg);
        sent++;
    }
    return sent;
}

/* ------------------------------------------------------------------ orders */

/* What is suspended before it runs stops as soon as it does. */
static int hold_check(const struct job *j, enum hold_event ev, struct err *err)
{
    bool early = ev == HOLD_EVENT_SUSPEND || ev == HOLD_EVENT_RESUME;

    if (j->state == JOB_STARTING || j->state == JOB_RUNNING ||
        (early && (j->state == JOB_WAITING || j->state == JOB_PREPARING)))
        return 0;
    return err_set(err, ESRCH, "job %llu is %s", hold_id(j),
                   job_state_name(j->state));
}

/* Returns whether something changes; -1: it cannot be. */
static int hold_step(struct journal *jn, struct job *j, struct task *t,
                     enum hold_event ev, struct err *err)
{
    enum hold from = t->hold;

    if (hold_next(from, ev, &t->hold, err))
        return -1;
    if (t->hold == from)
        return 0;
    journal_step(jn, j, &hold_machine, job_rank(j, t), ev, from, t->hold);
    journal_task(jn, j, t);
    return 1;
}

long hands_check(const struct job *j, const struct taskset *ranks,
                 enum hold_event ev, struct err *err)
{
    long changed = 0, alive = 0, refused = 0;

    if (hold_check(j, ev, err))
        return -1;
    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; ) {
        const struct task *t = &j->tasks[r];
        enum hold next;

        if (task_state_final(t->state))
            continue;
        alive++;
        if (hold_next(t->hold, ev, &next, err))
            refused++;
        else
            changed += next != t->hold;
    }
    if (alive == 0)
        return err_set(err, ESRCH, "these tasks of job %llu have ended",
                       hold_id(j));
    if (refused == alive)
        return err_set(err, ESRCH, "these tasks of job %llu are being ended",
                       hold_id(j));
    return changed;
}

static bool any_is(const struct job *j, enum hold h)
{
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (j->tasks[r].hold == h && !task_state_final(j->tasks[r].state))
            return true;
    return false;
}

/* Those that were about to stop, or to go on, are to do something else now. */
static void settle_overtaken(struct journal *jn, const struct job *j,
                             const bool left[HOLD_COUNT])
{
    static const enum hold pending[] = { HOLD_SUSPENDING, HOLD_RESUMING };

    for (size_t i = 0; i < sizeof(pending) / sizeof(pending[0]); i++)
        if (left[pending[i]] && !any_is(j, pending[i]))
            journal_action_result(jn, j, hold_action(pending[i]),
                                  "overtaken by the next order");
}

bool hands_order(struct journal *jn, struct job *j,
                 const struct taskset *ranks, enum hold_event ev)
{
    bool changed = false, left[HOLD_COUNT] = { false };
    struct err err;

    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; ) {
        enum hold before = j->tasks[r].hold;

        if (task_state_final(j->tasks[r].state) ||
            hold_step(jn, j, &j->tasks[r], ev, &err) <= 0)
            continue;
        left[before] = changed = true;
    }
    settle_overtaken(jn, j, left);
    return changed;
}

int hands_signal(struct job *j, const struct taskset *ranks, int number,
                 struct err *err)
{
    Hct__TaskSignal m = HCT__TASK_SIGNAL__INIT;
    size_t sent;

    m.ranks = taskset_text(ranks);
    if (!m.ranks)
        return err_memory(err);
    m.job = j->id;
    m.signal = number;
    sent = hold_send(j, ranks, NULL, MESSAGE_TASK_SIGNAL, &m);
    free(m.ranks);
    if (sent == 0)
        return err_set(err, ESRCH, "these tasks of job %llu have ended",
                       hold_id(j));
    return 0;
}

/* ----------------------------------------------------------------- effects */

static void send_hold(struct job *j, const struct job_node *only,
                      const struct taskset *ranks, enum hold which)
{
    Hct__TaskHold hold = HCT__TASK_HOLD__INIT;
    Hct__Terminate end = HCT__TERMINATE__INIT;
    char *text = taskset_text(ranks);

    if (!text)
        return;
    hold.job = end.job = j->id;
    hold.ranks = end.ranks = text;
    hold.order = (Hct__HoldOrder)hold_order(which);
    end.grace_ns = which == HOLD_KILLING ? 0 : j->grace_ns;
    if (hold_order(which) < 0)
        hold_send(j, ranks, only, MESSAGE_TERMINATE, &end);
    else
        hold_send(j, ranks, only, MESSAGE_TASK_HOLD, &hold);
    free(text);
}

void hands_send(struct job *j, const struct job_node *only)
{
    struct taskset sets[HOLD_COUNT] = { 0 };

    timetable_send(j, only);
    if (j->state == JOB_PREPARING || j->state == JOB_STARTING ||
        j->state == JOB_RUNNING)
        importance_send(j, only);       /* Prepare is on its way, or was there */
    if (j->state != JOB_STARTING && j->state != JOB_RUNNING)
        return;                 /* nothing runs yet, or all of it ends */
    for (uint32_t r = 0; r < j->ntasks; r++) {
        enum hold hold = j->tasks[r].hold;

        if (hold_ordered(hold) && !task_state_final(j->tasks[r].state) &&
            taskset_add(&sets[hold], r, r))
            break;
    }
    for (unsigned i = 0; i < HOLD_COUNT; i++) {
        if (sets[i].n)
            send_hold(j, only, &sets[i], (enum hold)i);
        taskset_fini(&sets[i]);
    }
}

/* ------------------------------------------------------------------- words */

void hands_over(struct task *t, uint64_t at_ns)
{
    if (t->held_since_ns && at_ns > t->held_since_ns)
        t->held_ns += at_ns - t->held_since_ns;
    t->held_since_ns = 0;
}

/* How the tasks that stand are held. */
static const char *hold_means(const struct job *j)
{
    bool frozen = false, stopped = false;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct task *t = &j->tasks[r];

        if (t->hold != HOLD_SUSPENDED || task_state_final(t->state))
            continue;
        frozen |= t->frozen;
        stopped |= !t->frozen;
    }
    return !frozen ? "done, by signals"
           : stopped ? "done, by freezing, some by signals"
                     : "done, by freezing";
}

/* The last of those that were in this state has done what was ordered. */
static void hold_check_done(struct journal *jn, struct job *j,
                            enum hold pending)
{
    const char *action = hold_action(pending);

    if (action && !any_is(j, pending))
        journal_action_result(jn, j, action, pending == HOLD_SUSPENDING
                              ? hold_means(j) : "done");
}

int hands_held(struct journal *jn, struct job *j, const struct job_node *on,
               const Hct__Held *m, struct err *err)
{
    struct task *t = job_task_find(j, m->rank);
    enum hold before;

    if (!t || !job_has_on(j, t, on))
        return err_set(err, EPROTO, "Held for rank %u of job %llu, which is "
                       "not on this node", m->rank, hold_id(j));
    if (task_state_final(t->state))
        return 0;               /* told again */
    before = t->hold;
    t->frozen = m->frozen;
    if (!m->held)
        hands_over(t, m->at_ns);
    else if (!t->held_since_ns)
        t->held_since_ns = m->at_ns;
    if (hold_step(jn, j, t, m->held ? HOLD_EVENT_STOPPED : HOLD_EVENT_WENT,
                  err) < 0)
        return -1;
    journal_task(jn, j, t);
    if (t->hold != before)
        hold_check_done(jn, j, before);
    return 0;
}
