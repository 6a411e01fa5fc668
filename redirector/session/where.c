/* where.c - where the tasks are, said before a time-out ends them. */
#include "redirector/session/where.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/link/timer.h"
#include "redirector/start/child.h"

#define WHERE_NS (5 * CLOCK_NS_PER_S)   /* the person waits for the end */

struct where {
    struct child *child;        /* NULL: it has ended */
    struct event *late;         /* owned */
    void (*done)(void *arg);
    void *arg;
};

static void where_on_exit(void *arg, struct child *c, int status)
{
    struct where *w = arg;

    (void)c, (void)status;
    w->child = NULL;
    event_del(w->late);
    if (w->done)
        w->done(w->arg);
    else
        where_close(w);
}

static void where_on_late(evutil_socket_t fd, short what, void *arg)
{
    struct where *w = arg;

    (void)fd, (void)what;
    if (w->child)
        child_kill(w->child, SIGKILL);
}

struct where *where_ask(struct event_base *base, const char *address,
                        uint64_t job, void (*done)(void *arg), void *arg)
{
    struct where *w = calloc(1, sizeof(*w));
    char program[PATHS_MAX], number[24];
    char *argv[] = { program, (char *)"stack", (char *)"--lines",
                     (char *)"-s", (char *)(uintptr_t)address, number, NULL };
    struct child_conf conf = { .who = "stack", .argv = argv, .loud = true,
                               .on_exit = where_on_exit, .arg = w };
    struct err err;

    if (!w) {
        done(arg);
        return NULL;
    }
    snprintf(number, sizeof(number), "%" PRIu64, job);
    w->done = done;
    w->arg = arg;
    w->late = evtimer_new(base, where_on_late, w);
    if (job && w->late && timer_set(w->late, WHERE_NS) == 0 &&
        paths_sibling("hector", program, sizeof(program), &err) == 0)
        w->child = child_start(base, &conf, &err);
    if (w->child)
        return w;
    where_close(w);
    done(arg);
    return NULL;
}

/* A child that runs keeps what its end needs. */
void where_close(struct where *w)
{
    if (!w)
        return;
    w->done = NULL;
    if (w->child) {
        child_kill(w->child, SIGKILL);
        return;
    }
    timer_free(w->late);
    free(w);
}
