/* learnt.c - see learnt.h. */
#include "policies/outlier/learnt.h"

#include <stdio.h>

enum { LEAST = 2 };             /* comparisons */

static bool is_init(const struct hct_snapshot *in, const struct hct_state *s)
{
    return s->place && hct_call(in, s->call)->class_ == HCT_CLASS_INIT;
}

/* Of several programs the least. */
uint64_t learnt_program(const struct hct_snapshot *in)
{
    uint64_t least = 0;

    for (uint32_t i = 0; i < in->nmodels; i++) {
        const struct hct_model *m = hct_model(in, i);

        for (uint32_t k = 0; k < m->nstates; k++) {
            const struct hct_state *s = hct_state(in, m, k);

            if (is_init(in, s) && (!least || s->place < least))
                least = s->place;
        }
    }
    return least;
}

/* A step of the generator splitmix64: Steele, Lea and Flood, OOPSLA 2014. */
static uint64_t what_of(const struct learnt_about *a)
{
    uint64_t x = a->program + ((uint64_t)a->unmerged << 32 | a->phase_id) *
                                  0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* n: there is none. */
static uint32_t find(const struct learnt *l, uint64_t what)
{
    uint32_t i = 0;

    while (i < l->n && l->kind[i].what != what)
        i++;
    return i;
}

/* NULL: there is no room for one more. */
static struct learnt_kind *kind_of(struct learnt *l, uint64_t what)
{
    uint32_t i = find(l, what);

    if (i == LEARNT_KINDS)
        return NULL;
    if (i == l->n)
        l->kind[l->n++] = (struct learnt_kind){ .what = what };
    return &l->kind[i];
}

/* Who has looked for fewer groups than we do, and found as many, does not know.
 * */
void learnt_take(struct learnt *l, const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nlearnt; i++) {
        const struct hct_learnt *is = hct_learnt(in, i);
        bool knows = is->most >= l->most || is->groups < is->most;
        struct learnt_kind *k = knows ? kind_of(l, is->what) : NULL;

        if (k)
            k->runs = (struct learnt_groups){ is->groups, is->times, is->runs };
    }
}

bool learnt_add(struct learnt *l, const struct learnt_about *a, uint32_t groups)
{
    struct learnt_kind *k = kind_of(l, what_of(a));
    bool news;

    if (!k || !groups || k->here.times == UINT32_MAX)
        return false;
    news = groups > k->here.groups || (!a->phase_id && groups < k->here.groups);
    if (news)
        k->here.groups = groups;
    k->here.times++;
    return news || (k->here.times & (k->here.times - 1)) == 0;
}

/* Earlier comparisons of all time of this run are of the same steps. */
struct learnt_groups learnt_find(const struct learnt *l,
                                 const struct learnt_about *a)
{
    uint32_t i = find(l, what_of(a));
    const struct learnt_kind *k = i < l->n ? &l->kind[i] : NULL;

    if (k && a->phase_id && k->here.times >= LEAST)
        return k->here;
    if (k && k->runs.runs && k->runs.times >= LEAST)
        return k->runs;
    return (struct learnt_groups){ .groups = 0 };
}

void learnt_tell(const struct learnt *l, const struct learnt_about *a,
                 struct hct_out *out)
{
    uint64_t what = what_of(a);
    uint32_t i = find(l, what);
    const struct learnt_groups *is = &l->kind[i].here;

    if (i < l->n && is->times && out->nlearnt < out->learnt_max)
        out->learnt[out->nlearnt++] = (struct hct_learnt){
            .what = what, .groups = is->groups, .times = is->times,
            .most = l->most > is->groups ? l->most : is->groups };
}

static const char *s_of(uint32_t n)
{
    return n == 1 ? "" : "s";
}

void learnt_say(const struct learnt_groups *g, uint32_t groups, const char *of,
                char *buf, size_t size)
{
    const char *s = s_of(groups);

    if (!g->groups)
        snprintf(buf, size, "its tasks are in %u group%s by the Bayesian "
                 "information criterion: no earlier runs%s%s say how many are "
                 "normal", groups, s, *of ? " or " : "", of);
    else if (g->runs)
        snprintf(buf, size, "its tasks are in %u group%s, of no more than %u: "
                 "so were those of %u good run%s%s%s", groups, s, g->groups,
                 g->runs, s_of(g->runs), *of ? " in " : "", of);
    else
        snprintf(buf, size, "its tasks are in %u group%s, of no more than %u: "
                 "so they were in %u earlier %s in which nobody was odd",
                 groups, s, g->groups, g->times, *of ? of : "comparisons");
}
