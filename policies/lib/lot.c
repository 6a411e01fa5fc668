/* lot.c - see lot.h. */
#include "policies/lib/lot.h"

enum { MANY = 50000, SAMPLE_OF_MANY = 20 };

uint64_t lot_below(uint64_t *state, uint64_t n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return n ? z % n : 0;
}

/* Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S. */
uint32_t lot_sample(uint64_t seed, uint32_t n, uint32_t v[LOT_SAMPLE])
{
    uint32_t most = n > MANY ? SAMPLE_OF_MANY : LOT_SAMPLE, k = 0;
    uint32_t wanted = n < most ? n : most;

    for (uint32_t r = 0; k < wanted; r++)
        if (lot_below(&seed, n - r) < wanted - k)
            v[k++] = r;
    return k;
}
