/* proof.h - the proof of a deadlock on a look made by hand, and its words. */
#ifndef HECTOR_TESTS_PROOF_H
#define HECTOR_TESTS_PROOF_H

#include "policies/deadlock/deadlock.h"
#include "tests/unit/look.h"

/* Does one of the set ask in a loop? */
static inline bool proof_asks(const struct deadlock_rank *work)
{
    for (uint32_t r = 0; r < look.in.nranks; r++)
        if (work[r].state == DEADLOCK_BLOCKED && work[r].spins)
            return true;
    return false;
}

/* How many ranks are in a deadlock after so long; what is said stays in look.
 * starved: a rank that gets no processor; -1: none. A test may go on with the
 * look. */
static inline uint32_t proof_of(struct deadlock_rank *work, uint64_t still_ns,
                                int starved)
{
    static const struct deadlock_limits limits = {
        .still_ns = 300 * MS, .asleep_ns = 5 * S, .small_ns = 2 * S,
        .spin_ns = 3 * S,
    };
    static struct hct_pair said[MANY];
    uint32_t pairs = look.in.npairs, n;
    uint64_t steps;

    look_sort();
    memcpy(said, look.pair, sizeof(said));
    look_account();
    look_empty_out();
    memset(work, 0, look.in.nranks * sizeof(*work));
    if (starved >= 0)
        work[starved].starved = 1;
    for (uint32_t r = 0; r < look.in.nranks; r++)
        work[r].still_ns = work[r].span_ns =
            look.rank[r].age_ns ? look.rank[r].age_ns : still_ns;
    n = look.in.has_detail ? deadlock_set(&look.in, work, &limits, &steps) : 0;
    if (n > 0 && proof_asks(work))
        deadlock_say_asking(&look.in, work, deadlock_age(&look.in, work),
                            &look.out);
    else if (n > 0)
        deadlock_say(&look.in, work, &look.out);
    memcpy(look.pair, said, sizeof(said));
    look.in.npairs = pairs;
    return n;
}

#endif
