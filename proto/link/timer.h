/* timer.h - timers of libevent in nanoseconds. evtimer_new() makes one. */
#ifndef HECTOR_TIMER_H
#define HECTOR_TIMER_H

#include <stdint.h>

#include <event2/event.h>

#include "proto/base/clock.h"

/* It goes off ns from now, whenever it was to before; with EV_PERSIST each ns
 * from then on. 0, or -1: no memory. */
static inline int timer_set(struct event *timer, uint64_t ns)
{
    struct timeval tv = clock_timeval(ns);

    return event_add(timer, &tv);
}

/* NULL is fine. */
static inline void timer_free(struct event *timer)
{
    if (timer)
        event_free(timer);
}

#endif
