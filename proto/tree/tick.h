/* tick.h - how often somebody who gathers from others looks whether anything
 * new has come: some times in the wait that was ordered, once a second at
 * least. */
#ifndef HECTOR_TICK_H
#define HECTOR_TICK_H

#include <stdint.h>

#include "proto/base/clock.h"

enum { TICK_PARTS = 8 };                /* of the wait */

/* However short the wait: a loop has others to serve. */
static inline uint64_t tick_of(uint64_t wait_ns)
{
    uint64_t ns = wait_ns / TICK_PARTS;

    return ns < CLOCK_NS_PER_MS ? CLOCK_NS_PER_MS
                                : ns < CLOCK_NS_PER_S ? ns : CLOCK_NS_PER_S;
}

#endif
