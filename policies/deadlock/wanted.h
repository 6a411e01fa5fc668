/* wanted.h - has a rank asked for a message like this one? */
#ifndef HCT_WANTED_H
#define HCT_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/deadlock/deadlock.h"

/* Would rank x take what rank from sends on comm with this tag: by one of its
 * requests, or, with in_call, by the call that it was seen in last? What is not
 * known of either may fit. */
bool wanted(const struct hct_snapshot *in, const struct deadlock_rank *w,
            uint32_t x, bool in_call, uint32_t from, uint64_t comm,
            int32_t tag);

#endif
