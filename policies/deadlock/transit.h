/* transit.h - may a job stand still because the network keeps what was sent?
 *
 * Between nodes a message may be under way for as long as it likes: TCP that
 * has lost a packet sends it again after twice the time each time, and of a link
 * that loses three in ten nothing may come for many seconds. So tasks that all
 * wait in MPI say nothing of the program as long as one of them would go on if
 * only all came that was sent: a message that fits, of which the accounts of
 * both sides (account.h) say that it has not been received; the data of a
 * message that its receiver has asked for; what a collective call sends among
 * its members once those have entered it that it waits for; what a one-sided
 * call waits for. On one node that is there as soon as it is sent. Where it is
 * not known, it may be so.
 *
 * Who is outside of MPI is not held up by it, and who waits for a task that has
 * not sent is not either. */
#ifndef HCT_TRANSIT_H
#define HCT_TRANSIT_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/deadlock/deadlock.h"
#include "policies/hct_policy.h"

enum transit_what {             /* the later, the more is known of it */
    TRANSIT_NOTHING,
    TRANSIT_PERHAPS,            /* a message, if there is one */
    TRANSIT_ONE_SIDED, TRANSIT_COLLECTIVE, TRANSIT_MESSAGE,
};

struct transit {
    uint32_t what;              /* enum transit_what */
    uint32_t from, to;          /* of a message, where they are known; else
                                   UINT32_MAX. to: who waits */
    uint32_t call;              /* that is waited in */
};

/* What may be under way between nodes, and would let somebody go on: of all
 * that is found, what is known best. The snapshot has detail, and w is as
 * deadlock_set() has left it. steps: entries of the snapshot that were looked
 * at. They grow as it does: where communicators are many it is given up, and
 * then something may be. */
struct transit transit_find(const struct hct_snapshot *in,
                            const struct deadlock_rank *w, uint64_t *steps);

/* "; a message of rank 3 to rank 0, on another node, ..."; "" if it is
 * nothing. */
enum { TRANSIT_TEXT = 136 };
const char *transit_text(char buf[TRANSIT_TEXT], const struct hct_snapshot *in,
                         const struct transit *t);

#endif
