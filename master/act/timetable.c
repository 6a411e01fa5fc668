/* timetable.c - what is due in a job that runs, see timetable.h.
 *
 * Invariant. The packed Submit has all entries that the job ever had and which
 * of them are over, so a master that takes the job up has the same numbers, and
 * a node that is prepared later is told whether something is due. */
#include "master/act/timetable.h"

#include <errno.h>
#include <string.h>

#include "hct.pb-c.h"
#include "master/act/importance.h"
#include "master/state/job.h"
#include "master/store/journal.h"
#include "master/watch/watcher.h"
#include "proto/base/clock.h"
#include "proto/base/parse.h"
#include "proto/conf/calendar.h"
#include "proto/link/conn.h"

enum { SAID_TEXT = 60 };        /* bytes of an entry in a sentence */

/* What is due, as it was, and as it is to be. */
struct plan {
    Hct__Submit *submit;        /* owned */
    struct calendar to;
    uint64_t was;               /* bit i: number i + 1 was in force */
    size_t had;                 /* numbers */
};

static void plan_fini(struct plan *p)
{
    if (p->submit)
        hct__submit__free_unpacked(p->submit, NULL);
    calendar_fini(&p->to);
}

static uint64_t in_force(const struct calendar *c)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < c->n; i++)
        bits |= (uint64_t)!c->v[i].over << i;
    return bits;
}

static int remove_one(struct calendar *c, const char *word, struct err *err)
{
    uint64_t number;
    uint32_t n;

    if (parse_u64(&number, word, 0, UINT32_MAX, NULL) == 0)
        return calendar_take_back(c, (uint32_t)number, err);
    if (calendar_find(c, word, &n, err))
        return -1;
    if (!n)
        return err_set(err, ENOENT, "the job has no deadline %.100s", word);
    return calendar_take_back(c, n, err);
}

/* Those that are to be there anyway stay. */
static int clear(struct calendar *c, const struct timetable_change *by,
                 struct err *err)
{
    uint64_t stay = 0;
    uint32_t n = 0;

    for (size_t i = 0; i < by->nput + by->nadd; i++) {
        const char *text = i < by->nput ? by->put[i] : by->add[i - by->nput];

        if (calendar_find(c, text, &n, err))
            return -1;
        stay |= n ? (uint64_t)1 << (n - 1) : 0;
    }
    for (uint64_t go = in_force(c) & ~stay; go; go &= go - 1)
        if (calendar_take_back(c, (uint32_t)__builtin_ctzll(go) + 1, err))
            return -1;
    return 0;
}

static int add_beside(struct calendar *c, const char *text, bool may_be,
                      struct err *err)
{
    uint32_t n = 0;

    if (may_be && calendar_find(c, text, &n, err))
        return -1;
    return n ? 0 : calendar_add(c, text, err);
}

static int change(struct calendar *c, const struct timetable_change *by,
                  struct err *err)
{
    for (size_t i = 0; i < by->nremove; i++)
        if (remove_one(c, by->remove[i], err))
            return -1;
    if (by->clear && clear(c, by, err))
        return -1;
    for (size_t i = 0; i < by->nput; i++)
        if (calendar_put(c, by->put[i], err))
            return -1;
    for (size_t i = 0; i < by->nadd; i++)
        if (add_beside(c, by->add[i], by->clear, err))
            return -1;
    return 0;
}

static int plan_make(struct plan *p, const struct job *j,
                     const struct timetable_change *by, struct err *err)
{
    *p = (struct plan){ .submit = hct__submit__unpack(NULL, j->submit.n,
                                                      j->submit.bytes) };
    if (!p->submit)
        return err_memory(err);
    if (calendar_restore(&p->to, p->submit->deadlines, p->submit->n_deadlines,
                         p->submit->deadlines_over, p->submit->n_deadlines_over,
                         err))
        return -1;
    p->was = in_force(&p->to);
    p->had = p->to.n;
    if (change(&p->to, by, err))
        return -1;
    /* More tasks may come to one whose tasks others start. */
    return j->ops->ours ? calendar_check(&p->to, j->ntasks, err) : 0;
}

long timetable_check(const struct job *j, const struct timetable_change *c,
                     struct err *err)
{
    struct plan p;
    long n = -1;

    if (job_state_final(j->state) || j->state == JOB_ENDING)
        return err_set(err, ESRCH, "job %llu is %s", (unsigned long long)j->id,
                       job_state_name(j->state));
    if (!j->submit.bytes || !j->watcher)
        return err_set(err, ENOTSUP, "job %llu was adopted with another one: what"
                       " is due is watched in that", (unsigned long long)j->id);
    if (plan_make(&p, j, c, err) == 0)
        n = __builtin_popcountll(p.was ^ in_force(&p.to));
    plan_fini(&p);
    return n;
}

/* "deadline 3, beat<=20ms, is added; deadlines 1 2 are taken back" */
static void say(struct str *to, const struct plan *p)
{
    uint64_t gone = p->was & ~in_force(&p->to);

    bool several = gone & (gone - 1);

    for (size_t i = p->had; i < p->to.n; i++) {
        const char *text = p->to.v[i].text;

        str_addf(to, "%sdeadline %zu, %.*s%s, is added", to->n ? "; " : "", i + 1,
                 SAID_TEXT, text, strlen(text) > SAID_TEXT ? "..." : "");
    }
    if (!gone)
        return;
    str_addf(to, "%sdeadline%s", to->n ? "; " : "", several ? "s" : "");
    for (uint64_t left = gone; left; left &= left - 1)
        str_addf(to, " %d", __builtin_ctzll(left) + 1);
    str_add(to, several ? " are taken back" : " is taken back");
}

/* A later master reads that. */
static int rewrite_submit(struct job *j, const struct plan *p, struct err *err)
{
    char *texts[CALENDAR_MAX];
    uint32_t over[CALENDAR_MAX];
    Hct__Submit new = *p->submit;

    new.n_deadlines_over = 0;
    for (size_t i = 0; i < p->to.n; i++) {
        texts[i] = p->to.v[i].text;
        if (p->to.v[i].over)
            over[new.n_deadlines_over++] = (uint32_t)i + 1;
    }
    new.deadlines = texts;
    new.n_deadlines = p->to.n;
    new.deadlines_over = over;
    new.rescheduled = true;
    new.reprioritized = j->reprioritized;
    return job_resubmit(j, &new, err);
}

int timetable_order(struct journal *jn, struct job *j,
                    const struct timetable_change *c, struct err *err)
{
    struct plan p;
    int rc = plan_make(&p, j, c, err);

    /* What comes round says how much of the processors its tasks are to have. */
    j->reprioritized |= j->priority.class == PRIORITY_REALTIME;
    if (rc == 0 && calendar_any(&p.to))
        rc = watcher_watch_due(j->watcher, err);
    if (rc == 0)
        rc = rewrite_submit(j, &p, err);
    if (rc == 0) {
        say(c->said, &p);
        j->prompt = calendar_any(&p.to);
        j->rescheduled = true;
        journal_job(jn, j);
        for (size_t i = 0; i < p.to.n; i++)
            journal_deadline(jn, j, &p.to.v[i], clock_wall_ns());
        watcher_reschedule(j->watcher, &p.to);
    }
    plan_fini(&p);
    return rc;
}

void timetable_send(const struct job *j, const struct job_node *only)
{
    Hct__Prompt m = HCT__PROMPT__INIT;

    if (!j->rescheduled || j->state < JOB_PREPARING ||
        job_state_final(j->state))
        return;
    m.job = j->id;
    m.prompt = j->prompt;
    for (size_t i = 0; i < j->nnodes; i++) {
        const struct job_node *n = &j->nodes[i];

        if (!n->lost && !n->drained && n->node->link && (!only || only == n))
            conn_send(n->node->link, MESSAGE_PROMPT, &m);
    }
    importance_send(j, only);
}
