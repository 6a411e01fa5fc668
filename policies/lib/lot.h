/* lot.h - numbers that look like chance and are the same each time: splitmix64
 * (Steele, Lea and Flood, OOPSLA 2014), begun with the job's seed. */
#ifndef HCT_LOT_H
#define HCT_LOT_H

#include <stdint.h>

/* A uniform number below n; of n 0, 0. */
uint64_t lot_below(uint64_t *state, uint64_t n);

/* So many tasks draw a picture of any number of them (SC11, 3.3.2: a constant
 * number); of very many fewer are taken, as what comes of them goes down to
 * all. */
enum { LOT_SAMPLE = 60 };

/* Some of the numbers below n, ascending, the same for everybody who has the
 * seed. Returns how many. */
uint32_t lot_sample(uint64_t seed, uint32_t n, uint32_t v[LOT_SAMPLE]);

#endif
