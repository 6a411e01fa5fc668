/* account.h - which messages are under way between two ranks, by the accounts
 * of both (hct_policy.h): what one has sent, less what the other has received,
 * taken apart by summands.h. */
#ifndef HCT_ACCOUNT_H
#define HCT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/deadlock/deadlock.h"

#define ACCOUNT_UNKNOWN UINT32_MAX

/* Where each rank's entries begin: deadlock_rank.account, .pair; and
 * what all of them say of those to it: .sender, .sender_to, .under_way. */
void account_index(const struct hct_snapshot *in, struct deadlock_rank *w);

/* The account of rank r; NULL: not all that it sent is known. */
const struct hct_account *account_of(const struct hct_snapshot *in,
                                     const struct deadlock_rank *w,
                                     uint32_t r);

/* What rank r has sent to peer, and received from there; NULL: nothing. */
const struct hct_pair *account_pair(const struct hct_snapshot *in,
                                    const struct deadlock_rank *w, uint32_t r,
                                    uint32_t peer);

/* Do both have accounts, and are they on one node, where a message is there as
 * soon as it is sent? */
bool account_near(const struct hct_snapshot *in, const struct deadlock_rank *w,
                  uint32_t a, uint32_t b);

/* May what rank a calls comm be what b calls its? Members that have made
 * collective calls in different orders know one by different numbers; then each
 * knows only its own, of the same size, and has a place of its own there. */
bool account_same(const struct hct_snapshot *in, const struct deadlock_rank *w,
                  uint32_t a, uint64_t comm, uint32_t b, uint64_t its);

/* So many messages, no more and no less, for one tag; ACCOUNT_UNKNOWN. */
uint32_t account_exactly(const struct hct_snapshot *in,
                         const struct deadlock_rank *w, uint32_t s,
                         uint32_t r, uint64_t comm, int32_t tag);

/* So many messages like that of q, its request that sends, r has sent to the same
 * partner since; ACCOUNT_UNKNOWN. */
uint32_t account_since(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t r,
                       const struct hct_request *q);

/* Has r received no message of s on comm with this tag, and is sure of that? Then
 * all that s has sent of these are under way, in whatever order it did. */
bool account_untaken(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t s, uint32_t r,
                     uint64_t comm, int32_t tag);

/* At most so many messages from s to r, on comm with this tag (HCT_ANY: with
 * any), have been sent and not been seen to be received. ACCOUNT_UNKNOWN: it
 * cannot be told, and may be any number. */
uint32_t account_under_way(const struct hct_snapshot *in,
                           const struct deadlock_rank *w, uint32_t s,
                           uint32_t r, uint64_t comm, int32_t tag);

/* Of those in the set that rank r has sent messages to, on whatever
 * communicator, the one that has sent one message fewer back than each of the
 * others: where r deals out work and waits for any result, its result is the
 * one that is missing. It is in comm. -1: nobody stands out so. This only
 * names; that nobody will send is proven elsewhere. */
int32_t account_owing(const struct hct_snapshot *in,
                      const struct deadlock_rank *w, uint32_t r,
                      uint64_t comm);

#endif
