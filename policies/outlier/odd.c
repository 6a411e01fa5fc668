/* odd.c - see odd.h. */
#include "policies/outlier/odd.h"

#include <math.h>

static bool waits(const struct dictionary *d, const struct hct_snapshot *in,
                  uint32_t step)
{
    const struct hct_call *c = hct_call(in, d->call[d->step[step].from]);

    return (c->flags & (HCT_CALL_BLOCKING | HCT_CALL_ALL | HCT_CALL_POLL)) ||
           c->class_ == HCT_CLASS_INIT || c->class_ == HCT_CLASS_FINALIZE;
}

static double spent(uint64_t n, double mean)
{
    double ns = (double)n * mean;

    return n > 1 && ns > 0 ? ns : (double)NAN;
}

/* The matrices of both, and how long each task has been at it. */
static void fill(const struct odd_room *r, uint32_t tasks,
                 const struct dictionary *d, const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < tasks; i++) {
        size_t at = (size_t)i * d->nsteps;

        dictionary_model(d, in, hct_model(in, r->member[i]), r->edge, NULL);
        r->total[i] = 0;
        for (uint32_t s = 0; s < d->nsteps; s++) {
            const struct smm_edge *e = &r->edge[s];

            r->left[0][at + s] = spent(e->n, e->out.mean);
            r->left[1][at + s] = waits(d, in, s) ? (double)NAN
                                                 : spent(e->n, e->in.mean);
            r->total[i] += (double)e->n * (e->out.mean + e->in.mean);
        }
    }
}

/* ------------------------------------------------------------ the processor */

/* Of the time that it wanted a processor it had one for this share; NaN: not
 * known. */
static double share_of(const struct hct_snapshot *in, uint32_t model)
{
    uint32_t rank = hct_model(in, model)->rank;
    const struct hct_rank *k = rank < in->nranks ? hct_rank(in, rank) : NULL;

    return k && k->delayed_ns && k->ran_ns
               ? (double)k->ran_ns /
                     ((double)k->ran_ns + (double)k->delayed_ns)
               : (double)NAN;
}

/* What is usual among tasks that are alike. */
static double usual_share(const struct odd_room *r, uint32_t tasks,
                          const struct hct_snapshot *in)
{
    size_t n = 0;

    for (uint32_t i = 0; i < tasks; i++) {
        double share = share_of(in, r->member[i]);

        if (!isnan(share))
            r->words[n++] = share;
    }
    return n < ODD_GROUP ? (double)NAN : polish_median(r->words, n);
}

/* With the usual share it would have taken so much less time. */
static bool is_explained(const struct odd *o)
{
    double took = o->times > 1 ? o->cost_ns / (1 - 1 / o->times) : 0;

    return took * (1 - o->had / o->usual) >= o->cost_ns / 2;    /* NaN: no */
}

/* ---------------------------------------------------------------- the steps */

static void put(struct odd_list *l, const struct odd *o)
{
    size_t at;

    if (l->most == 0 ||
        (l->n == l->most && o->cost_ns <= l->v[l->n - 1].cost_ns))
        return;
    at = l->n < l->most ? l->n++ : l->n - 1;
    for (; at > 0 && l->v[at - 1].cost_ns < o->cost_ns; at--)
        l->v[at] = l->v[at - 1];
    l->v[at] = *o;
}

struct judged {                 /* what is being looked at */
    const struct odd_room *room;
    const struct hct_snapshot *in;
    const struct odd_limit *limit;
    double usual;               /* share of a processor */
    struct odd_list *odd, *kept;
};

static void judge(const struct judged *j, const struct polish *p, bool in_call)
{
    const struct odd_room *r = j->room;

    for (uint32_t i = 0; i < p->tasks; i++)
        for (uint32_t s = 0; s < p->steps; s++) {
            struct odd o = { .model = r->member[i], .step = s,
                             .in_call = in_call, .like = p->tasks - 1,
                             .score = polish_score(p, i, s),
                             .cost_ns = polish_cost(p, i, s) };

            o.share = r->total[i] > 0 ? o.cost_ns / r->total[i] : 0;
            if (o.score < j->limit->score || o.share < j->limit->share ||
                o.cost_ns < j->limit->cost_ns)
                continue;
            o.times = exp(p->left[(size_t)i * p->steps + s]);
            o.had = share_of(j->in, o.model);
            o.usual = j->usual;
            put(is_explained(&o) ? j->kept : j->odd, &o);
        }
}

void odd_find(const struct odd_room *r, const struct dictionary *d,
              const struct hct_snapshot *in, const struct groups *g,
              const struct groups_task *t, const struct odd_limit *limit,
              struct odd_list *odd, struct odd_list *kept)
{
    struct polish p = { .steps = d->nsteps, .normal = r->normal,
                        .spread = r->spread, .slow = r->slow };
    struct judged j = { .room = r, .in = in, .limit = limit, .odd = odd,
                        .kept = kept };

    for (uint32_t kind = 0; kind < g->alike.k; kind++) {
        p.tasks = 0;
        for (uint32_t i = 0; i < in->nmodels; i++)
            if (t[i].alike == kind)
                r->member[p.tasks++] = i;
        if (p.tasks < ODD_GROUP)
            continue;
        fill(r, p.tasks, d, in);
        j.usual = usual_share(r, p.tasks, in);
        for (int in_call = 0; in_call < 2; in_call++) {
            p.left = r->left[in_call];  /* each with its own speed */
            polish(&p, r->words);
            judge(&j, &p, in_call);
        }
    }
}
