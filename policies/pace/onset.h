/* onset.h - a series has become higher: at once, or bit by bit? What breaks
 * does it at once; work that grows, drifts or moves does it bit by bit.
 *
 * Both are the same line: it lies low, rises for so many numbers, and lies
 * high. A rise of two at most is a step, one of four and more a ramp, whose
 * end may be still to come. There may also be two steps up, as where somebody
 * becomes slow a little after others took the machine. The best of each is
 * found by least squares, for all beginnings and lengths, and compared by what
 * it leaves and by the numbers that it takes (BIC: Schwarz, Estimating the
 * dimension of a model, 1978):
 *
 *   n ln(rest / n) + parameters ln n
 *
 * where a ramp has one more than a step, how long it lasts, and two steps one
 * more than a ramp. */
#ifndef HCT_PACE_ONSET_H
#define HCT_PACE_ONSET_H

#include <stdbool.h>
#include <stdint.h>

struct onset {
    double gain;                /* BIC of the ramp less that of steps: above 0 it
                                   was at once, from 2 on there is evidence
                                   (Kass and Raftery, Bayes factors, 1995,
                                   section 3.2) */
    double by;                  /* how high the better one is */
    uint32_t at;                /* the first number that is higher by it */
};

/* Of n numbers, the oldest first, which vary by noise at least. What is far
 * off both its neighbours, as a stall, is taken to be nearer. False: they are
 * too few, or have not become higher. */
bool onset_find(const double *v, uint32_t n, double noise, struct onset *o);

#endif
