/* pace.c - see pace.h. */
#include "slave/effort/pace.h"

#include <stdlib.h>

#include "hct.pb-c.h"
#include "proto/base/clock.h"
#include "proto/link/message.h"
#include "proto/link/timer.h"
#include "slave/proc/load.h"

static const uint64_t look_ns = 5 * CLOCK_NS_PER_S;

struct pace {
    struct uplink *uplink;      /* borrowed */
    struct event *timer;        /* owned */
    double speed, part;         /* as it was told */
    unsigned cpus;              /* that the master knows of; 0: none does */
};

static void say(const struct pace *p)
{
    Hct__Pace m = HCT__PACE__INIT;

    m.speed = p->speed;
    m.part = p->part;
    uplink_send(p->uplink, MESSAGE_PACE, &m);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct pace *p = arg;
    double part;

    (void)fd, (void)what;
    if (!p->cpus)
        return;
    part = load_part(p->cpus);
    if (part == p->part)
        return;
    p->part = part;
    say(p);
}

void pace_tell(struct pace *p)
{
    p->cpus = load_cpus();
    p->part = load_part(p->cpus);
    say(p);
}

struct pace *pace_open(struct event_base *base, struct uplink *uplink,
                       struct err *err)
{
    struct pace *p = calloc(1, sizeof(*p));

    if (!p)
        return err_memory(err), NULL;
    p->uplink = uplink;
    p->speed = load_speed();
    p->timer = event_new(base, -1, EV_PERSIST, on_timer, p);
    if (p->timer && timer_set(p->timer, look_ns) == 0)
        return p;
    pace_close(p);
    return err_memory(err), NULL;
}

void pace_close(struct pace *p)
{
    if (!p)
        return;
    timer_free(p->timer);
    free(p);
}
