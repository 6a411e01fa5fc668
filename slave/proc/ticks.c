/* ticks.c - a task's clock ticks in nanoseconds. */
#include "slave/proc/ticks.h"

#include "mpi-wrappers/page.h"
#include "proto/base/clock.h"

static uint64_t tsc(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

void ticks_init(struct ticks *t)
{
    t->tsc0 = tsc();
    t->mono0_ns = clock_monotonic_ns();
    t->ns_per_tsc = 0;
}

void ticks_update(struct ticks *t)
{
    uint64_t now = tsc(), mono_ns = clock_monotonic_ns();

    if (now > t->tsc0 && mono_ns - t->mono0_ns >= CLOCK_NS_PER_MS)
        t->ns_per_tsc = (double)(mono_ns - t->mono0_ns) /
                        (double)(now - t->tsc0);
}

uint64_t ticks_now(unsigned clock)
{
    switch (clock) {
    case PAGE_CLOCK_MONOTONIC:
        return clock_monotonic_ns();
    case PAGE_CLOCK_TSC:
        return tsc();
    default:
        return 0;
    }
}

uint64_t ticks_ns(const struct ticks *t, unsigned clock, uint64_t diff)
{
    if (clock == PAGE_CLOCK_MONOTONIC)
        return diff;
    return clock == PAGE_CLOCK_TSC ? (uint64_t)((double)diff * t->ns_per_tsc)
                                   : 0;
}

uint64_t ticks_of(const struct ticks *t, unsigned clock, uint64_t ns)
{
    if (clock == PAGE_CLOCK_MONOTONIC)
        return ns;
    return clock == PAGE_CLOCK_TSC && t->ns_per_tsc > 0
           ? (uint64_t)((double)ns / t->ns_per_tsc) : 0;
}
