/* bits.h - vectors of bits in words of 64, least significant first. */
#ifndef HECTOR_BITS_H
#define HECTOR_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool bits_test(const uint64_t *v, size_t i)
{
    return v[i / 64] >> (i % 64) & 1;
}

static inline void bits_set(uint64_t *v, size_t i)
{
    v[i / 64] |= 1ull << (i % 64);
}

size_t bits_count(const uint64_t *v, size_t nwords);

/* to |= from << shift. to has the words that the result needs: the last word
 * of from may reach into the next only if a bit of it does. */
void bits_or_shifted(uint64_t *to, const uint64_t *from, size_t nwords,
                     size_t shift);

/* Bits [from, from + n) of v, into to at bit at. */
void bits_or_range(uint64_t *to, size_t at, const uint64_t *v, size_t from,
                   size_t n);

#endif
