/* parcels.h - collective calls in which each member gives each other one an
 * amount of its own (MPI_Gatherv, Scatterv, Allgatherv, Alltoallv,
 * Reduce_scatter): does what is given fit what is taken? */
#ifndef HCT_PARCELS_H
#define HCT_PARCELS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"

struct parcels {
    int64_t bytes;              /* more are given than taken: all in all */
    int32_t from, to;           /* ranks in the world between which it does not
                                   fit, if these are the only two; else -1 */
    uint64_t most;              /* bytes: not more goes through all hands */
};

/* In collective call n of comm. False: it fits, or is not known. The snapshot has
 * detail, and is walked through. */
bool parcels_differ(const struct hct_snapshot *in, uint64_t comm, uint64_t n,
                    struct parcels *p);

#endif
