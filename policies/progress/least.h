/* least.h - of nodes that wait for each other, those that have made the least
 * progress (PDI, section 4.3): "nodes with no outgoing edges based on
 * dependencies from collectives"; if that is more than one, those are
 * discarded that have "point-to-point dependencies on other non-LP tasks". */
#ifndef HCT_LEAST_H
#define HCT_LEAST_H

#include <stdint.h>

enum { LEAST_NODES = 64 };      /* a set of nodes is a word */

/* Bit b of [a]: a waits for b. Nobody waits for himself. */
struct least_graph {
    uint32_t n;
    uint64_t collective[LEAST_NODES];   /* and whatever else orders two nodes */
    uint64_t message[LEAST_NODES];
};

/* The paper has no rule for three cases. Nodes that wait for each other in a
 * circle have all an edge: they count as one. Of those that are left and wait
 * for each other by messages, only those that the others wait for are least.
 * And where all would be discarded, those are least that only wait for each
 * other, in whatever way. */
uint64_t least_progressed(const struct least_graph *g);

/* Edges as above become whoever is waited for by whatever way (Warshall, JACM 1962). */
void least_close(uint64_t *to, uint32_t n);

/* All that wait for one of these nodes, or for one who does; not they
 * themselves. */
uint64_t least_behind(const struct least_graph *g, uint64_t nodes);

#endif
