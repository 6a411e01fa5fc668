/* suspend.c - stops hector-run when its last message has gone out. */
#include "redirector/in/suspend.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/link/timer.h"
#include "redirector/in/terminal.h"
#include "redirector/out/say.h"

#define SUSPEND_WAIT_NS (500 * CLOCK_NS_PER_MS)
#define SUSPEND_STEP_NS (5 * CLOCK_NS_PER_MS)

struct suspend {
    struct event *timer;        /* owned */
    struct uplink *uplink;      /* borrowed; may be NULL */
    uint64_t since_ns;
    void (*went_on)(void *arg); /* or NULL */
    void *arg;
};

static void suspend_later(struct suspend *s)
{
    timer_set(s->timer, SUSPEND_STEP_NS);
}

static void suspend_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct suspend *s = arg;

    (void)fd;
    (void)what;
    if (s->uplink && !uplink_is_flushed(s->uplink) &&
        clock_monotonic_ns() - s->since_ns < SUSPEND_WAIT_NS) {
        suspend_later(s);
        return;
    }
    say_erase();
    terminal_suspend();
    kill(getpid(), SIGSTOP);
    /* Here somebody has continued us. */
    terminal_resume();
    if (s->uplink)
        uplink_signal(s->uplink, SIGCONT);
    if (s->went_on)
        s->went_on(s->arg);
}

struct suspend *suspend_open(struct event_base *base, void (*went_on)(void *arg),
                             void *arg)
{
    struct suspend *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->went_on = went_on;
    s->arg = arg;
    s->timer = evtimer_new(base, suspend_on_timer, s);
    if (!s->timer) {
        free(s);
        return NULL;
    }
    return s;
}

void suspend_begin(struct suspend *s, struct uplink *u)
{
    s->uplink = u;
    s->since_ns = clock_monotonic_ns();
    if (u)
        uplink_signal(u, SIGSTOP);
    suspend_later(s);
}

void suspend_forget(struct suspend *s)
{
    s->uplink = NULL;
}

void suspend_close(struct suspend *s)
{
    if (!s)
        return;
    event_free(s->timer);
    free(s);
}
