/* watch.c - see watch.h. */
#include "policies/slow/watch.h"

#include "policies/slow/suspects.h"
#include "policies/slow/suspicion.h"

enum {
    WITHIN = 10,                /* windows behind a change: what is older was seen
                                   before */
    FASTER = 8,                 /* ... after which faster is usual */
};
static const double faster = 0.9;

/* How it was just before that window, and before what somebody was suspected
 * of. */
static void recall(struct slow *s, uint32_t phase, uint64_t since)
{
    uint64_t doubt = s->doubt[phase];

    if (doubt && doubt - 1 < since && doubt - 1 >= speed_first(&s->speed))
        since = doubt - 1;
    speed_recall(&s->speed, phase, since);
}

/* The pace does not tell. */
static void watch_tasks(struct slow *s, uint32_t phase, uint64_t now_ns)
{
    uint32_t found;
    uint64_t since = speed_since(&s->speed, phase, SLOW_ALL_WINDOWS, &found);

    if (found < SLOW_ALL_WINDOWS ||
        !odd_may_be(&s->speed, phase, since, slow_plain))
        return;
    recall(s, phase, since);
    switch (suspects_alone(s, phase)) {
    case SUSPECTS_NONE:
        return;
    case SUSPECTS_MOVED:        /* and that is how it is from now on */
        speed_relearn(&s->speed, phase, since);
        return;
    case SUSPECTS_SOME:
    case SUSPECTS_ALL:
        suspicion_raise_alone(s, phase, now_ns);
    }
}

void watch_window(struct slow *s, uint32_t phase, uint64_t now_ns)
{
    struct pace_change c;
    uint32_t found = 0;
    uint64_t since = 0;
    bool changed = pace_change(&s->pace[phase], SLOW_RAISED, WITHIN, &c) &&
                   c.p >= 0.5;

    if (changed)
        since = speed_since(&s->speed, phase, c.since, &found);
    if (changed && c.times >= slow_least_rise) {
        if (found < SLOW_RAISED)
            return;
        speed_recall(&s->speed, phase, since ? since - 1 : 0);
        suspicion_raise(s, phase, since, &c, now_ns);
        return;
    }
    /* Who has become slow while the job became faster must not be what is usual
     * from then on. */
    watch_tasks(s, phase, now_ns);
    if (s->x.stage == SLOW_WATCH && changed && c.times < faster &&
        c.since >= FASTER) {
        speed_relearn(&s->speed, phase, since);
        pace_restart(&s->pace[phase], c.since);
    }
}
