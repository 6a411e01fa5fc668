/* attendance.c - see attendance.h. */
#include "policies/slow/attendance.h"

#include <stdint.h>

/* Of who has left MPI just now nobody knows that it waits. */
static const uint64_t idle_ns = 100 * (uint64_t)1000000;

/* Does it stand outside of MPI, and what it waits for is nobody of the job? */
static bool is_idle(const struct hct_rank *k)
{
    return !(k->flags & HCT_IN_MPI) && k->age_ns > idle_ns &&
           (k->waits == HCT_WAITS_SOCKET || k->waits == HCT_WAITS_PIPE ||
            k->waits == HCT_WAITS_CHILD || k->waits == HCT_WAITS_LOCK ||
            k->waits == HCT_WAITS_SIGNAL);
}

bool attendance_whole(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->life != HCT_LIFE_RUNNING || !(k->flags & HCT_OBSERVED) ||
            (k->flags & (HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                         HCT_STDIN | HCT_STOPPED)) || is_idle(k))
            return false;
    }
    return true;
}
