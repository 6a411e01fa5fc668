/* ticks.h - a task's clock ticks in nanoseconds.
 *
 * A page's times are in ticks of CLOCK_MONOTONIC (nanoseconds already) or of
 * the time stamp counter, whose rate is found by watching both clocks since
 * ticks_init(). Both count for the whole machine, so the slave's reading and
 * the task's can be compared. */
#ifndef HECTOR_TICKS_H
#define HECTOR_TICKS_H

#include <stdint.h>

struct ticks {
    uint64_t tsc0, mono0_ns;
    double ns_per_tsc;
};

void ticks_init(struct ticks *t);

/* Look at the clocks again: the longer ago the start, the better the rate.
 * Call now and then, at least 1 ms after ticks_init(). */
void ticks_update(struct ticks *t);

/* What the clock (enum page_clock) says now; 0 for a clock that is none. */
uint64_t ticks_now(unsigned clock);

/* A difference of ticks, in ns, and the other way round. */
uint64_t ticks_ns(const struct ticks *t, unsigned clock, uint64_t diff);
uint64_t ticks_of(const struct ticks *t, unsigned clock, uint64_t ns);

#endif
