/* finder.c - a policy, as what it has found goes: said, proposed, and done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/findings/findings_private.h"
#include "master/watch/verdict.h"

/* NULL: no memory, or more than there can be. */
struct finder *finder_of(struct findings *f, const char *name)
{
    struct finder *p;

    for (size_t i = 0; i < f->nfinders; i++)
        if (strcmp(f->finder[i]->name, name) == 0)
            return f->finder[i];
    p = f->nfinders < FINDINGS_POLICIES ? calloc(1, sizeof(*p)) : NULL;
    if (!p)
        return NULL;
    snprintf(p->name, sizeof(p->name), "%s", name);
    return f->finder[f->nfinders++] = p;
}

bool finder_any(const struct findings *f, unsigned what)
{
    for (size_t i = 0; i < f->nfinders; i++)
        if (f->finder[i]->open & what)
            return true;
    return false;
}

void finder_close(struct finder *p)
{
    p->open = 0;
    p->done = false;
    taskset_fini(&p->proven);
}

static bool is_proven(const struct findings *f, uint32_t rank)
{
    bool is = false;

    for (size_t i = 0; i < f->nfinders; i++)
        is |= taskset_has(&f->finder[i]->proven, rank);
    return is;
}

enum finder_beside finder_beside(const struct findings *f,
                                 const struct found *found,
                                 const struct hct_verdict *v)
{
    bool others = v->nranks == 0, fewer = false;

    for (uint32_t i = 0; i < v->nranks; i++)
        others |= !is_proven(f, found->ranks[v->ranks + i]);
    for (size_t i = 0; i < f->nfinders; i++)
        fewer |= taskset_count(&f->finder[i]->proven) > v->nranks;
    return others ? FINDER_OTHERS : fewer ? FINDER_FEWER : FINDER_SAME;
}

/* ------------------------------------------------------------------- words */

/* The head and the first lines, then where the rest is. */
void finder_tell(const struct findings *f, const char *text, unsigned most)
{
    unsigned n = 0;
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1)
        if (n++ <= most)
            f->acts->ops->notice(f->job, true, "%.*s", (int)(end - text),
                                 text);
    if (most && n > most + 1)
        f->acts->ops->notice(f->job, true, "  ... and %u lines more: hector "
                             "why %llu", n - most - 1, findings_id(f));
}

static void tell_cut(const struct findings *f, const struct finder *p)
{
    f->acts->ops->notice(f->job, true, "policy %s finds more, which is said "
                         "now and then: hector why %llu has all of it",
                         p->name, findings_id(f));
}

/* Say a verdict, if it is news: its head, and at most so many lines more. Returns
 * whether it was said. */
bool finder_news(const struct findings *f, struct finder *p,
                      enum said_how how, const char *text, unsigned most)
{
    if (how == SAID_SAY_CUT)
        tell_cut(f, p);
    if (how == SAID_SAY)
        finder_tell(f, text, most);
    return how == SAID_SAY;
}

/* ----------------------------------------------------------------- actions */

static enum act_name act_of(uint32_t proposed)
{
    return proposed == HCT_KILL ? ACT_KILL
           : proposed == HCT_SUSPEND ? ACT_SUSPEND : ACT_REPORT;
}

static struct act_order order_of(const struct finder *p, enum act_name act,
                                 const char *why)
{
    return (struct act_order){
        .act = act, .who = ACT_POLICY, .by = p->name, .why = why,
        .whole = act != ACT_SWITCH_OFF && act != ACT_WARN,
        .exit_code = JOB_CODE_HUNG,
        .end = act == ACT_ROLLBACK
               ? "it hung, and has no checkpoint to go back to once more"
               : "it hung, and --on-hang kill was given" };
}

void finder_reported(const struct findings *f, const struct finder *p,
                          const char *why)
{
    struct act_order o = order_of(p, ACT_REPORT, why);
    struct err err;

    acts_order(f->acts, f->job, &o, NULL, 0, &err);
}

/* A proposal to do more than to report that is not followed. */
void finder_not_done(const struct findings *f, const struct finder *p,
                            uint32_t proposed, const char *why,
                            const char *result)
{
    struct act_order o = order_of(p, act_of(proposed), why);

    if (proposed > HCT_REPORT)
        acts_record(f->acts, f->job, &o, result);
}

/* Without memory nothing is suspended, and nothing said. */
void finder_act(struct findings *f, struct finder *p)
{
    char *why = p->why;
    static const enum act_name acts[] = {
        [ONHANG_MIGRATE] = ACT_MIGRATE, [ONHANG_SUSPEND] = ACT_SUSPEND,
        [ONHANG_ROLLBACK] = ACT_ROLLBACK, [ONHANG_KILL] = ACT_KILL };
    struct act_order o = order_of(p, acts[p->remedy.does], why);
    struct taskset all = { 0 };
    struct err err;

    p->done = true;
    p->why = NULL;
    p->remedy = (struct remedy){ 0 };
    if (o.act == ACT_SUSPEND)
        o.ranks = &all;
    if (o.act == ACT_MIGRATE) {
        o.ranks = &p->ranks;
        o.whole = false;
    }
    if (o.act != ACT_SUSPEND ||
        taskset_add(&all, 0, f->job->ntasks - 1) == 0)
        acts_order(f->acts, f->job, &o, NULL, 0, &err);
    taskset_fini(&all);
    taskset_fini(&p->ranks);
    free(why);
}

void finder_forget(struct findings *f, struct finder *p,
                          const char *result)
{
    if (p->remedy.wanted && result)
        finder_not_done(f, p, p->proposed, p->why, result);
    p->remedy = (struct remedy){ 0 };
    taskset_fini(&p->ranks);
    free(p->why);
    p->why = NULL;
}

/* What was wanted before is not wanted later for something that is found
 * besides. */
void finder_want(struct findings *f, struct finder *p, struct remedy r,
                        uint32_t proposed, const char *why,
                        const struct taskset *ranks)
{
    if (!r.wanted || p->done ||
        (p->remedy.wanted && p->remedy.due_ns <= r.due_ns))
        return;
    finder_forget(f, p, NULL);
    p->why = strdup(why);
    if (!p->why || taskset_copy(&p->ranks, ranks))
        return;
    p->remedy = r;
    p->proposed = proposed;
}

void finder_want_of(struct findings *f, const struct finding *x,
                           struct remedy r)
{
    struct taskset ranks = { 0 };

    if (verdict_set(&ranks, x->found, x->v) == 0)
        finder_want(f, x->by, r, x->proposed, x->why, &ranks);
    taskset_fini(&ranks);
}

/* What is proposed and not done is said and recorded, once. */
void finder_propose(struct findings *f, const struct finding *x)
{
    struct remedy r = remedy_decide(&f->on_hang, x->v, x->proposed,
                                    x->found->now_ns);
    struct str not_done = { 0 };

    finder_want_of(f, x, r);
    if (r.wanted || x->how != SAID_SAY || x->proposed <= HCT_REPORT)
        return;
    remedy_why_not(&not_done, &f->on_hang, x->v);
    f->acts->ops->notice(f->job, true, "  policy %s proposes to %s the job: %s",
                         x->by->name, act_name(act_of(x->proposed)),
                         str_text(&not_done));
    finder_not_done(f, x->by, x->proposed, x->why, str_text(&not_done));
    str_fini(&not_done);
}
