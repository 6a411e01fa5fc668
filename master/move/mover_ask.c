/* mover_ask.c - what is looked at before a move begins, and its beginning. */
#include "master/move/mover_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "proto/base/str.h"

/* That rank goes to that node; no other one, if it was told of before. */
int mover_add_target(struct mover *v, struct node *n, uint32_t rank,
                     struct err *err)
{
    struct mover_target *t = mover_target_of(v, n);

    if (mover_target_of_rank(v, rank))
        return 0;
    if (!t) {
        t = &v->to[v->nto++];
        t->node = n;
    }
    return taskset_add(&t->ranks, rank, rank) ? err_memory(err) : 0;
}


int mover_able(const struct job *j, struct err *err)
{
    unsigned long long n = j->id;

    if (!j->ops->ours)
        return err_set(err, ENOTSUP, "the tasks of job %llu were started by "
                       "others, and cannot be moved", n);
    if (!j->migratable)
        return err_set(err, ENOTSUP, "the tasks of job %llu cannot be moved: "
                       "it was started without --migratable", n);
    return 0;
}

static int check_job(const struct job *j, struct err *err)
{
    unsigned long long n = j->id;

    if (mover_able(j, err))
        return -1;
    if (j->state != JOB_RUNNING)
        return err_set(err, ESRCH, "job %llu is %s", n,
                       job_state_name(j->state));
    if (j->mover)
        return err_set(err, EBUSY, "tasks of job %llu are being moved already",
                       n);
    return 0;
}

static struct node *aim(const struct mover_order *o, int64_t r)
{
    return o->to_of ? o->to_of[r] : o->to;
}

static int check_ranks(const struct job *j, const struct mover_order *o,
                       struct err *err)
{
    for (int64_t r = -1; (r = taskset_next(o->ranks, r)) >= 0; ) {
        if (task_state_final(j->tasks[r].state))
            return err_set(err, ESRCH, "task %u has ended", (unsigned)r);
        if (j->nodes[j->tasks[r].node].node == aim(o, r))
            return err_set(err, EEXIST, "task %u is on %s already",
                           (unsigned)r, aim(o, r)->name);
    }
    for (uint32_t r = 0; r < j->ntasks; r++) {
        if (task_state_final(j->tasks[r].state))
            return err_set(err, ESRCH, "task %u has ended, and all tasks of a "
                           "job take part in a move", r);
        if (j->tasks[r].hold != HOLD_GOING)
            return err_set(err, EBUSY, "task %u is %s", r,
                           hold_name(j->tasks[r].hold));
    }
    return 0;
}

/* Of those that are moved, who leaves this node: tasks may change places. */
static uint32_t leaving(const struct mover *v, const struct node *n)
{
    const struct job *j = v->job;
    uint32_t leave = 0;

    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        leave += j->tasks[r].node < j->nnodes &&
                 j->nodes[j->tasks[r].node].node == n;
    return leave;
}

static int check_room(const struct mover *v, const struct mover_target *t,
                      struct err *err)
{
    const struct job *j = v->job;
    const struct node *to = t->node;
    uint32_t used = to->ntasks + to->ncoming, leave = leaving(v, to);

    used -= leave < used ? leave : used;
    if (node_takes(to, err))
        return -1;
    if (to->state != NODE_UP)
        return err_set(err, EHOSTDOWN, "node %s is %s", to->name,
                       node_state_name(to->state));
    if (used + taskset_count(&t->ranks) > to->cpus && !j->crowds)
        return err_set(err, EDQUOT, "node %s is full: %u task%s on %u "
                       "processor%s", to->name, used, used == 1 ? "" : "s",
                       to->cpus, to->cpus == 1 ? "" : "s");
    return 0;
}

/* The nodes, each once. */
static int make_targets(struct mover *v, const struct mover_order *o,
                        struct err *err)
{
    for (int64_t r = -1; (r = taskset_next(o->ranks, r)) >= 0; )
        if (mover_add_target(v, aim(o, r), (uint32_t)r, err))
            return -1;
    for (size_t i = 0; i < v->nto; i++)
        if (check_room(v, &v->to[i], err) ||
            cpuuse_check(&v->job->cpu, v->job->id, v->to[i].node, err))
            return -1;
    mover_expect(v, true);
    return 0;
}

static int open_bill(struct mover *v, struct err *err)
{
    struct str to = { 0 };
    int rc;

    for (size_t i = 0; i < v->nto; i++)
        str_addf(&to, "%s%s", i ? "," : "", v->to[i].node->name);
    rc = str_failed(&to) ? err_memory(err)
       : bill_open(&v->bill, v->all->journal, v->job, &v->ranks,
                   str_text(&to), err);
    str_fini(&to);
    return rc;
}

struct mover *mover_make(struct movers *all, struct job *j,
                         const struct mover_order *o, struct err *err)
{
    struct mover *v = calloc(1, sizeof(*v));
    size_t n = taskset_count(o->ranks);

    if (!v)
        return err_memory(err), NULL;
    *v = (struct mover){ .all = all, .job = j, .saved = o->saved,
                         .asker = o->asker, .serial = j->serial,
                         .tells = o->tells,
                         .quiesce_ns = o->quiesce_ns ? o->quiesce_ns
                             : MOVER_QUIESCE_S * CLOCK_NS_PER_S };
    v->rank = calloc(j->ntasks + 1, sizeof(*v->rank));
    v->look = calloc(j->ntasks + 1, sizeof(*v->look));
    v->node_of = calloc(j->ntasks + 1, sizeof(*v->node_of));
    v->to = calloc(j->ntasks + 1, sizeof(*v->to));
    v->nnodes = j->nnodes + n;          /* at most */
    v->node = calloc(v->nnodes + 1, sizeof(*v->node));
    v->timer = evtimer_new(all->base, mover_on_timer, v);
    if (o->saving)
        v->saving = strdup(o->saving);
    if ((o->saving && !v->saving) || !v->rank || !v->look || !v->node_of ||
        !v->to || !v->node || !v->timer || taskset_copy(&v->ranks, o->ranks))
        err_memory(err);
    else if (make_targets(v, o, err) == 0)
        return v;
    mover_free(v);
    return NULL;
}

int mover_order(struct movers *all, struct job *j, const struct mover_order *o,
                struct err *err)
{
    struct mover *v;

    if (check_job(j, err) || check_ranks(j, o, err))
        return -1;
    v = mover_make(all, j, o, err);
    if (!v)
        return -1;
    if (!v->saving && open_bill(v, err)) {
        mover_free(v);
        return -1;
    }
    j->mover = v;
    if (!v->saving)
        bill_note(&v->bill, j, NULL);
    log_info("move", "asked for job=%llu: %s", mover_id(v), o->why);
    all->ops->act(j);
    return 0;
}
