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

/* Nothing has come for silent_ns: so long until the next look (ns), which is not
 * later than the end of the wait. */
static inline uint64_t tick_next(uint64_t wait_ns, uint64_t silent_ns)
{
    uint64_t ns = tick_of(wait_ns);

    return silent_ns < wait_ns && wait_ns - silent_ns < ns
               ? wait_ns - silent_ns : ns;
}

#endif
