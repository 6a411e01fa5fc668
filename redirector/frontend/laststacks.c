/* laststacks.c - where the tasks are, said before a time-out ends them. */
#include "redirector/frontend/laststacks.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/link/timer.h"
#include "redirector/start/child.h"

#define LASTSTACKS_NS (5 * CLOCK_NS_PER_S) /* the person waits for the end */

struct laststacks {
    struct child *child;        /* NULL: it has ended */
    struct event *late;         /* owned */
    void (*done)(void *arg);
    void *arg;
};

static void laststacks_on_exit(void *arg, struct child *c, int status)
{
    struct laststacks *w = arg;

    (void)c, (void)status;
    w->child = NULL;
    event_del(w->late);
    if (w->done)
        w->done(w->arg);
    else
        laststacks_close(w);
}

static void laststacks_on_late(evutil_socket_t fd, short what, void *arg)
{
    struct laststacks *w = arg;

    (void)fd, (void)what;
    if (w->child)
        child_kill(w->child, SIGKILL);
}

struct laststacks *laststacks_ask(struct event_base *base, const char *address,
                                  uint64_t job, void (*done)(void *arg),
                                  void *arg)
{
    struct laststacks *w = calloc(1, sizeof(*w));
    char program[PATHS_MAX], number[24];
    char *argv[] = { program, (char *)"stack", (char *)"--lines",
                     (char *)"-s", (char *)(uintptr_t)address, number, NULL };
    struct child_conf conf = { .who = "stack", .argv = argv, .loud = true,
                               .on_exit = laststacks_on_exit, .arg = w };
    struct err err;

    if (!w) {
        done(arg);
        return NULL;
    }
    snprintf(number, sizeof(number), "%" PRIu64, job);
    w->done = done;
    w->arg = arg;
    w->late = evtimer_new(base, laststacks_on_late, w);
    if (job && w->late && timer_set(w->late, LASTSTACKS_NS) == 0 &&
        paths_sibling("hector", program, sizeof(program), &err) == 0)
        w->child = child_start(base, &conf, &err);
    if (w->child)
        return w;
    laststacks_close(w);
    done(arg);
    return NULL;
}

/* A child that runs keeps what its end needs. */
void laststacks_close(struct laststacks *w)
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
