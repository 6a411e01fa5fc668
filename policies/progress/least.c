/* least.c - see least.h. */
#include "policies/progress/least.h"

#include <stdbool.h>

#define BIT(i) ((uint64_t)1 << (i))

void least_close(uint64_t *to, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            if (to[i] & BIT(k))
                to[i] |= to[k];
}

/* Those of the nodes that wait only for nodes that wait for them. */
static uint64_t ends(const uint64_t *edge, uint32_t n, uint64_t nodes)
{
    uint64_t to[LEAST_NODES], found = 0;

    for (uint32_t i = 0; i < n; i++)
        to[i] = nodes & BIT(i) ? edge[i] & nodes : 0;
    least_close(to, n);
    for (uint32_t i = 0; i < n; i++) {
        bool end = nodes & BIT(i);

        for (uint64_t left = to[i]; end && left; left &= left - 1)
            end = to[__builtin_ctzll(left)] & BIT(i) ||
                  (uint32_t)__builtin_ctzll(left) == i;
        if (end)
            found |= BIT(i);
    }
    return found;
}

static uint64_t all_of(const struct least_graph *g)
{
    return g->n < LEAST_NODES ? BIT(g->n) - 1 : UINT64_MAX;
}

static void either(const struct least_graph *g, uint64_t *edge)
{
    for (uint32_t i = 0; i < g->n; i++)
        edge[i] = g->collective[i] | g->message[i];
}

uint64_t least_progressed(const struct least_graph *g)
{
    uint64_t edge[LEAST_NODES], found, left;

    left = found = ends(g->collective, g->n, all_of(g));
    if (found & (found - 1))
        for (uint32_t i = 0; i < g->n; i++)
            if (g->message[i] & ~found)
                left &= ~BIT(i);
    if (left)
        return ends(g->message, g->n, left);
    either(g, edge);
    return ends(edge, g->n, all_of(g));
}

uint64_t least_behind(const struct least_graph *g, uint64_t nodes)
{
    uint64_t to[LEAST_NODES], found = 0;

    either(g, to);
    least_close(to, g->n);
    for (uint32_t i = 0; i < g->n; i++)
        if (to[i] & nodes)
            found |= BIT(i);
    return found & ~nodes;
}
