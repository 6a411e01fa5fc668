/* mover_again.c - a move that another master has begun: slaves say how far
 * tasks have come apart, and when all have, it goes on from there, or back.
 *
 *   what the database and the slaves say          what is done
 *   places are taken (serial of the job)          tasks are let in there; what was
 *                                                 known of them is in the database
 *   nobody has come apart, all stand              all go on
 *   somebody has, who leaves was told to          it goes on: all come apart
 *   somebody has, and nobody was told to leave    all come apart, and go back
 *   the slave of all tasks has let them go on     that is all
 *
 * Where the job cannot go on: a task has left, and what it came to is gone. */
#include "master/move/mover_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/journal.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"

const char mover_orphaned[] =
    "hector-master ended while tasks were being moved";

void mover_forget_bill(struct job *j)
{
    if (j->bill)
        bill_fini(j->bill);
    free(j->bill);
    j->bill = NULL;
}

void mover_close_bill(struct job *j, const char *why)
{
    if (j->bill)
        bill_note(j->bill, j, why);
    mover_forget_bill(j);
}

int mover_known(struct movers *all, struct job *j, const struct store_move *row,
                struct err *err)
{
    mover_close_bill(j, mover_orphaned);        /* only the last one may go on */
    j->bill = calloc(1, sizeof(*j->bill));
    if (!j->bill)
        return err_memory(err);
    if (bill_reopen(j->bill, all->journal, row, err)) {
        mover_forget_bill(j);
        return -1;
    }
    return 0;
}

void mover_not_taken_up(struct job *j)
{
    mover_close_bill(j, mover_orphaned);
}

static struct mover *take_up(struct movers *all, struct job *j, struct err *err)
{
    const struct taskset none = { 0 };
    const struct mover_order o = { .ranks = &none };
    struct mover *v = mover_make(all, j, &o, err);

    if (!v)
        return NULL;
    mover_expect(v, false);
    if (j->bill)
        v->bill = *j->bill;     /* with its texts; noted when it ends */
    free(j->bill);
    j->bill = NULL;
    log_info("move", "taken up again job=%llu", (unsigned long long)j->id);
    j->mover = v;
    v->state = MOVE_DRAINED;    /* until somebody has come apart */
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

/* Where all tasks are: no other slave is about to let any in. What it has used
 * up of numbers is stored with the places. */
static int went_on_alone(struct movers *all, struct job *j,
                         const struct job_node *jn, const Hct__ComeApart *m,
                         struct err *err)
{
    struct mover *v = j->mover;

    if (jn->ntasks != j->ntasks || (v && v->state > MOVE_RETURNING))
        return err_set(err, EPROTO, "ComeApart of job %llu, which cannot have "
                       "gone on alone", (unsigned long long)j->id);
    if (m->serial > j->serial) {
        j->serial = m->serial;
        if (all->ops->seal(j, NULL, 0, err))
            return -1;
        journal_job(all->journal, j);
    }
    if (!v)
        return 0;
    v->taken_up = v->uncertain = v->returns = false;
    if (!*v->why)
        snprintf(v->why, sizeof(v->why), "%.100s had let all go on while no "
                 "master was there", jn->node->name);
    mover_step(v, move_state_is_whole(v->state) ? MOVE_EVENT_GIVE_UP
                                          : MOVE_EVENT_ALONE);
    return 0;
}

int mover_apart(struct movers *all, struct job *j, struct job_node *jn,
                const Hct__ComeApart *m, struct err *err)
{
    struct mover *v = j->mover;
    size_t i = (size_t)(jn - j->nodes);

    if (j->state != JOB_RUNNING || !j->migratable)
        return 0;
    if (m->alone)
        return went_on_alone(all, j, jn, m, err);
    /* Nobody is left there, and it has missed the end of what it speaks of. */
    if ((v && !v->taken_up) || (!v && !jn->ntasks && m->serial < j->serial))
        return 0;
    if (!v && !(v = take_up(all, j, err)))
        return -1;
    if (i >= v->nnodes)
        return 0;
    if (v->serial && m->serial != v->serial) {
        v->mixed = true;        /* all were to return */
        snprintf(v->why, sizeof(v->why), "%s", mover_orphaned);
    }
    v->node[i].told = true;
    v->node[i].apart = m->generation > 0;
    if (v->node[i].apart)
        v->state = MOVE_APART;
    v->let |= m->let;
    if (m->serial > v->serial)
        v->serial = m->serial;
    if (m->generation > v->generation)
        v->generation = m->generation;
    return add_ranks(v, m->leaving, NULL, err) ||
           add_ranks(v, m->coming, jn->node, err) ? -1 : 0;
}

/* Have all said how far they are that have tasks? What has come to a node without
 * any counts once somebody may have left. */
static bool all_told(const struct mover *v, bool there)
{
    for (size_t i = 0; i < v->job->nnodes; i++) {
        const struct job_node *jn = &v->job->nodes[i];

        if (mover_takes_part(jn) && jn->away &&
            (jn->ntasks || (v->let && !there)))
            return false;
    }
    return true;
}

static bool all_apart(const struct mover *v)
{
    for (size_t i = 0; i < v->job->nnodes; i++)
        if (mover_takes_part(&v->job->nodes[i]) && v->job->nodes[i].ntasks &&
            !v->node[i].apart)
            return false;
    return true;
}

/* On which its tasks do not stand, though others have come apart. */
static const struct node *who_went_on(const struct mover *v)
{
    for (size_t i = 0; i < v->job->nnodes; i++)
        if (mover_takes_part(&v->job->nodes[i]) && v->job->nodes[i].ntasks &&
            !v->node[i].told)
            return v->job->nodes[i].node;
    return NULL;
}

/* What was known of those whose nodes are gone since: it was stored with their
 * places. */
static int recall_left(struct mover *v, struct err *err)
{
    const struct job_paper *paper = &v->job->placement;
    Hct__Prepare *p = hct__prepare__unpack(NULL, paper->n, paper->bytes);
    int rc = p ? 0 : err_memory(err);

    for (size_t i = 0; rc == 0 && i < p->n_arrivals; i++) {
        const Hct__SwapGo__Arrival *a = p->arrivals[i];
        Hct__TaskMoved m = HCT__TASK_MOVED__INIT;

        if (a->rank >= v->job->ntasks || v->rank[a->rank].left)
            continue;
        m.rank = a->rank;
        m.records = a->records;
        m.tagged = a->tagged;
        m.n_open = a->n_open;
        m.open = a->open;
        m.out_bytes = a->out_bytes;
        m.err_bytes = a->err_bytes;
        m.reads = a->reads;
        m.in_bytes = a->in_bytes;
        rc = moverank_leave(&v->rank[a->rank], &m, err);
    }
    if (p)
        hct__prepare__free_unpacked(p, NULL);
    return rc;
}

static bool is_named(const char *names, const char *name)
{
    size_t n = strlen(name);

    while (*names) {
        if (strncmp(names, name, n) == 0 && (names[n] == ',' || !names[n]))
            return true;
        names += strcspn(names, ",");
        names += *names == ',';
    }
    return false;
}

/* Slaves that have let them in do not say any more who has moved. What was asked
 * for does, and where those tasks are. */
static int recall_moved(struct mover *v, struct err *err)
{
    const struct store_move *asked = &v->bill.row;
    const struct job *j = v->job;
    struct taskset set = { 0 };
    int rc = 0;

    if (!v->ranks.n && asked->ranks && *asked->ranks)
        rc = taskset_parse(&set, asked->ranks, j->ntasks, err);
    for (int64_t r = -1; rc == 0 && (r = taskset_next(&set, r)) >= 0; ) {
        const struct node *at = j->nodes[j->tasks[r].node].node;

        if (!is_named(asked->from_nodes, at->name) &&
            taskset_add(&v->ranks, (uint32_t)r, (uint32_t)r))
            rc = err_memory(err);
    }
    taskset_fini(&set);
    return rc;
}

/* Places are taken: the database has them. */
static void go_on_there(struct mover *v)
{
    struct job *j = v->job;
    struct err err;
    bool bad = recall_moved(v, &err) != 0;

    v->returns = !v->ranks.n;
    for (int64_t r = -1; !bad && (r = taskset_next(&v->ranks, r)) >= 0; )
        bad = mover_add_target(v, j->nodes[j->tasks[r].node].node, (uint32_t)r,
                               &err) != 0;
    if (bad || mover_take_aim(v, &err) || recall_left(v, &err)) {
        mover_give_up(v, "%s", err.text);
        return;
    }
    v->state = all_apart(v) ? MOVE_RESTORED : MOVE_JOINED;
    v->acted = false;
    v->all->ops->act(v->job);
}

/* Some may have left for good, as all have come; unless that is gone since. */
static void go_on_leaving(struct mover *v)
{
    uint64_t ncome = 0;
    char why[sizeof(v->why)];
    struct err err;

    memcpy(why, v->why, sizeof(why));
    for (size_t i = 0; i < v->nto; i++)
        ncome += taskset_count(&v->to[i].ranks);
    if (v->mixed) {
        mover_give_up(v, "%s", why);
    } else if (ncome < taskset_count(&v->ranks)) {
        mover_give_up(v, "a node that tasks had come to was lost");
    } else if (mover_take_aim(v, &err)) {
        mover_give_up(v, "%s", err.text);
    } else {
        v->acted = false;
        v->all->ops->act(v->job);
    }
}

static void go_back(struct mover *v)
{
    char why[sizeof(v->why)];

    snprintf(why, sizeof(why), "%s", *v->why ? v->why : mover_orphaned);
    mover_return_all(v, why);
}

void mover_go_on(struct mover *v)
{
    bool there = v->serial == v->job->serial;
    const struct node *n = who_went_on(v);

    if (!all_told(v, there))
        return;
    v->taken_up = false;
    v->let |= !v->mixed && mover_all_came(v);
    if (there)
        go_on_there(v);
    else if (v->state == MOVE_DRAINED)
        mover_give_up(v, "%s", mover_orphaned);
    else if (n)
        mover_give_up(v, "the tasks on %.100s have gone on meanwhile", n->name);
    else if (v->let)
        go_on_leaving(v);
    else
        go_back(v);
}
