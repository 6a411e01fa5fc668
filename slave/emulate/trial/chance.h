/* chance.h - numbers that look like chance and are the same each time, by a
 * seed and a number: for who has no state to draw from. */
#ifndef HECTOR_EMULATE_CHANCE_H
#define HECTOR_EMULATE_CHANCE_H

#include <stdint.h>

#include "proto/base/idtable.h"

/* From 0 to 1, evenly. */
static inline double chance_part(uint64_t seed, uint64_t number)
{
    return (double)(idtable_mix(seed, number) >> 11) / (double)(1ull << 53);
}

/* Near a normal distribution of deviation 1: the sum of twelve lots. */
static inline double chance_deviate(uint64_t seed, uint64_t number)
{
    double sum = 0;

    for (unsigned i = 0; i < 12; i++)
        sum += chance_part(seed + i, number);
    return sum - 6;
}

#endif
