/* groups.c - see groups.h. */
#include "policies/outlier/groups.h"

#include <math.h>

#include "policies/lib/lot.h"

/* Nearer than this tasks are the same: one step more or less is ten
 * (SMM_ALONE). */
#define SAME 1.0

/* By the job's seed, so that everybody draws the same: Knuth, The Art of
 * Computer Programming 2, 3.4.2, algorithm S. */
static void draw_sample(struct groups *g, const struct hct_snapshot *in)
{
    uint64_t seed = in->job->seed;
    uint32_t n = in->nmodels < GROUPS_SAMPLE ? in->nmodels : GROUPS_SAMPLE;

    g->nsample = 0;
    for (uint32_t i = 0; i < in->nmodels && g->nsample < n; i++)
        if (lot_below(&seed, in->nmodels - i) < n - g->nsample)
            g->sample[g->nsample++] = i;
}

/* State holds no pointers. */
static struct chains chains_of(struct groups *g, const struct dictionary *d)
{
    return (struct chains){ g->into, g->first, d->nsteps, g->nchains };
}

static struct smm merged(struct groups *g, const struct dictionary *d,
                         const struct hct_snapshot *in, uint32_t model,
                         struct smm_edge *into)
{
    struct smm one = { g->one, d->nsteps }, to = { into, 0 };
    struct chains c = chains_of(g, d);

    dictionary_model(d, in, hct_model(in, model), g->one, NULL);
    chains_merge(&c, &one, &to);
    return to;
}

static void group_sample(struct groups *g, const struct lknorm *table,
                         uint32_t k)
{
    uint32_t n = g->nsample;
    size_t nedges = g->nchains;

    for (uint32_t i = 0; i < n; i++) {
        struct smm a = { g->edge[i], nedges };

        g->distance[i * n + i] = g->structure[i * n + i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            struct smm b = { g->edge[j], nedges };

            g->distance[i * n + j] = g->distance[j * n + i] =
                smm_distance(table, &a, &b);
            g->structure[i * n + j] = g->structure[j * n + i] =
                smm_structure(&a, &b);
        }
    }
    medoids_best(&g->medoids, g->distance, n, k, SAME);
    medoids_best(&g->alike, g->structure, n, k, SAME);
}

/* near and far, not in units of anything yet. */
static void assign(struct groups *g, struct groups_task *t,
                   const struct lknorm *table, const struct smm *m,
                   uint32_t model)
{
    double least = HUGE_VAL, like = HUGE_VAL;

    *t = (struct groups_task){ .near = HUGE_VAL };
    for (uint32_t i = 0; i < g->nsample; i++) {
        struct smm other = { g->edge[i], g->nchains };
        double d = smm_distance(table, m, &other);

        if (g->sample[i] != model)
            t->near = fmin(t->near, d);
        for (uint32_t k = 0; k < g->medoids.k; k++)
            if (g->medoids.medoid[k] == i && d < least) {
                least = t->far = d;
                t->group = k;
            }
    }
    for (uint32_t k = 0; k < g->alike.k; k++) {
        struct smm other = { g->edge[g->alike.medoid[k]], g->nchains };
        double d = smm_structure(m, &other);

        if (d < like) {
            like = d;
            t->alike = k;
        }
    }
    if (!isfinite(t->near))     /* it is alone */
        t->near = 0;
}

/* The deviation of a group is that of its distances from their medoid. */
static void by_deviation(const struct groups *g, struct groups_task *t,
                         uint32_t n)
{
    double squares[MEDOIDS_MAX] = { 0 };
    uint32_t size[MEDOIDS_MAX] = { 0 };

    for (uint32_t i = 0; i < n; i++) {
        squares[t[i].group] += t[i].far * t[i].far;
        size[t[i].group]++;
    }
    for (uint32_t k = 0; k < g->medoids.k; k++)
        squares[k] = size[k] ? sqrt(squares[k] / size[k]) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (squares[t[i].group] > 0)
            t[i].far /= squares[t[i].group];
}

void groups_make(struct groups *g, struct groups_task *t,
                 const struct lknorm *table, const struct dictionary *d,
                 const struct hct_snapshot *in, uint32_t k)
{
    struct chains c = chains_of(g, d);

    chains_find(&c, d->step, d->nstates, in->nmodels, g->words);
    g->nchains = c.n;
    draw_sample(g, in);
    for (uint32_t i = 0; i < g->nsample; i++)
        merged(g, d, in, g->sample[i], g->edge[i]);
    group_sample(g, table, k);
    for (uint32_t i = 0; i < in->nmodels; i++) {
        struct smm m = merged(g, d, in, i, g->merged);

        assign(g, &t[i], table, &m, i);
    }
    by_deviation(g, t, in->nmodels);
}
