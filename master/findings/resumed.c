/* resumed.c - what a master before has told of a job, and done about it: its
 * findings, taken up again. */
#include <string.h>

#include "master/findings/findings_private.h"
#include "master/store/journal.h"
#include "master/store/query.h"
#include "proto/base/log.h"

struct recalling {
    struct findings *f;
    struct judge *const *v;
    size_t n;
};

static struct judge *recall_policy(const struct recalling *r,
                                   const char *name)
{
    for (size_t i = 0; i < r->n && name; i++)
        if (strcmp(judge_name(r->v[i]), name) == 0)
            return r->v[i];
    return NULL;
}

static struct finder *recall_finder(const struct recalling *r,
                                    const char *name)
{
    return recall_policy(r, name) ? finder_of(r->f, name) : NULL;
}

static int recall_off(void *arg, const char *name)
{
    struct judge *p = recall_policy(arg, name);

    if (p)
        judge_set_off(p);
    return 0;
}

static int recall_open(void *arg, const char *policy, const char *kind)
{
    struct finder *p = recall_finder(arg, policy);

    if (p)
        p->open |= strcmp(kind, "notice") == 0 ? FINDS_LONG
                   : strcmp(kind, "slowdown") == 0 ? FINDS_SLOW
                   : strcmp(kind, "deadlock") == 0 ? FINDS_STUCK | FINDS_PROOF
                                                   : FINDS_STUCK;
    return 0;
}

/* What was to be done about it is due when it has lasted for so long again: how
 * long stays are is known no more. */
static void recall_remedy(struct findings *f, struct finder *p,
                          const struct query_hang *h)
{
    struct hct_verdict found = {
        .kind = strcmp(h->kind, "deadlock") == 0 ? HCT_DEADLOCK : HCT_HANG,
        .score = h->score, .age_ns = h->age_ns,
        .longest_ms = (uint32_t)(h->age_ns / 1000000) };
    struct remedy r = remedy_decide(&f->on_hang, &found, h->proposed, 0);
    struct taskset ranks = { 0 };
    struct err err;

    if (h->ranks && *h->ranks &&
        taskset_parse(&ranks, h->ranks, f->job->ntasks, &err))
        log_warn("findings", "%s", err.text);
    if (found.kind == HCT_DEADLOCK && taskset_copy(&p->proven, &ranks))
        log_warn("findings", "no memory for whom a proof names");
    p->done = h->acted;
    p->ordered = h->ordered;
    if (f->hang) {
        f->hang->proposed = h->proposed;
        f->hang->telling = (struct telling){
            .kind = found_kind_name(found.kind), .score = h->score,
            .age_ns = h->age_ns, .ranks = h->ranks ? strdup(h->ranks) : NULL };
        telling_remedy(&f->hang->telling, r, 0);
        remedy_say(&f->hang->next, &f->on_hang, &found, h->proposed, 0);
        if (!r.wanted)
            remedy_why_not(&f->hang->not_done, &f->on_hang, &found);
    }
    finder_want(f, p, r, h->proposed, h->why ? h->why : "", &ranks);
    taskset_fini(&ranks);
    p->from_next = true;
}

static int recall_hang(void *arg, const struct query_hang *h)
{
    const struct recalling *r = arg;
    struct findings *f = r->f;
    struct finder *p = recall_finder(r, h->policy);

    if (!p || !h->report)
        return 1;
    if (!h->told)
        f->hang = hang_make(f, p, h->seq, h->report);
    f->owed = f->hang != NULL;
    recall_remedy(f, p, h);
    return 1;
}

/* What was told and done is in the database, and who was switched off. */
void resumed_take(struct job *j, struct judge *const *v, size_t n)
{
    struct findings *f = j->findings;
    struct store *st = journal_store(f->acts->journal);
    struct recalling r = { f, v, n };
    struct err err;

    if (query_switched_off(st, j->id, recall_off, &r, &err) ||
        query_open(st, j->id, recall_open, &r, &err) ||
        query_open_hang(st, j->id, recall_hang, &r, &err))
        log_warn("findings", "what was told is not known job=%llu: %s",
                 findings_id(f), err.text);
}
