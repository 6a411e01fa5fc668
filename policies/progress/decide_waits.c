/* decide_waits.c - the wait-for graph, see decide.h. What it is asked here has
 * been proven before, by others: what is wanted is who waits for whom in it. */
#include "policies/progress/decide.h"

#define MS 1000000u

static const struct deadlock_limits limits = {
    .still_ns = 400 * MS, .asleep_ns = 5500 * (uint64_t)MS,
    .small_ns = 1000 * MS, .spin_ns = 3000 * (uint64_t)MS,
};

static bool waits_for_any(const struct nodes *g, uint32_t a)
{
    for (unsigned why = 0; why <= HCT_DECIDED_MODEL; why++)
        if (g->edge[why][a])
            return true;
    return false;
}

/* Who waits for whom in the end, by what is exact; to has an entry for each node. */
static void exact(const struct nodes *g, uint64_t *to)
{
    for (uint32_t a = 0; a < g->n; a++)
        to[a] = g->edge[HCT_DECIDED_COLLECTIVE][a] | g->edge[HCT_DECIDED_ASLEEP][a] |
                g->edge[HCT_DECIDED_MESSAGE][a];
    least_close(to, g->n);
}

void decide_waits(struct nodes *g, const struct nodes_task *t,
                  const struct hct_snapshot *in, struct deadlock_rank *w)
{
    bool open[NODES_MAX];
    uint64_t to[NODES_MAX], steps;

    for (uint32_t a = 0; a < g->n; a++)
        open[a] = g->node[a].waits && !waits_for_any(g, a);
    for (uint32_t r = 0; r < in->nranks; r++) {
        const struct hct_rank *k = hct_rank(in, r);

        w[r] = (struct deadlock_rank){ .still_ns = k->age_ns,
                                       .span_ns = k->age_ns };
    }
    if (!deadlock_set(in, w, &limits, &steps))
        return;
    exact(g, to);
    for (uint32_t r = 0; r < in->nranks; r++) {
        uint32_t a = t[r].node, b;

        if (w[r].state != DEADLOCK_BLOCKED || w[r].to < 0 || a >= g->n || !open[a])
            continue;
        b = t[w[r].to].node;
        if (b < g->n && !(to[b] >> a & 1))
            nodes_edge(g, HCT_DECIDED_WAITS, a, b);
    }
}
