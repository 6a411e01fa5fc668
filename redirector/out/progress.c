/* progress.c - when the line of progress is shown, and what it says; how is
 * say.c's affair. */
#include "redirector/out/progress.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/link/timer.h"
#include "redirector/out/say.h"

#define PROGRESS_AFTER_NS CLOCK_NS_PER_S
#define PROGRESS_AGAIN_NS (CLOCK_NS_PER_S / 2)

struct progress {
    struct event *timer;        /* owned */
    const char *text;
};

/* Again and again, as other words erase the line. */
static void progress_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct progress *p = arg;

    (void)fd;
    (void)what;
    say_progress(p->text);
    timer_set(p->timer, PROGRESS_AGAIN_NS);
}

struct progress *progress_open(struct event_base *base)
{
    struct progress *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->timer = evtimer_new(base, progress_on_timer, p);
    if (!p->timer) {
        free(p);
        return NULL;
    }
    p->text = "starting ...";
    timer_set(p->timer, PROGRESS_AFTER_NS);
    return p;
}

void progress_set(struct progress *p, const char *state)
{
    static const struct { const char *state, *text; } table[] = {
        { "waiting", "waiting for hosts to join ..." },
        { "preparing", "preparing the nodes ..." },
        { "starting", "starting the tasks ..." },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].state, state) == 0)
            p->text = table[i].text;
}

void progress_end(struct progress *p)
{
    event_del(p->timer);
    say_erase();
}

void progress_close(struct progress *p)
{
    if (!p)
        return;
    event_free(p->timer);
    free(p);
}
