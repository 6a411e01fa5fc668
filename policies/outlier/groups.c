/* groups.c - see groups.h. */
#include "policies/outlier/groups.h"

/* Nearer than this tasks are the same: one step more or less is ten
 * (SMM_ALONE). */
#define SAME 1.0

/* Each step is one by itself. */
static void leave_unmerged(struct groups *g, const struct dictionary *d)
{
    for (uint32_t i = 0; i < d->nsteps; i++)
        g->into[i] = g->first[i] = i;
    g->nchains = d->nsteps;
}

static void find_chains(struct groups *g, const struct dictionary *d)
{
    struct chains c = { g->into, g->first, d->nsteps, 0 };

    chains_find(&c, d->step, d->nstates, g->nsample, g->words);
    g->nchains = c.n;
}

static void merge(struct groups *g, const struct dictionary *d,
                  const struct hct_snapshot *in)
{
    const struct chains c = { g->into, g->first, d->nsteps, g->nchains };

    for (uint32_t i = 0; i < g->nsample; i++) {
        struct smm one = { g->whole[i], d->nsteps }, to = { g->edge[i], 0 };

        dictionary_model(d, in, hct_model(in, g->sample[i]), g->whole[i], NULL);
        chains_merge(&c, &one, &to);
    }
}

static void measure(struct groups *g, const struct lknorm *table)
{
    uint32_t n = g->nsample;

    for (uint32_t i = 0; i < n; i++) {
        struct smm a = { g->edge[i], g->nchains };

        g->distance[i * n + i] = g->structure[i * n + i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            struct smm b = { g->edge[j], g->nchains };

            g->distance[i * n + j] = g->distance[j * n + i] =
                smm_distance(table, &a, &b);
            g->structure[i * n + j] = g->structure[j * n + i] =
                smm_structure(&a, &b);
        }
    }
}

void groups_make(struct groups *g, const struct lknorm *table,
                 const struct dictionary *d, const struct hct_snapshot *in,
                 const struct groups_most *most)
{
    (g->unmerged ? leave_unmerged : find_chains)(g, d);
    merge(g, d, in);
    measure(g, table);
    medoids_best(&g->medoids, g->distance, g->nsample, most->groups, SAME);
    g->free = g->medoids.k;
    if (most->normal && most->normal < g->free)
        medoids_best(&g->medoids, g->distance, g->nsample, most->normal, SAME);
    medoids_best(&g->kinds, g->structure, g->nsample, most->kinds, SAME);
}
