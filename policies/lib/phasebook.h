/* phasebook.h - which of the program's phases are known, so that a model can be
 * kept for each: a phase that comes again gets its place back. A phase is known
 * by what began it; where that is not known, each has a number of its own and
 * never comes again. All zero it is an empty one. */
#ifndef HCT_PHASEBOOK_H
#define HCT_PHASEBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"

enum { PHASEBOOK_MAX = 8 };     /* phases that are known at once */

struct phasebook {
    struct {
        uint64_t key;
        uint64_t turned;        /* when it was last begun; 0: a free place */
    } phase[PHASEBOOK_MAX];
    uint64_t turns;             /* phases begun so far */
    uint32_t at;                /* place of the current one */
    uint32_t number;            /* its number */
};

enum phasebook_turn {
    PHASEBOOK_STAYS,            /* the same phase as before */
    PHASEBOOK_AGAIN,            /* one that is known has begun again */
    PHASEBOOK_NEW,              /* one that is not; it has the place of the one
                                   whose last beginning is longest ago, never
                                   that of the one before */
};

/* Goes to the phase that the rank is in. */
enum phasebook_turn phasebook_turn(struct phasebook *b,
                                   const struct hct_rank *k);

/* Is the rank still in the phase gone to last, and has not left it since? */
bool phasebook_is_at(const struct phasebook *b, const struct hct_rank *k);

#endif
