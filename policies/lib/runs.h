/* runs.h - is a series of samples random? The runs test of Wald and Wolfowitz
 * with the exact distribution for small samples (Swed and Eisenhart 1943), as
 * ParaStack (SC17, section 3.1) uses it. */
#ifndef HCT_RUNS_H
#define HCT_RUNS_H

#include <stdbool.h>
#include <stdint.h>

enum { RUNS_MAX = 20 };         /* of either sign */

struct runs {
    double boundary;            /* the mean: at or above it is positive */
    unsigned n1, n0, r;         /* positives, negatives, runs */
};
struct runs runs_count(const uint16_t *v, unsigned n);

/* Not random, at the level 0.05 of both sides together, if there are *low
 * runs or fewer, or *high or more. 0 and UINT_MAX: no number is too low, or
 * too high. False: the sample is too small to say, or too large for this. */
bool runs_range(unsigned n1, unsigned n0, unsigned *low, unsigned *high);

/* Random as far as one can see. A sample that says nothing is not. */
bool runs_random(const uint16_t *v, unsigned n);

#endif
