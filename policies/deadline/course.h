/* course.h - how a deadline goes, and what of that is said.
 *
 *   GOOD --margin low, or falls, for some points--> DECLINING --one late--> MISSED
 *     |  ------------------------------one late---------------------------->  |
 *     +<-- MET AGAIN: as many good points as it took, three at least ---------+
 *
 * Of a stretch of missed instances the first is said, the 10th, the 100th.
 * Where it turns for the worse again soon after it was met again, that takes twice
 * as many good points each time: what goes up and down is no news each time. */
#ifndef HCT_DEADLINE_COURSE_H
#define HCT_DEADLINE_COURSE_H

#include "policies/deadline/deadline.h"

enum course_stage { COURSE_GOOD, COURSE_DECLINING, COURSE_MISSED };

/* n instances are missed, of which o is the last. */
void course_missed(struct due *d, const struct outcome *o, uint64_t n,
                   int64_t now_ns);

/* One that was said to be missed was not: its event has come late. */
void course_take_back(struct due *d);

/* There is one more point in the margin. */
void course_point(struct due *d, const struct deadline_knobs *k, int64_t now_ns);

#endif
