/* chance.h - the simulation's own random numbers: the same for the same seed,
 * everywhere. */
#ifndef HECTOR_SIM_CHANCE_H
#define HECTOR_SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t chance_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform, below n; n is not 0. */
static inline uint32_t chance_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((chance_next(state) >> 32) * n >> 32);
}

static inline bool chance_is(uint64_t *state, uint32_t percent)
{
    return chance_below(state, 100) < percent;
}

/* Between low and high, each power of two as likely as the others. */
static inline uint64_t chance_ns(uint64_t *state, uint64_t low, uint64_t high)
{
    unsigned span = 0, shift;
    uint64_t v;

    while (low << (span + 1) < high)
        span++;
    shift = chance_below(state, span + 1);
    v = (low << shift) + (chance_next(state) >> 11) % (low << shift);
    return v < high ? v : high;
}

#endif
