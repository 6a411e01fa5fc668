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

/* Most costly first. */
static size_t put(struct odd *v, size_t n, size_t k, const struct odd *o)
{
    size_t at;

    if (k == 0 || (n == k && o->cost_ns <= v[n - 1].cost_ns))
        return n;
    at = n < k ? n++ : n - 1;
    for (; at > 0 && v[at - 1].cost_ns < o->cost_ns; at--)
        v[at] = v[at - 1];
    v[at] = *o;
    return n;
}

static size_t judge(const struct odd_room *r, const struct polish *p,
                    bool in_call, const struct odd_limit *limit, struct odd *v,
                    size_t n, size_t k)
{
    for (uint32_t i = 0; i < p->tasks; i++)
        for (uint32_t s = 0; s < p->steps; s++) {
            struct odd o = { .model = r->member[i], .step = s,
                             .in_call = in_call, .like = p->tasks - 1,
                             .score = polish_score(p, i, s),
                             .cost_ns = polish_cost(p, i, s) };

            o.share = r->total[i] > 0 ? o.cost_ns / r->total[i] : 0;
            if (o.score < limit->score || o.share < limit->share ||
                o.cost_ns < limit->cost_ns)
                continue;
            o.times = exp(p->left[(size_t)i * p->steps + s]);
            n = put(v, n, k, &o);
        }
    return n;
}

size_t odd_find(const struct odd_room *r, const struct dictionary *d,
                const struct hct_snapshot *in, const struct groups *g,
                const struct groups_task *t, const struct odd_limit *limit,
                struct odd *v, size_t k)
{
    struct polish p = { .steps = d->nsteps, .normal = r->normal,
                        .spread = r->spread, .slow = r->slow };
    size_t n = 0;

    for (uint32_t kind = 0; kind < g->alike.k; kind++) {
        p.tasks = 0;
        for (uint32_t i = 0; i < in->nmodels; i++)
            if (t[i].alike == kind)
                r->member[p.tasks++] = i;
        if (p.tasks < ODD_GROUP)
            continue;
        fill(r, p.tasks, d, in);
        for (int in_call = 0; in_call < 2; in_call++) {
            p.left = r->left[in_call];  /* each with its own speed */
            polish(&p, r->words);
            n = judge(r, &p, in_call, limit, v, n, k);
        }
    }
    return n;
}
