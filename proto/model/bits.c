/* bits.c - vectors of bits in words of 64. */
#include "proto/model/bits.h"

size_t bits_count(const uint64_t *v, size_t nwords)
{
    size_t n = 0;

    for (size_t i = 0; i < nwords; i++)
        n += (size_t)__builtin_popcountll(v[i]);
    return n;
}

void bits_or_shifted(uint64_t *to, const uint64_t *from, size_t nwords,
                     size_t shift)
{
    unsigned bit = shift % 64;

    to += shift / 64;
    if (bit == 0) {
        for (size_t i = 0; i < nwords; i++)
            to[i] |= from[i];
        return;
    }
    for (size_t i = 0; i < nwords; i++) {
        uint64_t high = from[i] >> (64 - bit);

        to[i] |= from[i] << bit;
        if (high)
            to[i + 1] |= high;
    }
}

/* 1 to 64 bits that begin at bit from. */
static uint64_t bits_get(const uint64_t *v, size_t from, unsigned n)
{
    unsigned bit = from % 64;
    uint64_t w = v[from / 64] >> bit;

    if (bit && bit + n > 64)
        w |= v[from / 64 + 1] << (64 - bit);
    return n == 64 ? w : w & ((1ull << n) - 1);
}

void bits_or_range(uint64_t *to, size_t at, const uint64_t *v, size_t from,
                   size_t n)
{
    while (n) {
        unsigned room = 64 - at % 64;
        unsigned now = n < room ? (unsigned)n : room;

        to[at / 64] |= bits_get(v, from, now) << (at % 64);
        at += now;
        from += now;
        n -= now;
    }
}
