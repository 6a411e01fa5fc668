/* iterations.h - what is one iteration of a job, from looks at one of its tasks
 * alone? From one visit of a place in the program to the next: of the place
 * that it is found at most often, since that is in the loop where the time
 * goes.
 *
 * How many calls lie between two visits is told by two looks at that place, by
 * the counters of calls and of visits there. Where visits are not known, so
 * many calls are taken for one. */
#ifndef HCT_ITERATIONS_H
#define HCT_ITERATIONS_H

#include <stdint.h>

#include "policies/hct_policy.h"

enum {
    ITERATIONS_SITES = 16,      /* places that are known at once */
    ITERATIONS_CALLS = 8,       /* make one, where visits are not known */
};

struct iterations_site {
    uint32_t site, seen;        /* seen 0: free */
    uint64_t calls, visits;     /* when it was seen first */
    double each;                /* calls from visit to visit; 0: not known */
    double bytes;               /* of its calls, the last that was seen; 0: none,
                                   or not known */
};

struct iterations {             /* all zero: nothing seen */
    struct iterations_site site[ITERATIONS_SITES];
    uint32_t at;                /* the one that counts */
};

/* Calls that are none of a loop of questions: of these nobody knows how many
 * there will be. */
static inline uint64_t iterations_calls(const struct hct_rank *k)
{
    return k->calls > k->polls ? k->calls - k->polls : 0;
}

/* A look at the task, which has a page. */
void iterations_look(struct iterations *t, const struct hct_rank *k);

/* So many calls are one. */
double iterations_each(const struct iterations *t);

/* Bytes that a call at that place moves; 0: not known. */
double iterations_bytes(const struct iterations *t);

#endif
