/* clock.c - reads the clocks and estimates a peer's wall clock; see clock.h. */
#include "proto/base/clock.h"

#include <time.h>

static uint64_t clock_read(clockid_t id)
{
    struct timespec t = { 0 };

    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
    return clock_read(CLOCK_REALTIME);
}

uint64_t clock_process_ns(pid_t pid)
{
    clockid_t id;

    return clock_getcpuclockid(pid, &id) ? 0 : clock_read(id);
}

struct timeval clock_timeval(uint64_t ns)
{
    return (struct timeval){
        .tv_sec = (time_t)(ns / CLOCK_NS_PER_S),
        .tv_usec = (suseconds_t)(ns % CLOCK_NS_PER_S / 1000),
    };
}

/* The peer read its clock somewhere between our two readings. With equal ways
 * there and back the offset is exact; at worst one way took no time at all,
 * so half the time spent on the wire bounds the error. */
void clock_offset_add(struct clock_offset *o, const struct clock_sample *s)
{
    uint64_t round = s->received - s->sent;
    uint64_t held = s->peer_sent - s->peer_received;

    /* A clock that was set between the readings proves nothing. */
    if (s->received < s->sent || s->peer_sent < s->peer_received ||
        held > round)
        return;
    int64_t there = (int64_t)(s->peer_received - s->sent);
    int64_t back = (int64_t)(s->peer_sent - s->received);
    unsigned slot = o->samples % CLOCK_WINDOW;

    o->window_offset[slot] = there / 2 + back / 2;
    o->window_error[slot] = (round - held) / 2 + 1;
    o->samples++;

    unsigned n = o->samples < CLOCK_WINDOW ? o->samples : CLOCK_WINDOW;
    unsigned best = 0;

    for (unsigned i = 1; i < n; i++)
        if (o->window_error[i] < o->window_error[best])
            best = i;
    o->offset_ns = o->window_offset[best];
    o->error_ns = o->window_error[best];
}
