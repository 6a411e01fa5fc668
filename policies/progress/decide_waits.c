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

void decide_waits(struct nodes *g, const struct nodes_task *t,
                  const struct hct_snapshot *in, struct deadlock_rank *w)
{
    bool open[NODES_MAX];
    uint64_t steps;

    for (uint32_t a = 0; a < g->n; a++)
        open[a] = g->node[a].waits && !waits_for_any(g, a);
    for (uint32_t r = 0; r < in->nranks; r++) {
        const struct hct_rank *k = hct_rank(in, r);

        w[r] = (struct deadlock_rank){ .still_ns = k->age_ns,
                                       .span_ns = k->age_ns };
    }
    if (!deadlock_set(in, w, &limits, &steps))
        return;
    for (uint32_t r = 0; r < in->nranks; r++)
        if (w[r].state == DEADLOCK_BLOCKED && w[r].to >= 0 &&
            t[r].node < g->n && open[t[r].node])
            nodes_edge(g, HCT_DECIDED_WAITS, t[r].node, t[w[r].to].node);
}
