/* watch.c - see watch.h. */
#include "policies/slow/watch.h"

#include <math.h>

#include "policies/slow/suspicion.h"

enum {
    WITHIN = 10,                /* windows behind a change: what is older was seen
                                   before */
    FASTER = 8,                 /* ... after which faster is usual */
};
static const double faster = 0.9;
/* Who computes so many times as long as before is suspected whatever the pace;
 * and how sure that is: of six deviations, by Chebyshev. */
static const double plain = 1.3, likely = 1 - 1 / 36.0;

/* The pace does not tell, as where communication takes most of the time and
 * varies. Has somebody computed longer for some windows nevertheless? */
static void watch_tasks(struct slow *s, uint32_t phase, uint64_t now_ns)
{
    const struct pace_change c = { .p = likely, .since = SLOW_ALL_WINDOWS,
                                   .times = 1 };
    struct speed_limit limit = s->limit;
    struct speed_found f;
    struct speed_odd odd;
    uint32_t found;
    uint64_t since = speed_since(&s->speed, phase, SLOW_ALL_WINDOWS, &found);

    limit.windows = SLOW_ALL_WINDOWS;
    limit.factor = fmax(limit.factor, plain);
    if (found < SLOW_ALL_WINDOWS)
        return;
    speed_recall(&s->speed, phase, since);
    if (!speed_judge(&s->speed, phase, since, since, &limit, &f, &odd, 1) ||
        f.windows < SLOW_ALL_WINDOWS ||
        (!f.nodd && (f.alike < limit.factor * fmax(f.was, 1) || f.earlier > 1 ||
                     s->pace[phase].n < SLOW_ALL_WINDOWS + SLOW_ALONE)))
        return;
    if (f.moved) {              /* and that is how it is from now on */
        speed_relearn(&s->speed, phase, since);
        return;
    }
    suspicion_raise(s, phase, since, &c, now_ns);
    s->x.by_speed = 1;
}

void watch_window(struct slow *s, uint32_t phase, uint64_t now_ns)
{
    struct pace_change c;
    uint32_t found;
    uint64_t since;

    if (!pace_change(&s->pace[phase], SLOW_RAISED, WITHIN, &c) || c.p < 0.5 ||
        (c.times < slow_least_rise && c.times >= faster)) {
        watch_tasks(s, phase, now_ns);
        return;
    }
    since = speed_since(&s->speed, phase, c.since, &found);
    if (c.times < faster && c.since >= FASTER) {
        speed_relearn(&s->speed, phase, since);
        pace_restart(&s->pace[phase], c.since);
    } else if (c.times >= slow_least_rise && found >= SLOW_RAISED) {
        speed_recall(&s->speed, phase, since ? since - 1 : 0);
        suspicion_raise(s, phase, since, &c, now_ns);
    }
}
