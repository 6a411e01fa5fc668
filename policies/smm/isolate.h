/* isolate.h - the steps in which a task that is odd differs most from others
 * (SC11, section 3.3.3): from the medoid of its group, or from all models of a
 * sample, taken together.
 *
 * Whole models are compared, not those whose chains are merged: a chain says of
 * a fault that it is somewhere in there. */
#ifndef HCT_ISOLATE_H
#define HCT_ISOLATE_H

#include <stddef.h>
#include <stdint.h>

#include "policies/smm/smm.h"

struct isolate {
    const struct lknorm *table; /* borrowed, like the next two */
    const struct smm *task;
    const struct smm *other;    /* nothers of them, of as many edges */
    size_t nothers;
};

/* The numbers of its at most k edges that differ most, the first of them most; of
 * two that differ by as much the one of the lower number. Edges that are as those
 * of all others are not among them. Returns how many. */
size_t isolate(const struct isolate *i, uint32_t *edge, size_t k);

#endif
