/* tally.h - many runs, counted by the mistakes in their programs. */
#ifndef HECTOR_SIM_TALLY_H
#define HECTOR_SIM_TALLY_H

#include "tests/sim/run.h"

enum { TALLY_BINS = 64 };       /* of delays, 100 ms each */

struct tally {
    uint64_t programs, looks, still, proofs, wrong, overflows;
    /* Of those that a proof can be expected of: all is known of them. */
    struct tally_stuck {
        uint64_t stuck, proven;
        uint64_t soon;          /* ... as soon as it could be told */
    } mistake[MISTAKE_KINDS], near, far,        /* on one node, on several */
      loops, far_loops,         /* some ask in a loop: that these are named is
                                   no proof */
      lack[LACK_KINDS];         /* those of which it cannot be expected */
    uint64_t delays[TALLY_BINS];        /* on one node */
    struct tally_call {         /* the first one that is stuck is in it */
        uint64_t wrong;
        uint64_t missed[2], late[2];    /* on one node, on several */
        uint64_t hidden;        /* LACK_NETWORK */
    } in[OP_KINDS];
    uint32_t last_kind;         /* of the last one found */
};

enum tally_found { TALLY_NOTHING, TALLY_WRONG, TALLY_MISSED };

enum tally_found tally_run(struct tally *t, uint64_t seed, unsigned parts);
void tally_print(FILE *out, const struct tally *t);

/* The program of that seed, made smaller, and what is said of it. */
void tally_show(FILE *out, uint64_t seed, unsigned parts, bool missed);

#endif
