/* mover_look.c - what follows from looks at the pages of all tasks.
 *
 * Invariant: a look is complete when each node of the job that has tasks, or is
 * there, has answered the order with its number; the next order is sent after that,
 * and nothing else asks for looks. */
#include "master/move/mover_private.h"

#include <errno.h>

#include "master/store/journal.h"
#include "proto/link/timer.h"

/* What a task has of MPI it says when it stands. */
static bool any_refuses(struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++)
        if (v->rank[r].refuses) {
            mover_give_up(v, "task %u cannot be moved: %s", r, v->rank[r].why);
            return true;
        }
    return false;
}

/* In MPI_Init, so nobody can say yet whether it can be stopped. */
static bool initialises(const struct mover *v, uint32_t r)
{
    const struct moverank *k = &v->rank[r];

    return (!k->heard || (!k->able && k->task.where != STOP_AT_GONE)) &&
           task_state_in_mpi(v->job->tasks[r].state);
}

/* Whatever speaks against it, once all pages were read. */
static bool may_stop(struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (initialises(v, r))
            continue;
        if (!k->heard || k->task.where == STOP_AT_GONE)
            return mover_give_up(v, "task %u has ended, or has not called "
                                 "MPI_Init", r), false;
        if (!k->able)
            return mover_give_up(v, "task %u cannot be stopped: it has not "
                                 "called MPI_Init, or is no program of Open "
                                 "MPI", r), false;
    }
    return !any_refuses(v);
}

/* Why that task cannot take part in a stop yet; NULL: it can. Made of a file, its
 * page says that it stands, as it did then. */
static const char *is_early(const struct mover *v, uint32_t r)
{
    return initialises(v, r) ? "has not come out of MPI_Init yet, or is no program of "
                               "Open MPI"
         : v->rank[r].swap == MOVERANK_DOWN ? "was made of its image, and has not "
                                              "joined the others yet"
         : NULL;
}

/* Those who are early are waited for, as long as for all to stand. */
static bool all_ready(struct mover *v)
{
    uint64_t now_ns = clock_monotonic_ns();
    const char *why = NULL;
    uint32_t r = 0;

    while (r < v->job->ntasks && !(why = is_early(v, r)))
        r++;
    if (!why)
        return true;
    if (!v->ready_by_ns)
        v->ready_by_ns = now_ns + v->quiesce_ns;
    if (now_ns < v->ready_by_ns) {
        mover_send_order(v, WORD_RUN, 0, SLOW_NS, NULL);
        return false;
    }
    v->passing = true;
    mover_give_up(v, "task %u %s", r, why);
    return false;
}

static int make_stop(struct mover *v, struct err *err)
{
    struct stop_options o = { .limit_ns = v->quiesce_ns };
    uint32_t width = 0;

    for (uint32_t r = 0; r < v->job->ntasks; r++)
        if (v->rank[r].task.ncomms > width)
            width = v->rank[r].task.ncomms;
    v->stop = stop_create(v->job->ntasks, width + COMMS_MORE, &o, err);
    timer_set(v->timer, v->quiesce_ns + HEARD_NS);
    return v->stop ? 0 : -1;
}

static const struct stop_orders *stop_look_at(struct mover *v)
{
    struct stop_look in = { .now_ns = clock_monotonic_ns(), .number = v->looks,
                            .tasks = v->look, .ntasks = v->job->ntasks };

    for (uint32_t r = 0; r < v->job->ntasks; r++)
        v->look[r] = v->rank[r].task;
    return stop_step(v->stop, &in);
}

/* Steps of the move that follow from those of the stop. */
static void follow_stop(struct mover *v, const struct stop_orders *o)
{
    char text[STOP_WHY_TEXT];
    bool quiet = o->state == STOP_DRAINING || o->state == STOP_STOPPED;

    if (o->state == STOP_GIVEN_UP) {
        v->passing = true;
        mover_give_up(v, "%s", stop_why_text(text, &o->why));
        return;
    }
    if (quiet && v->state == MOVE_CHECKED) {
        v->quiet_ns = clock_monotonic_ns();
        v->quiet_wall_ns = clock_wall_ns();
        mover_step(v, MOVE_EVENT_QUIET);
    } else if (!quiet && v->state == MOVE_QUIET) {
        mover_step(v, MOVE_EVENT_THAWED);
    }
    if (o->state == STOP_STOPPED && !any_refuses(v))
        mover_step(v, MOVE_EVENT_DRAINED);
}

static void look_at_stop(struct mover *v)
{
    const struct stop_orders *o;
    uint64_t now_ns;
    struct err err;

    if (!v->stop) {
        if (!may_stop(v) || !all_ready(v))
            return;
        if (make_stop(v, &err)) {
            mover_give_up(v, "%s", err.text);
            return;
        }
    }
    o = stop_look_at(v);
    bill_stop(&v->bill, o);
    follow_stop(v, o);
    if (v->state != MOVE_CHECKED && v->state != MOVE_QUIET)
        return;
    now_ns = clock_monotonic_ns();
    mover_send_order(v, o->want, o->number,
                     o->wake_ns <= now_ns ? 0
                     : o->wake_ns - now_ns < LOOK_NS ? o->wake_ns - now_ns
                     : LOOK_NS, o);
}

/* All have dropped their library; who moves has left, and has come. */
static void look_at_parts(struct mover *v)
{
    bool left = !v->saving || v->nsaid == v->job->ntasks;

    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (mover_moves(v, r)) {
            left &= k->left;
        } else if (k->swap == MOVERANK_FAILED) {
            mover_give_up(v, "task %u: %s", r, k->why);
            return;
        } else if (k->task.where == STOP_AT_GONE) {
            mover_give_up(v, "task %u has ended meanwhile", r);
            return;
        }
    }
    if (v->state == MOVE_APART && left)
        mover_step(v, MOVE_EVENT_IMAGED);
}

static bool all_down(const struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (mover_moves(v, r) ? !k->left || !k->came : k->swap != MOVERANK_DOWN)
            return false;
    }
    return true;
}

static int seal(const struct mover *v, struct err *err)
{
    struct mover_arrivals a;
    int rc = mover_find_arrivals(v, &a, err);

    if (rc == 0)
        rc = v->all->ops->seal(v->job, a.all, a.n, err);
    mover_drop_arrivals(&a);
    return rc;
}

/* They are where they are to be: for everybody from now on. */
static int take_places(struct mover *v, struct err *err)
{
    struct job *j = v->job;
    uint64_t now_ns = clock_wall_ns();

    for (int64_t r = -1; !v->returns && (r = taskset_next(&v->ranks, r)) >= 0; ) {
        struct task *t = &j->tasks[r];

        journal_posting(v->all->journal, j, t, t->since_ns ? t->since_ns
                      : t->started_ns, now_ns);
        if (job_move_task(j, (uint32_t)r, v->node_of[r]))
            return err_memory(err);
        t->pid = v->rank[r].pid;
        t->since_ns = now_ns;
        journal_posting(v->all->journal, j, t, now_ns, 0);
        journal_task(v->all->journal, j, t);
    }
    mover_expect(v, false);
    j->serial = v->serial;
    return seal(v, err);
}

bool mover_all_swapped(struct mover *v)
{
    for (size_t i = 0; i < v->job->nnodes; i++)
        if (mover_swaps(v, &v->job->nodes[i]) && !v->node[i].swapped)
            return false;
    return true;
}

static void look_at_places(struct mover *v)
{
    struct err err;

    look_at_parts(v);
    if ((v->state != MOVE_IMAGED && v->state != MOVE_RETURNING) || !all_down(v))
        return;
    if (v->state == MOVE_RETURNING && (!v->acted || !mover_all_swapped(v)))
        return;                 /* some slave has not heard of it yet */
    if (take_places(v, &err))
        mover_give_up(v, "%s", err.text);
    else
        mover_step(v, MOVE_EVENT_RESTORED);
}

static void look_at_members(struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (k->swap == MOVERANK_FAILED) {
            mover_give_up(v, "task %u: %s", r, k->why);
            return;
        }
        if (k->task.where == STOP_AT_GONE) {
            mover_give_up(v, "task %u has ended meanwhile", r);
            return;
        }
    }
    for (uint32_t r = 0; r < v->job->ntasks; r++)
        if (v->rank[r].swap != MOVERANK_UP ||
            v->rank[r].generation != v->generation)
            return;
    mover_step(v, MOVE_EVENT_JOINED);
}

static void look_complete(struct mover *v)
{
    switch (v->state) {
    case MOVE_CHECKED:
    case MOVE_QUIET:
        look_at_stop(v);
        return;
    case MOVE_APART:
    case MOVE_IMAGED:
    case MOVE_RETURNING:
        look_at_places(v);
        break;
    case MOVE_RESTORED:
        if (v->acted)
            look_at_members(v);
        break;
    default:
        return;
    }
    if (!move_state_final(v->state) && v->state != MOVE_JOINED)
        mover_send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

/* One that is away and has no tasks would say nothing of any. */
static bool is_looked_for(const struct job_node *jn)
{
    return mover_takes_part(jn) && (jn->ntasks || !jn->away);
}

int mover_looked(struct job *j, struct job_node *jn, const Hct__StopLook *m,
                 struct err *err)
{
    struct mover *v = j->mover;
    size_t i = (size_t)(jn - j->nodes);

    if (!v || m->look != v->looks || i >= v->nnodes || v->node[i].look == m->look)
        return 0;               /* of a move before */
    for (size_t k = 0; k < m->n_tasks; k++) {
        const Hct__StopLook__Task *t = m->tasks[k];
        struct task *of = job_task_find(j, t->rank);

        if (of && !job_has_on(j, of, jn) && taskset_has(&v->ranks, t->rank))
            continue;           /* it has come, and does not stay */
        if (!of || !job_has_on(j, of, jn))
            return err_set(err, EPROTO, "StopLook of rank %u, which is not on "
                           "this node", t->rank);
        if (moverank_take(&v->rank[t->rank], t, j->ntasks, err))
            return -1;
    }
    v->node[i].look = m->look;
    for (i = 0; i < j->nnodes; i++)
        if (is_looked_for(&j->nodes[i]) && v->node[i].look != v->looks)
            return 0;
    look_complete(v);
    return 0;
}
