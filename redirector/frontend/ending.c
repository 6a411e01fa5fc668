/* ending.c - one timer, for whichever request was the last; see ending.h. */
#include "redirector/frontend/ending.h"

#include "proto/base/clock.h"
#include "proto/link/timer.h"

/* For a private master to begin; for all to be over, where what is left can be
 * killed after that, and where there is nothing to be killed. */
#define ENDING_BEGIN_NS (10 * CLOCK_NS_PER_S)
#define ENDING_KILL_NS (600 * CLOCK_NS_PER_MS)
#define ENDING_LEAVE_NS (1800 * CLOCK_NS_PER_MS)

static void ending_on_late(evutil_socket_t fd, short what, void *arg)
{
    struct ending *e = arg;

    (void)fd, (void)what;
    if (e->asked > 1)
        e->over(e->arg);
    else
        e->stuck(e->arg);
}

int ending_open(struct ending *e, struct event_base *base)
{
    e->late = evtimer_new(base, ending_on_late, e);
    return e->late ? 0 : -1;
}

void ending_close(struct ending *e)
{
    timer_free(e->late);
    e->late = NULL;
}

static void ending_wait(struct ending *e, uint64_t ns)
{
    timer_set(e->late, ns);
}

int ending_ask(struct ending *e, int signal)
{
    e->signal = signal;
    e->asked++;
    if (e->asked > 1)
        ending_wait(e, e->private ? ENDING_KILL_NS : ENDING_LEAVE_NS);
    else if (e->private && !e->begun)
        ending_wait(e, ENDING_BEGIN_NS);
    return e->asked;
}

void ending_begun(struct ending *e)
{
    e->begun = true;
    if (e->asked < 2)
        event_del(e->late);
}

void ending_forget(struct ending *e)
{
    e->begun = false;
}
