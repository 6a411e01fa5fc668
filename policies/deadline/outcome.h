/* outcome.h - what has come of an instance: counted, kept as a row, and taken
 * for what is to come. */
#ifndef HCT_DEADLINE_OUTCOME_H
#define HCT_DEADLINE_OUTCOME_H

#include "policies/deadline/deadline.h"

/* True: it is late, for certain. */
bool outcome_tell(struct deadline *s, struct due *d, const struct outcome *o,
                  const struct hct_snapshot *in, struct hct_out *out);

/* n more that are due, as o, have not ended: of these there is no row. */
void outcome_skip(struct due *d, const struct outcome *o, uint64_t n,
                  int64_t now_ns);

#endif
