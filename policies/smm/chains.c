/* chains.c - see chains.h.
 *
 * A state is inside of a chain if one edge comes to it, one leaves it, all
 * tasks have both, and it is neither head nor tail of a loop. Heads and tails
 * are the ends of the edges by which a depth-first search from the first state
 * comes back to a state that it has not left yet. */
#include "policies/smm/chains.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { UNSEEN, OPEN, CLOSED };  /* of the search */

struct graph {                  /* borrowed, each of nstates, by state */
    const struct smm_step *step;
    size_t nedges;
    uint32_t nstates;
    uint32_t *begin;            /* its first edge; of nstates + 1 */
    uint32_t *in, *in_edge;     /* how many come to it, and the last of them */
    uint32_t *seen, *next, *stack;
    uint32_t *kept;             /* 1: it is no inside of a chain */
};

static void lay_out(struct graph *g, uint32_t *words)
{
    uint32_t **part[] = { &g->in, &g->in_edge, &g->seen, &g->next, &g->stack,
                          &g->kept, &g->begin };

    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        *part[i] = words + i * g->nstates;
    memset(words, 0, CHAINS_WORDS(g->nstates) * sizeof(*words));
    for (size_t e = 0; e < g->nedges; e++) {
        g->begin[g->step[e].from + 1] = (uint32_t)e + 1;
        g->in[g->step[e].to]++;
        g->in_edge[g->step[e].to] = (uint32_t)e;
    }
    for (uint32_t s = 1; s <= g->nstates; s++)  /* those without an edge */
        if (g->begin[s] < g->begin[s - 1])
            g->begin[s] = g->begin[s - 1];
}

static void keep_loops_from(struct graph *g, uint32_t start)
{
    size_t depth = 0;

    if (g->seen[start] != UNSEEN)
        return;
    g->stack[depth++] = start;
    g->seen[start] = OPEN;
    g->next[start] = g->begin[start];
    while (depth) {
        uint32_t s = g->stack[depth - 1], to;

        if (g->next[s] == g->begin[s + 1]) {
            g->seen[s] = CLOSED;
            depth--;
            continue;
        }
        to = g->step[g->next[s]++].to;
        if (g->seen[to] == OPEN) {
            g->kept[to] = g->kept[s] = 1;
        } else if (g->seen[to] == UNSEEN) {
            g->seen[to] = OPEN;
            g->next[to] = g->begin[to];
            g->stack[depth++] = to;
        }
    }
}

static bool is_inside(const struct graph *g, uint32_t s, uint32_t tasks)
{
    return !g->kept[s] && g->in[s] == 1 && g->begin[s + 1] - g->begin[s] == 1 &&
           g->step[g->in_edge[s]].support >= tasks &&
           g->step[g->begin[s]].support >= tasks;
}

void chains_find(struct chains *c, const struct smm_step *step,
                 uint32_t nstates, uint32_t tasks, uint32_t *words)
{
    struct graph g = { .step = step, .nedges = c->nedges, .nstates = nstates };

    lay_out(&g, words);
    for (uint32_t s = 0; s < nstates; s++) /* where the program begins first */
        if (g.in[s] == 0)
            keep_loops_from(&g, s);
    for (uint32_t s = 0; s < nstates; s++)
        keep_loops_from(&g, s);
    c->n = 0;
    for (size_t e = 0; e < c->nedges; e++) {
        uint32_t at = (uint32_t)e;

        if (is_inside(&g, step[e].from, tasks))
            continue;
        c->first[c->n] = at;
        c->into[at] = (uint32_t)c->n;
        while (is_inside(&g, step[at].to, tasks)) {
            at = g.begin[step[at].to];
            c->into[at] = (uint32_t)c->n;
        }
        c->n++;
    }
}

static void add(struct normal *to, const struct normal *more)
{
    to->mean += more->mean;
    to->sd = hypot(to->sd, more->sd);
}

void chains_merge(const struct chains *c, const struct smm *m, struct smm *to)
{
    to->nedges = c->n;
    for (size_t i = 0; i < c->n; i++)
        to->edge[i] = m->edge[c->first[i]];
    for (size_t e = 0; e < c->nedges; e++) {
        struct smm_edge *is = &to->edge[c->into[e]];

        if (c->first[c->into[e]] == e || m->edge[e].n == 0)
            continue;
        add(&is->in, &m->edge[e].in);
        add(&is->out, &m->edge[e].out);
    }
}
