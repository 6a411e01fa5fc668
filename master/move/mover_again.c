/* mover_again.c - a move that another master has begun: slaves say how far
 * tasks have come apart, and when all have, it goes on from there, or back. */
#include "master/move/mover_private.h"

#include "proto/base/log.h"
#include "proto/link/timer.h"

const char mover_orphaned[] =
    "hector-master ended while tasks were being moved";

static struct mover *take_up(struct movers *all, struct job *j, struct err *err)
{
    const struct taskset none = { 0 };
    const struct mover_order o = { .ranks = &none };
    struct mover *v = mover_make(all, j, &o, err);

    if (!v)
        return NULL;
    mover_expect(v, false);
    log_info("move", "taken up again job=%llu", (unsigned long long)j->id);
    j->mover = v;
    v->state = MOVE_APART;
    v->taken_up = v->acted = true;
    v->serial = 0;
    timer_set(v->timer, APART_NS);
    return v;
}

/* Who moves; to that node, if it is known by now. */
static int add_ranks(struct mover *v, const char *text, struct node *to,
                     struct err *err)
{
    struct taskset set = { 0 };
    int rc = *text ? taskset_parse(&set, text, v->job->ntasks, err) : 0;

    for (int64_t r = -1; rc == 0 && (r = taskset_next(&set, r)) >= 0; )
        if (taskset_add(&v->ranks, (uint32_t)r, (uint32_t)r))
            rc = err_memory(err);
        else if (to)
            rc = mover_add_target(v, to, (uint32_t)r, err);
    taskset_fini(&set);
    return rc;
}

int mover_apart(struct movers *all, struct job *j, struct job_node *jn,
                const Hct__ComeApart *m, struct err *err)
{
    struct mover *v = j->mover;
    size_t i = (size_t)(jn - j->nodes);

    if (j->state != JOB_RUNNING || !j->migratable || (v && !v->taken_up))
        return 0;
    if (!v && !(v = take_up(all, j, err)))
        return -1;
    if (i >= v->nnodes)
        return 0;
    v->mixed |= v->serial && m->serial != v->serial;
    v->node[i].apart = true;
    v->let |= m->let;
    if (m->serial > v->serial)
        v->serial = m->serial;
    if (m->generation > v->generation)
        v->generation = m->generation;
    return add_ranks(v, m->leaving, NULL, err) ||
           add_ranks(v, m->coming, jn->node, err) ? -1 : 0;
}

/* Have all said how far they are that have tasks? In *apart: and all are apart. */
static bool all_told(const struct mover *v, bool *apart)
{
    *apart = true;
    for (size_t i = 0; i < v->job->nnodes; i++) {
        const struct job_node *jn = &v->job->nodes[i];

        if (!mover_takes_part(jn) || !jn->ntasks)
            continue;
        if (jn->away)
            return false;
        *apart &= v->node[i].apart;
    }
    return true;
}

/* Places are taken: the database has them. */
static void go_on_there(struct mover *v, bool apart)
{
    struct job *j = v->job;
    bool lacks = false;
    struct err err;

    v->returns = !v->ranks.n;
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        if (mover_add_target(v, j->nodes[j->tasks[r].node].node, (uint32_t)r,
                             &err)) {
            mover_give_up(v, "%s", err.text);
            return;
        }
    if (mover_take_aim(v, &err)) {
        mover_give_up(v, "%s", err.text);
        return;
    }
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        lacks |= v->rank[r].came && !v->rank[r].left;
    if (lacks) {                /* where what it tags is to be counted from */
        mover_give_up(v, "%s", mover_orphaned);
        return;
    }
    v->state = apart ? MOVE_RESTORED : MOVE_JOINED;
    v->acted = false;
    v->all->ops->act(v->job);
}

/* Some may have left for good, as all have come. */
static void go_on_leaving(struct mover *v)
{
    struct err err;

    if (!v->nto || v->mixed || mover_take_aim(v, &err)) {
        mover_give_up(v, "%s", mover_orphaned);
        return;
    }
    v->acted = false;
    v->all->ops->act(v->job);
}

void mover_go_on(struct mover *v)
{
    bool apart, there = v->serial == v->job->serial;

    if (!all_told(v, &apart))
        return;
    v->taken_up = false;
    if (there)
        go_on_there(v, apart);
    else if (!apart)
        mover_give_up(v, "%s", mover_orphaned);
    else if (v->let)
        go_on_leaving(v);
    else
        mover_return_all(v, mover_orphaned);
}
