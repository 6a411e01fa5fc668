/* instance.h - instances that one rank has: of HCT_DUE_CALL, HCT_DUE_PERIOD and
 * HCT_DUE_CLOCK. A rank has one of a deadline open at a time: where several of
 * its threads are in such calls, the others are judged when they end. Places
 * are a table by (deadline, rank); those that are open are in a heap by when
 * they have to be looked after. */
#ifndef HCT_DEADLINE_INSTANCE_H
#define HCT_DEADLINE_INSTANCE_H

#include "policies/deadline/deadline.h"

/* Places that a job of so many ranks has: a power of two. */
uint32_t instance_slots(uint32_t nranks);
uint32_t instance_max(uint32_t nranks);

void instance_event(struct deadline *s, struct due *d, const struct hct_event *e,
                    const struct hct_snapshot *in, struct hct_out *out);

/* Of a look that has read the tasks: what is due, and has not ended. */
void instance_check(struct deadline *s, const struct hct_snapshot *in,
                    struct hct_out *out);

/* When the next one has to be looked after; WHEN_NEVER. */
int64_t instance_next(struct deadline *s);

#endif
