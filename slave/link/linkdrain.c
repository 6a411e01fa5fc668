/* linkdrain.c - links that are closed, but whose last bytes are still under
 * way. Invariant: links holds those whose conn has not ended. */
#include "slave/link/linkdrain.h"

#include <stdbool.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/link/timer.h"

/* A peer sends a Ping every other second, unless it is stopped or gone. */
#define PARTING_SILENCE_NS (5 * CLOCK_NS_PER_S)

struct linkdrain_link {
    LIST_ENTRY(linkdrain_link) place;
    struct linkdrain *owner;      /* borrowed */
    const struct conn *c;       /* its own */
};

static void linkdrain_on_closed(void *arg)
{
    struct linkdrain_link *k = arg;

    LIST_REMOVE(k, place);
    if (LIST_EMPTY(&k->owner->links) && k->owner->over)
        event_active(k->owner->over, EV_TIMEOUT, 0);
    free(k);
}

void linkdrain_add(struct linkdrain *p, struct conn *c)
{
    struct linkdrain_link *k = malloc(sizeof(*k));

    if (!k) {
        conn_close_flushed(c);
        return;
    }
    *k = (struct linkdrain_link){ .owner = p, .c = c };
    LIST_INSERT_HEAD(&p->links, k, place);
    conn_close_then(c, linkdrain_on_closed, k);
}

static bool linkdrain_is_alive(const struct linkdrain *p)
{
    const struct linkdrain_link *k;

    LIST_FOREACH(k, &p->links, place)
        if (conn_silence_ns(k->c) < PARTING_SILENCE_NS)
            return true;
    return false;
}

static void linkdrain_on_time(evutil_socket_t fd, short what, void *over)
{
    (void)fd, (void)what;
    *(bool *)over = true;
}

void linkdrain_wait(const struct linkdrain *p, struct event_base *base,
                    uint64_t max_ns)
{
    bool over = false;
    struct event *timer = max_ns ? evtimer_new(base, linkdrain_on_time, &over)
                                 : NULL;

    if (timer)
        timer_set(timer, max_ns);
    while (!over && linkdrain_is_alive(p) &&
           event_base_loop(base, EVLOOP_ONCE) == 0)
        ;
    if (timer)
        event_free(timer);
}
