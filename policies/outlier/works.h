/* works.h - who computes in a call that waits for others, while these wait.
 *
 * Where a node has more tasks than processors MPI gives its processor away
 * each time it has found no message: those that wait get next to nothing of
 * it, and one that computes in there gets most. So two looks, that far apart
 * that processor times were read twice, say who it is, where most tasks of
 * its node were in the same call at both. It is a hint, for who asks, and no
 * verdict: a task that has a processor of its own may do no more than ask.
 * Where all have one they all use it up as they wait, and nothing is seen. */
#ifndef HCT_WORKS_H
#define HCT_WORKS_H

#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/outlier/stands.h"

struct works_rank {             /* at the first of two looks */
    uint32_t calls;             /* of hct_rank, the low bits */
    uint32_t cpu_ms;            /* that it had had, + 1; 0: it did not wait,
                                   or it is not known */
};
struct works {
    uint64_t since_ns;          /* of that look; 0: there was none */
    struct stands found;        /* hints: these, and those of alone.h */
};

/* One look. was: of each rank, zeros at first. */
void works_look(struct works *w, struct works_rank *was,
                const struct hct_snapshot *in);

#endif
