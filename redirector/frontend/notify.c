/* notify.c - see notify.h. The command has a session of its own, what it says goes
 * to our standard error, line by line, and nothing waits for it but our exit. */
#include "redirector/frontend/notify.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "proto/link/timer.h"
#include "redirector/frontend/telling.h"
#include "redirector/out/say.h"
#include "redirector/start/child.h"

/* For the command; for the end of a job that is to be ended in so long at most, and
 * how much longer that may take. */
#define NOTIFY_RUN_NS (10 * CLOCK_NS_PER_S)
#define NOTIFY_SOON_NS (120 * CLOCK_NS_PER_S)
#define NOTIFY_SLACK_NS (45 * CLOCK_NS_PER_S)

struct notice {
    TAILQ_ENTRY(notice) place;
    struct telling *is;         /* owned */
    uint64_t due_ns;            /* then it is run, the job's end or not */
};

struct notify {
    struct event_base *base;    /* borrowed, as the next */
    const char *command;
    struct telling_job of;
    char *batch, *name;         /* owned: of.batch, of.name */
    TAILQ_HEAD(notices, notice) waiting;
    struct child *child;        /* NULL: it does not run */
    struct event *late;         /* owned: it takes too long */
    struct event *due;          /* owned */
    uint64_t over_ns;           /* all has to be done then; 0: nobody waits */
    bool killed, stopped;
    void (*done)(void *arg);    /* or NULL */
    void *arg;
};

/* ----------------------------------------------------------------- running */

static void notify_go_on(struct notify *n);

static void notice_free(struct notify *n, struct notice *k)
{
    TAILQ_REMOVE(&n->waiting, k, place);
    telling_free(k->is);
    free(k);
}

static void notify_on_exit(void *arg, struct child *c, int status)
{
    struct notify *n = arg;
    char fate[80];

    (void)c;
    n->child = NULL;
    if (n->stopped)
        return;
    event_del(n->late);
    if (n->killed)
        say(SAY_ERROR, "--notify: the command took longer than 10 s, and was killed");
    else if (status != 0)
        say(SAY_ERROR, "--notify: the command %s",
            child_fate(status, fate, sizeof(fate)));
    n->killed = false;
    notify_go_on(n);
}

static void notify_on_late(evutil_socket_t fd, short what, void *arg)
{
    struct notify *n = arg;

    (void)fd, (void)what;
    n->killed = true;
    if (n->child)
        child_kill(n->child, SIGKILL);
}

static void notify_run(struct notify *n, struct notice *k)
{
    const char *argv[] = { "/bin/sh", "-c", n->command, NULL };
    struct child_conf conf = { .who = "notify", .loud = true,
                               .argv = (char *const *)(uintptr_t)argv,
                               .on_exit = notify_on_exit, .arg = n };
    uint64_t now_ns = clock_monotonic_ns(), most_ns = NOTIFY_RUN_NS;
    struct str text = { 0 };
    struct err err;
    int rc = telling_text(k->is, &n->of, &text);

    if (n->over_ns && n->over_ns < now_ns + most_ns)
        most_ns = n->over_ns > now_ns ? n->over_ns - now_ns : 0;
    conf.input = str_text(&text);
    if (rc)
        say(SAY_ERROR, "--notify: out of memory");
    else if (most_ns == 0)
        say(SAY_ERROR, "--notify: there is no time left for the command");
    else if (!(n->child = child_start(n->base, &conf, &err)))
        say(SAY_ERROR, "--notify: %s", err.text);
    else
        timer_set(n->late, most_ns);
    str_fini(&text);
    notice_free(n, k);
}

/* The first whose time has come. */
static struct notice *notify_next(const struct notify *n, uint64_t *due_ns)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct notice *k;

    *due_ns = UINT64_MAX;
    TAILQ_FOREACH(k, &n->waiting, place) {
        if (n->of.ended || k->due_ns <= now_ns)
            return k;
        if (k->due_ns < *due_ns)
            *due_ns = k->due_ns;
    }
    return NULL;
}

static void notify_go_on(struct notify *n)
{
    uint64_t due_ns = UINT64_MAX;
    struct notice *k;

    while (!n->child && (k = notify_next(n, &due_ns)))
        notify_run(n, k);
    if (!n->child && due_ns != UINT64_MAX)
        timer_set(n->due, due_ns - clock_monotonic_ns());
    if (!n->child && TAILQ_EMPTY(&n->waiting) && n->done)
        n->done(n->arg);
}

static void notify_on_due(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    notify_go_on(arg);
}

/* -------------------------------------------------------------------- life */

struct notify *notify_open(struct event_base *base, const char *command,
                           uint32_t ntasks, const char *batch)
{
    struct notify *n = command ? calloc(1, sizeof(*n)) : NULL;

    if (!n)
        return NULL;
    n->base = base;
    n->command = command;
    n->of.ntasks = ntasks;
    n->of.batch = n->batch = batch ? strdup(batch) : NULL;
    TAILQ_INIT(&n->waiting);
    n->late = evtimer_new(base, notify_on_late, n);
    n->due = evtimer_new(base, notify_on_due, n);
    if (n->late && n->due)
        return n;
    notify_close(n);
    return NULL;
}

void notify_job(struct notify *n, uint64_t job, const char *name)
{
    if (!n)
        return;
    n->of.job = job;
    free(n->name);
    n->of.name = n->name = strdup(name);
}

void notify_finding(struct notify *n, const Hct__Finding *m)
{
    struct notice *k = n ? calloc(1, sizeof(*k)) : NULL;

    if (!k)
        return;
    k->is = telling_make(m);
    if (!k->is) {
        free(k);
        return;
    }
    k->due_ns = clock_monotonic_ns();
    if (m->ends && m->ends_in_ns <= NOTIFY_SOON_NS)
        k->due_ns += m->ends_in_ns + NOTIFY_SLACK_NS;
    TAILQ_INSERT_TAIL(&n->waiting, k, place);
    notify_go_on(n);
}

void notify_ended(struct notify *n, const Hct__JobEnded *m)
{
    if (!n)
        return;
    n->of.ended = true;
    n->of.exit_code = m->exit_code;
    n->of.left_ns = m->left_ns;
    n->of.percent = m->left_percent;
    n->of.node_hours = m->node_hours;
    n->of.core_hours = m->core_hours;
    n->over_ns = clock_monotonic_ns() + NOTIFY_RUN_NS;
    if (n->child)               /* it has had some of its time */
        timer_set(n->late, NOTIFY_RUN_NS);
    notify_go_on(n);
}

bool notify_is_idle(struct notify *n, void (*done)(void *arg), void *arg)
{
    if (!n || (!n->child && TAILQ_EMPTY(&n->waiting)))
        return true;
    n->of.ended = true;            /* it may have gone on without a word of its end */
    if (!n->over_ns)
        n->over_ns = clock_monotonic_ns() + NOTIFY_RUN_NS;
    n->done = done;
    n->arg = arg;
    if (!n->child)
        notify_go_on(n);
    return false;
}

void notify_stop(struct notify *n)
{
    if (!n)
        return;
    n->stopped = true;
    if (n->child)
        child_kill(n->child, SIGKILL);
}

void notify_close(struct notify *n)
{
    struct notice *k;

    if (!n)
        return;
    while ((k = TAILQ_FIRST(&n->waiting)))
        notice_free(n, k);
    timer_free(n->late);
    timer_free(n->due);
    free(n->batch);
    free(n->name);
    free(n);
}
