/* wanted.h - has a rank asked for a message like this one? And what has it been
 * sent that it has not asked for: with a wrong tag or communicator, often the
 * error, and where it was sent the line to look at. */
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

struct wanted_not {
    uint64_t comm;              /* as the sender knows it */
    int32_t tag;
    uint32_t site;              /* place of the call that sent it; 0: not
                                   known */
};

/* The last message of s to r that is under way for certain, and that none of
 * r's calls and requests would take. Only what is among the last calls of s is
 * found. s may be any rank, also one that has ended MPI. */
bool wanted_instead(const struct hct_snapshot *in,
                    const struct deadlock_rank *w, uint32_t s, uint32_t r,
                    struct wanted_not *u);

#endif
