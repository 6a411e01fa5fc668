/* crowd.h - is it the machine? Somebody was kept from a processor: so were others
 * of its node, who are not slower than usual, if there is too much to do there.
 * Then it is bad luck who of them has the least of it, and nobody is slow. */
#ifndef HCT_SLOW_CROWD_H
#define HCT_SLOW_CROWD_H

#include <stdbool.h>

#include "policies/slow/slow.h"

/* Another task of that one's node, which is to be asked for, too: of those that
 * are not slow the least slow one; that one itself: there is none.
 * Of what odd_judge() has found just now. */
uint32_t crowd_witness(const struct speed *s, uint32_t rank);

/* Between the reading before and that of the snapshot, was the witness kept from
 * a processor for a good part of the time, too, by that of the task? */
bool crowd_is_there(const struct slow_suspicion *x, const struct region *before,
                    const struct hct_snapshot *in);

/* What the witness has had of its processor since the reading before; 0: there is
 * none. */
struct load crowd_load(const struct slow_suspicion *x,
                       const struct region *before,
                       const struct hct_snapshot *in);

/* Has the task of the reading had much less of its processor since? */
bool crowd_is_alone(const struct load *others, const struct region *before,
                    const struct hct_snapshot *in);

#endif
