/* run.h - one program, run and looked at: is what the proof says true, and does
 * it say it? */
#ifndef HECTOR_SIM_RUN_H
#define HECTOR_SIM_RUN_H

#include <stdio.h>

#include "tests/sim/program.h"

struct run_options {
    uint64_t seed;              /* of the world, and of the looks */
    FILE *show;                 /* tells of each look in which something is
                                   said; NULL: nobody */
};

struct run_result {
    uint64_t looks, still;      /* still: somebody might have been blocked */
    uint64_t proofs;            /* looks in which the proof said something */
    bool refuted;               /* it was wrong */
    int rank;                   /* ... about this one; stuck: the first one */
    uint32_t kind;              /* ... which is in this operation */
    const char *why;
    bool whole;                 /* the look had all that a proof needs */
    bool asks, far;             /* tasks ask in a loop; there are two nodes */
    bool stuck, proven;         /* in the end; and that was said */
    uint64_t delay_ns;          /* ... so long after the last one stopped */
    bool overflow;              /* the model had no room: nothing is known */
};

/* p is only read. */
void run_program(const struct program *p, const struct run_options *o,
                 struct run_result *result);

/* Removes from p what is not needed for that it is refuted, or, with missed,
 * for that nothing is said. */
void run_shrink(struct program *p, const struct run_options *o, bool missed);

#endif
