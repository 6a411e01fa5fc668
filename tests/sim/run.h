/* run.h - one program, run and looked at: is what the proof says true, and does
 * it say it?
 *
 * It has to be said of those that are stuck if pages can show it (oracle.h;
 * enum run_lack), and in its time. That begins when the last of what is shown
 * has happened: nobody can release them any more, all who take part in their
 * collective calls have entered them, the system lets them run, and no task is
 * stopped or was left out of a look. It is as long as deadlock.h says: still_ns
 * or, where a message that need not wait for its receiver or a collective call
 * would have to be through, small_ns and 100 ns for each byte of each member;
 * of an MPI_Sendrecv, of which pages do not show how much it takes, 64 MB more;
 * spin_ns for those that ask in a loop. From then on it takes four looks. */
#ifndef HECTOR_SIM_RUN_H
#define HECTOR_SIM_RUN_H

#include <stdio.h>

#include "tests/sim/program.h"

/* What pages lack for a proof: the first of these. */
enum run_lack {
    LACK_NOTHING,
    LACK_PAGE,                  /* a task has none */
    LACK_ROOM,                  /* ... or none for all of its requests */
    LACK_ACCOUNTS,              /* messages are not counted */
    LACK_COMM,                  /* a communicator could not be followed */
    LACK_THREADS,               /* it is not seen whether others sleep */
    LACK_ENDED,                 /* a task has left nothing behind */
    LACK_STATUS,                /* one has received it does not say what */
    LACK_NETWORK,               /* it may be under way yet, or else: see
                                   oracle_shown() */
    LACK_KINDS
};

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
    uint32_t lack;              /* enum run_lack */
    bool asks, far;             /* tasks ask in a loop; there are two nodes */
    bool stuck, proven;         /* in the end; and that was said */
    uint64_t delay_ns;          /* ... so long after they were stuck */
    bool soon;                  /* ... as soon as it could be told */
    bool overflow;              /* the model had no room: nothing is known */
};

/* p is only read. */
void run_program(const struct program *p, const struct run_options *o,
                 struct run_result *result);

/* Removes from p what is not needed for that it is refuted, or, with missed,
 * for that nothing is said. */
void run_shrink(struct program *p, const struct run_options *o, bool missed);

#endif
