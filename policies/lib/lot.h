/* lot.h - numbers that look like chance and are the same each time: splitmix64
 * (Steele, Lea and Flood, OOPSLA 2014), begun with the job's seed. */
#ifndef HCT_LOT_H
#define HCT_LOT_H

#include <stdint.h>

/* A uniform number below n; of n 0, 0. */
uint64_t lot_below(uint64_t *state, uint64_t n);

#endif
