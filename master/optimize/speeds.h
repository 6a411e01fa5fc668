/* speeds.h - how fast nodes are, from what the same calls of the same jobs take on
 * them. Pure.
 *
 * A task computes s seconds of a processor before each call of one site: that is
 * what it has to do there, over the speed of the processor. Seconds of a
 * processor, not of a clock: so neither others on the node nor a quota make it
 * look slow (a quota is told: Pace). In logarithms, for task r at site c of a
 * job, on node h,
 *
 *   log s = a(c) + b(c, r) - v(h) + e
 *
 * where a is what tasks do there, b by how much this one does more, v the speed
 * and e what varies by itself. b, v and e are as if drawn, b by how much tasks
 * on the same node differ, v around what the loop at the slave's start has
 * measured; the most likely v is the solution of a linear system (Henderson,
 * Best linear unbiased estimation and prediction under a selection model, 1975).
 * Of a task that has moved b is known: what it took there and here is the best
 * that can be had. Of tasks of which each node has but one nobody can say
 * whether it is the node: what the loop says stands. */
#ifndef HECTOR_SPEEDS_H
#define HECTOR_SPEEDS_H

#include <stddef.h>
#include <stdint.h>

struct speeds_seen {
    uint64_t job, site;
    uint32_t rank, node;        /* node: as index */
    uint32_t gone;              /* 1: the task is elsewhere now */
    double s;                   /* above 0 */
};

/* speed: of each node, by its loop; becomes what is most likely. v is sorted
 * anew. -1: no memory, and they stay as they were. */
int speeds_of(double *speed, uint32_t nnodes, struct speeds_seen *v, size_t n);

/* What is to be said of a node whose speed was said to be was: not every small
 * difference is one. Steps are those of the loop, 19 %. */
double speeds_settled(double was, double is);

#endif
