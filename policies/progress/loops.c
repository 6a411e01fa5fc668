/* loops.c - see loops.h. */
#include "policies/progress/loops.h"

#include <string.h>

static void put(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << i % 64;
}

/* All that can be come to from state at; or back, from which it can. */
static void walk(struct loops *l, uint32_t at, bool back, uint64_t *set)
{
    const struct reach_graph *g = &l->g;
    const uint32_t *first = back ? g->first_in : g->first;
    const uint32_t *next = back ? g->before : g->next;
    uint32_t n = 1;

    memset(set, 0, REACH_SET(g->n) * sizeof(*set));
    put(set, at);
    l->queue[0] = at;
    while (n) {
        uint32_t i = l->queue[--n];

        for (uint32_t e = first[i]; e < first[i + 1]; e++) {
            uint32_t to = next[e];

            if (reach_has(set, to) || reach_has(l->cut, back ? i : to))
                continue;
            put(set, to);
            l->queue[n++] = to;
        }
    }
}

/* Of the loop whose states are in both sets; n: it has none. */
static uint32_t head_of(const struct loops *l)
{
    const struct reach_graph *g = &l->g;

    for (uint32_t i = 0; i < g->n; i++) {
        if (!reach_has(l->from, i) || !reach_has(l->to, i) ||
            reach_has(l->cut, i))
            continue;
        for (uint32_t e = g->first_in[i]; e < g->first_in[i + 1]; e++)
            if (!reach_has(l->from, g->before[e]) ||
                !reach_has(l->to, g->before[e]))
                return i;
    }
    return g->n;
}

enum loops_order loops_order(struct loops *l, struct loops_task a,
                             struct loops_task b, loops_entered_f *entered,
                             void *arg)
{
    uint32_t head;

    memset(l->cut, 0, REACH_SET(l->g.n) * sizeof(*l->cut));
    for (unsigned deep = 0; deep < LOOPS_DEEP; deep++) {
        uint64_t of_a, of_b;
        bool there, back;

        walk(l, a.at, false, l->from);
        walk(l, a.at, true, l->to);
        there = reach_has(l->from, b.at);
        back = reach_has(l->to, b.at);
        if (!there || !back)
            return deep == 0 || there == back ? LOOPS_UNKNOWN
                   : there ? LOOPS_BEHIND : LOOPS_AHEAD;
        head = head_of(l);
        of_a = head < l->g.n ? entered(arg, a.task, head) : 0;
        of_b = head < l->g.n ? entered(arg, b.task, head) : 0;
        if (!of_a || !of_b)
            return LOOPS_UNKNOWN;
        if (of_a != of_b)
            return of_a < of_b ? LOOPS_BEHIND : LOOPS_AHEAD;
        put(l->cut, head);
    }
    return LOOPS_UNKNOWN;
}
