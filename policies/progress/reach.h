/* reach.h - does a task that is in one state of a graph come to another one:
 * never, perhaps, or always? A property of the graph alone (PDI, table 1, asks
 * no more of a path probability than whether it is 0, 1 or between):
 *
 *   never    there is no path
 *   always   from everything that it may come to before, there is one
 *
 * So loops are no trouble, and there are no numbers. Plain arrays and bit sets,
 * all memory is the caller's. */
#ifndef HCT_REACH_H
#define HCT_REACH_H

#include <stdbool.h>
#include <stdint.h>

struct reach_edge { uint32_t from, to; };

/* Those behind state i: next[first[i]] up to, but not, next[first[i + 1]];
 * those before it the same. */
struct reach_graph {
    uint32_t n;
    uint32_t *first, *next;     /* borrowed, all four */
    uint32_t *first_in, *before;
};

/* Words that a graph wants, and those of a set of its states. */
#define REACH_WORDS(n, nedges) (2 * ((n) + 1) + 2 * (nedges))
#define REACH_SET(n) (((n) + 63) / 64)

/* States are 0 to n - 1; next keeps the order of the edges. */
void reach_make(struct reach_graph *g, uint32_t n,
                const struct reach_edge *edge, uint32_t nedges,
                uint32_t *words);

enum reach { REACH_NEVER, REACH_PERHAPS, REACH_ALWAYS };        /* 0, p, 1 */

/* From all states to state to: those that can come there, and those that
 * always do. Both are sets of REACH_SET(n) words; queue has room for n states.
 * Time: that of the edges, twice. */
struct reach_to { uint64_t *can, *always; };
void reach_to(const struct reach_graph *g, uint32_t to, const struct reach_to *r,
              uint32_t *queue);

static inline bool reach_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> i % 64 & 1;
}

static inline enum reach reach_of(const struct reach_to *r, uint32_t from)
{
    return reach_has(r->always, from) ? REACH_ALWAYS
           : reach_has(r->can, from)  ? REACH_PERHAPS
                                      : REACH_NEVER;
}

#endif
