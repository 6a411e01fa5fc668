/* chains.h - the steps of a program that follow each other without a choice,
 * made one (SC11, section 3.2, graph compression): fewer dimensions, in which a
 * task that is odd stands out.
 *
 * There each task goes through its own graph, along the edges that all tasks
 * have. Here it is decided once, on the graph of all of them: so all tasks have
 * the same edges again, and a step that only some take stays what it was, as do
 * the states that it comes from and goes to. Heads and tails of loops stay. */
#ifndef HCT_CHAINS_H
#define HCT_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "policies/smm/smm.h"

struct chains {
    uint32_t *into;             /* borrowed, of nedges: the number of the edge
                                   that this one is part of, from 0, in the
                                   order of the first edge of each chain */
    uint32_t *first;            /* borrowed, of nedges: of each of those the
                                   edge that it begins with */
    size_t nedges, n;           /* of the dictionary; and so many are left */
};

/* Room that chains_find() needs, in words. */
#define CHAINS_WORDS(nstates) (7 * (size_t)(nstates) + 1)

/* step is sorted by from, then to; its states are below nstates; tasks: so many
 * have to have a step, or it is not merged. into and first are filled. */
void chains_find(struct chains *c, const struct smm_step *step,
                 uint32_t nstates, uint32_t tasks, uint32_t *words);

/* The model with its chains merged, into to.edge, which has room for c->n.
 * Means add; so do variances, as the times are taken to be independent (the
 * paper adds the deviations, which is right only where all steps are late
 * together). */
void chains_merge(const struct chains *c, const struct smm *m, struct smm *to);

#endif
