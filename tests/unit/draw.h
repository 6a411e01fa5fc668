/* draw.h - numbers for tests that look like chance and are the same each time:
 * xorshift64 (Marsaglia, Journal of Statistical Software 8, 2003). */
#ifndef HECTOR_TEST_DRAW_H
#define HECTOR_TEST_DRAW_H

#include <stdint.h>

static inline uint64_t draw(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/* Between 0 and 1, and neither. */
static inline double draw_part(void)
{
    return ((double)(draw() >> 11) + 0.5) / (double)(1ull << 53);
}

#endif
