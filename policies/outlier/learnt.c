/* learnt.c - see learnt.h. */
#include "policies/outlier/learnt.h"

#include <stdio.h>

enum { LEAST = 2 };             /* comparisons */

uint64_t learnt_what(uint32_t phase_id, bool unmerged)
{
    return (uint64_t)unmerged << 32 | phase_id;
}

static struct learnt_kind *find(struct learnt *l, uint64_t what)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->kind[i].what == what)
            return &l->kind[i];
    return NULL;
}

/* NULL: there is no room for one more. */
static struct learnt_kind *kind_of(struct learnt *l, uint64_t what)
{
    struct learnt_kind *k = find(l, what);

    if (k || l->n == LEARNT_KINDS)
        return k;
    l->kind[l->n] = (struct learnt_kind){ .what = what };
    return &l->kind[l->n++];
}

/* Who has looked for fewer groups than we do, and found as many, does not know. */
void learnt_take(struct learnt *l, const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nlearnt; i++) {
        const struct hct_learnt *is = hct_learnt(in, i);
        struct learnt_kind *k =
            is->most >= l->most || is->groups < is->most ? kind_of(l, is->what) : NULL;

        if (k)
            k->runs = (struct learnt_groups){ is->groups, is->times, is->runs };
    }
}

bool learnt_add(struct learnt *l, uint64_t what, uint32_t groups)
{
    struct learnt_kind *k = kind_of(l, what);
    bool news;

    if (!k || !groups || k->here.times == UINT32_MAX)
        return false;
    news = groups > k->here.groups ||
           ((uint32_t)what == 0 && groups < k->here.groups);
    if (news)
        k->here.groups = groups;
    k->here.times++;
    return news || (k->here.times & (k->here.times - 1)) == 0;
}

struct learnt_groups learnt_find(const struct learnt *l, uint64_t what, bool here)
{
    const struct learnt_kind *k = find((struct learnt *)(uintptr_t)l, what);

    if (k && here && k->here.times >= LEAST)
        return k->here;
    if (k && k->runs.runs && k->runs.times >= LEAST)
        return k->runs;
    return (struct learnt_groups){ .groups = 0 };
}

void learnt_tell(const struct learnt *l, uint64_t what, struct hct_out *out)
{
    const struct learnt_kind *k = find((struct learnt *)(uintptr_t)l, what);

    if (k && k->here.times && out->nlearnt < out->learnt_max)
        out->learnt[out->nlearnt++] = (struct hct_learnt){
            .what = what, .groups = k->here.groups,
            .most = l->most > k->here.groups ? l->most : k->here.groups,
            .times = k->here.times };
}

static const char *s_of(uint32_t n)
{
    return n == 1 ? "" : "s";
}

void learnt_say(const struct learnt_groups *g, uint32_t groups, const char *of,
                char *buf, size_t size)
{
    if (!g->groups)
        snprintf(buf, size, "its tasks are in %u group%s by the Bayesian information "
                 "criterion: no good runs%s%s say how many are normal", groups,
                 s_of(groups), *of ? " and no earlier " : "", of);
    else if (g->runs)
        snprintf(buf, size, "its tasks are in %u group%s, of no more than %u: so were "
                 "those of %u good run%s%s%s", groups, s_of(groups), g->groups, g->runs,
                 s_of(g->runs), *of ? " in " : "", of);
    else
        snprintf(buf, size, "its tasks are in %u group%s, of no more than %u: so they "
                 "were in %u earlier %s in which nobody was odd", groups,
                 s_of(groups), g->groups, g->times, *of ? of : "comparisons");
}
