/* summands.h - of which messages is a sum made that two accounts differ by
 * (hct_policy.h: a message is a number that is made of its communicator and its
 * tag)? That another choice of messages has the same sum by chance is less likely
 * than one in 10^8. */
#ifndef HCT_SUMMANDS_H
#define HCT_SUMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/deadlock/deadlock.h"

/* sum is that of n messages from s to r: so many of them are on comm with this
 * tag (HCT_ANY: with any), of all choices with that sum the most. exact: comm is
 * s's own number for it, else it may also be another one of account_same().
 * ACCOUNT_UNKNOWN: no choice that was tried has that sum. */
uint32_t summands_find(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t s, uint32_t r,
                       uint64_t sum, uint32_t n, uint64_t comm, int32_t tag,
                       bool exact);

#endif
