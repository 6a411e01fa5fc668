/* kept.h - the state of a policy after a step, in a file that outlives the
 * process: two of them, of which one is always whole. The file is the master's; a
 * process that comes after one that was lost goes on from there. One that is too
 * large to have three times in memory is not kept. */
#ifndef HECTOR_KEPT_H
#define HECTOR_KEPT_H

#include <stdint.h>

#include "master/judge/policy.h"

enum { KEPT_MAX = 64 << 20 };   /* bytes of a state */

struct kept {
    int fd;                     /* borrowed; -1: nothing is kept */
    uint64_t saved_ns, cost_ns; /* when last, how long it took */
    uint32_t slot;
};

/* Into a policy that has begun. Nothing, if there is nothing that fits. */
void kept_load(struct kept *k, struct policy *p);
/* After a step; only so often that it is a small part of the time. */
void kept_save(struct kept *k, const struct policy *p);

#endif
