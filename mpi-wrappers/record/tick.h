/* tick.h - the clock of the page: cheap, monotonic, the same on all cores.
 *
 * The time-stamp counter where the kernel itself trusts it, else
 * CLOCK_MONOTONIC in nanoseconds. errno is left alone. */
#ifndef HECTOR_TICK_H
#define HECTOR_TICK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "mpi-wrappers/page.h"

extern bool tick_tsc;           /* set by tick_choose() only */

/* Choose, once, before the first tick that counts. */
enum page_clock tick_choose(void);

/* Wall clock, for stamps. */
static inline uint64_t tick_wall_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t tick_now(void)
{
    struct timespec ts;

#if defined(__x86_64__)
    if (__builtin_expect(tick_tsc, 1))
        return __rdtsc();
#endif
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
