/* say.h - what is found of a deadline, in words. */
#ifndef HCT_DEADLINE_SAY_H
#define HCT_DEADLINE_SAY_H

#include "policies/deadline/deadline.h"

/* What waits to be said. False: there was no room for all of it. */
bool say_all(struct deadline *s, const struct hct_snapshot *in, struct hct_out *out);

#endif
