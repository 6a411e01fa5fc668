/* skip_time.h - time that passes at once, for tests of what takes long: it is the
 * executable's clock_gettime() that libevent and clock.h call. Each test includes it
 * once. */
#ifndef SKIP_TIME_H
#define SKIP_TIME_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>

#include "proto/base/clock.h"

enum { SKIP_TURNS = 8 };        /* of the loop, in each step */
#define SKIP_STEP_NS (CLOCK_NS_PER_S / 2)

static uint64_t skip_ns;

int clock_gettime(clockid_t id, struct timespec *t)
{
    long rc = syscall(SYS_clock_gettime, id, t);

    if (rc == 0 && (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE)) {
        uint64_t ns = (uint64_t)t->tv_nsec + skip_ns;

        t->tv_sec += (time_t)(ns / CLOCK_NS_PER_S);
        t->tv_nsec = (long)(ns % CLOCK_NS_PER_S);
    }
    return (int)rc;
}

/* So much of it, in which the loop turns, as it would. */
static void skip_time(struct event_base *base, uint64_t ns)
{
    for (uint64_t done_ns = 0; done_ns < ns; done_ns += SKIP_STEP_NS) {
        skip_ns += SKIP_STEP_NS;
        for (int i = 0; i < SKIP_TURNS; i++)
            event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    }
}

#endif
