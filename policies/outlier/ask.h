/* ask.h - a sample of tasks as the question to all of them (struct
 * hct_question). */
#ifndef HCT_ASK_H
#define HCT_ASK_H

#include <stdint.h>

#include "policies/outlier/groups.h"
#include "policies/outlier/habits.h"

struct ask {                    /* what is wanted of the answer */
    uint32_t top;
    double score, share, cost_ns;       /* of a step: no less */
    struct hct_when when;
};

/* Into out; its number comes from all that it says, so the answer to another
 * question, which a replay may have recorded, is none to this one. Returns how
 * many bytes; 0: there is no room for it. */
uint32_t ask_write(const struct ask *a, struct habits *h,
                   const struct groups *g, const struct dictionary *d,
                   const struct hct_snapshot *in, uint8_t *out, uint32_t max);

#endif
