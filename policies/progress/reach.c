/* reach.c - see reach.h. */
#include "policies/progress/reach.h"

#include <string.h>

/* One direction of the edges, sorted by counting. */
static void sort(uint32_t n, const struct reach_edge *edge, uint32_t nedges,
                 bool back, uint32_t *first, uint32_t *v)
{
    memset(first, 0, (n + 1) * sizeof(*first));
    for (uint32_t i = 0; i < nedges; i++)
        first[(back ? edge[i].to : edge[i].from) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < nedges; i++)
        v[first[back ? edge[i].to : edge[i].from]++] =
            back ? edge[i].from : edge[i].to;
    memmove(first + 1, first, n * sizeof(*first));
    first[0] = 0;
}

void reach_make(struct reach_graph *g, uint32_t n, const struct reach_edge *edge,
                uint32_t nedges, uint32_t *words)
{
    *g = (struct reach_graph){ .n = n, .first = words,
                               .first_in = words + n + 1,
                               .next = words + 2 * (n + 1),
                               .before = words + 2 * (n + 1) + nedges };
    sort(n, edge, nedges, false, g->first, g->next);
    sort(n, edge, nedges, true, g->first_in, g->before);
}

static void put(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << i % 64;
}

/* All that can come to one of those in queue, which are in set already, not by
 * way of state except. */
static void back(const struct reach_graph *g, uint64_t *set, uint32_t *queue,
                 uint32_t n, uint32_t except)
{
    while (n) {
        uint32_t at = queue[--n];

        for (uint32_t e = g->first_in[at]; e < g->first_in[at + 1]; e++) {
            uint32_t i = g->before[e];

            if (i == except || reach_has(set, i))
                continue;
            put(set, i);
            queue[n++] = i;
        }
    }
}

void reach_to(const struct reach_graph *g, uint32_t to, const struct reach_to *r,
              uint32_t *queue)
{
    uint32_t words = REACH_SET(g->n), n = 0;

    memset(r->can, 0, words * sizeof(*r->can));
    put(r->can, to);
    queue[0] = to;
    back(g, r->can, queue, 1, UINT32_MAX);
    /* Those that cannot, and all that may come to one of them before. */
    for (uint32_t i = 0; i < words; i++)
        r->always[i] = ~r->can[i];
    for (uint32_t i = 0; i < g->n; i++)
        if (!reach_has(r->can, i))
            queue[n++] = i;
    back(g, r->always, queue, n, to);
    for (uint32_t i = 0; i < words; i++)
        r->always[i] = ~r->always[i] & r->can[i];
}
