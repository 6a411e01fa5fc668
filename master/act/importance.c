/* importance.c - how important a job is, see importance.h.
 *
 * Invariant: j->priority is what the packed Submit says, so a master that takes
 * the job up and a node that is prepared later have the same. Slaves are told only
 * where it has changed: what a user has set himself meanwhile stays. */
#include "master/act/importance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hct.pb-c.h"
#include "master/store/journal.h"
#include "proto/conf/due.h"
#include "proto/link/conn.h"

int importance_allowed(const struct acts_conf *conf, const struct priority *p,
                       const struct priority *now, struct err *err)
{
    const struct priority had = now ? *now : (struct priority){ 0 };

    if (p->n > 0 && p->n > conf->max_priority && (!now || p->n > had.n))
        return err_set(err, EPERM, "priority %d is more than this master allows:"
                       " max_priority is %d in its hector.conf", p->n,
                       conf->max_priority);
    if (p->class == PRIORITY_REALTIME && !conf->realtime &&
        had.class != PRIORITY_REALTIME)
        return err_set(err, EPERM, "class realtime is not allowed by this master:"
                       " realtime is no in its hector.conf");
    return 0;
}

/* A later master reads that. Worlds of adopted tasks have none. */
static int rewrite_submit(struct job *j, const struct priority *p,
                          struct err *err)
{
    Hct__Submit *s = j->submit.bytes
                     ? hct__submit__unpack(NULL, j->submit.n, j->submit.bytes)
                     : NULL;
    Hct__Submit new = HCT__SUBMIT__INIT;
    int rc;

    if (!j->submit.bytes)
        return 0;
    if (!s)
        return err_memory(err);
    new = *s;
    new.priority = p->n;
    new.class_ = (char *)(uintptr_t)priority_class_name(p->class);
    new.reprioritized = true;
    rc = job_resubmit(j, &new, err);
    hct__submit__free_unpacked(s, NULL);
    return rc;
}

int importance_order(struct journal *jn, struct job *j,
                     const struct priority *p, struct err *err)
{
    if (rewrite_submit(j, p, err))
        return -1;
    j->priority = *p;
    j->reprioritized = true;
    for (size_t i = 0; i < j->nnodes; i++)
        j->nodes[i].share_told = 0;
    for (uint32_t r = 0; r < j->ntasks; r++)
        j->tasks[r].share.due = !task_state_final(j->tasks[r].state);
    journal_job(jn, j);
    return 0;
}

static bool is_over(const Hct__Submit *s, size_t number)
{
    for (size_t i = 0; i < s->n_deadlines_over; i++)
        if (s->deadlines_over[i] == number)
            return true;
    return false;
}

size_t importance_periods(const Hct__Submit *s, char ***v)
{
    size_t n = 0;

    *v = calloc(s->n_deadlines + 1, sizeof(**v));
    for (size_t i = 0; *v && i < s->n_deadlines; i++) {
        struct due d;

        if (is_over(s, i + 1) || due_parse(&d, s->deadlines[i], false, NULL))
            continue;
        if (d.kind == DUE_PERIOD || d.kind == DUE_CLOCK)
            (*v)[n++] = s->deadlines[i];
        due_fini(&d);
    }
    return n;
}

void importance_send(const struct job *j, const struct job_node *only)
{
    Hct__Priority m = HCT__PRIORITY__INIT;
    Hct__Submit *s = j->reprioritized && j->submit.bytes
                     ? hct__submit__unpack(NULL, j->submit.n, j->submit.bytes)
                     : NULL;

    if (!j->reprioritized)
        return;
    if (s)
        m.n_periods = importance_periods(s, &m.periods);
    m.job = j->id;
    m.priority = j->priority.n;
    m.class_ = (char *)(uintptr_t)priority_class_name(j->priority.class);
    for (size_t i = 0; i < j->nnodes; i++) {
        const struct job_node *n = &j->nodes[i];

        if (!n->lost && !n->drained && n->node->link && (!only || only == n))
            conn_send(n->node->link, MESSAGE_PRIORITY, &m);
    }
    free(m.periods);
    if (s)
        hct__submit__free_unpacked(s, NULL);
}

/* The last of those that were to have something else has said what it has. */
static void check_done(struct journal *jn, const struct job *j)
{
    unsigned applied = PRIORITY_APPLIED;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct task *t = &j->tasks[r];

        if (task_state_final(t->state))
            continue;
        if (t->share.due)
            return;
        if (t->share.applied > applied && t->share.applied != PRIORITY_WEIGHED)
            applied = t->share.applied;
    }
    journal_action_result(jn, j, "priority", applied == PRIORITY_APPLIED
                          ? "done" : "done, where the nodes let it");
}

/* The same for all tasks of a node, whatever numbers are in it. */
static uint32_t gist(const char *why)
{
    uint32_t h = 2166136261u;   /* FNV-1a */

    for (; *why; why++)
        if (!strchr("0123456789.", *why))
            h = (h ^ (unsigned char)*why) * 16777619u;
    return h ? h : 1;
}

int importance_scheduled(struct acts *a, struct job *j, struct job_node *on,
                         const Hct__Scheduled *m, struct err *err)
{
    struct task *t = job_task_find(j, m->rank);
    bool due;

    if (!t || !job_has_on(j, t, on))
        return err_set(err, EPROTO, "Scheduled for rank %u of job %llu, which "
                       "is not on this node", m->rank, (unsigned long long)j->id);
    if (m->sort >= PRIORITY_SORTS || m->applied >= PRIORITY_APPLIEDS ||
        m->nice < -20 || m->nice > 20)
        return err_set(err, EPROTO, "Scheduled as %u, nice %d, %u", m->sort,
                       m->nice, m->applied);
    due = t->share.due;
    t->share.sort = (uint8_t)m->sort;
    t->share.applied = (uint8_t)m->applied;
    t->share.nice = (int8_t)m->nice;
    t->share.due = false;
    journal_task(a->journal, j, t);
    if (*m->why && on->share_told != gist(m->why)) {
        on->share_told = gist(m->why);
        a->ops->notice(j, false, "node %s: %.300s", on->node->name, m->why);
    }
    if (due)
        check_done(a->journal, j);
    return 0;
}
