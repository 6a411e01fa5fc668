/* notify.c - see notify.h. The command has a session of its own, what it says goes
 * to our standard error, line by line, and nothing waits for it but our exit. */
#include "redirector/frontend/notify.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "proto/link/timer.h"
#include "redirector/out/say.h"
#include "redirector/start/child.h"

/* For the command; for the end of a job that is to be ended in so long at most, and
 * how much longer that may take. */
#define NOTIFY_RUN_NS (10 * CLOCK_NS_PER_S)
#define NOTIFY_SOON_NS (120 * CLOCK_NS_PER_S)
#define NOTIFY_SLACK_NS (45 * CLOCK_NS_PER_S)

/* A pipe holds 64 KiB; a text that is longer than that ends there. */
enum { NOTIFY_BYTES = 50000, NOTIFY_TEXT = 1000 };

struct notice {
    TAILQ_ENTRY(notice) place;
    struct str is;              /* the object, up to what is known at the end */
    uint64_t due_ns;            /* then it is run, the job's end or not */
};

struct notify {
    struct event_base *base;    /* borrowed, as the next */
    const char *command;
    uint32_t ntasks;
    uint64_t job;               /* 0: not known yet */
    char *batch, *name;         /* owned; NULL: none, or not known */
    TAILQ_HEAD(notices, notice) waiting;
    struct child *child;        /* NULL: it does not run */
    struct event *late;         /* owned: it takes too long */
    struct event *due;          /* owned */
    bool ended;                 /* the job has, so: */
    int exit_code;
    uint64_t left_ns;
    double percent, node_hours, core_hours;
    uint64_t over_ns;           /* all has to be done then; 0: nobody waits */
    bool killed, stopped;
    void (*done)(void *arg);    /* or NULL */
    void *arg;
};

/* -------------------------------------------------------------------- JSON */

static void add_text(struct str *to, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n;

    str_add(to, "\"");
    for (; *p && p < (const unsigned char *)text + NOTIFY_TEXT; p += n) {
        n = str_character(p, 4);
        if (n == 0) {
            str_add(to, "?");
            n = 1;
        } else if (*p < 0x20 || *p == 0x7f)
            str_addf(to, "\\u%04x", *p);
        else if (*p == '"' || *p == '\\')
            str_addf(to, "\\%c", *p);
        else
            str_add_bytes(to, p, n);
    }
    str_add(to, "\"");
}

/* "name":"text", and null for what is not known. */
static void add_named(struct str *to, const char *name, const char *text)
{
    str_addf(to, "\"%s\":", name);
    if (text && *text)
        add_text(to, text);
    else
        str_add(to, "null");
}

static void add_next(struct str *to, const char *name, const char *text)
{
    str_add(to, ",");
    add_named(to, name, text);
}

static void add_where(struct str *to, const Hct__FindingTask *w)
{
    str_addf(to, "{\"rank\":%" PRIu32 ",", w->rank);
    add_named(to, "node", w->node);
    add_next(to, "function", w->function);
    add_next(to, "file", w->file);
    if (w->line)
        str_addf(to, ",\"line\":%" PRIu32 ",", w->line);
    else
        str_add(to, ",\"line\":null,");
    add_named(to, "text", w->text);
    str_add(to, "}");
}

static void add_verdict(struct str *to, const Hct__Finding *m)
{
    str_add(to, "{\"verdict\":{");
    add_named(to, "policy", m->policy);
    add_next(to, "kind", m->kind);
    add_next(to, "phase", m->phase);
    add_next(to, "ranks", m->ranks);
    add_next(to, "why", m->why);
    add_next(to, "next", m->next);
    str_addf(to, ",\"score\":%.9g,\"at_ns\":%" PRIu64 ",\"age_ns\":%" PRIu64 "},"
             "\"where\":[", m->score, m->at_ns, m->age_ns);
    for (size_t i = 0; i < m->n_where && to->n < NOTIFY_BYTES; i++) {
        str_add(to, i ? "," : "");
        add_where(to, m->where[i]);
    }
    str_add(to, "]");
}

static void add_end(const struct notify *n, struct str *to)
{
    str_addf(to, ",\"job\":{\"job\":%" PRIu64 ",", n->job);
    add_named(to, "name", n->name);
    str_addf(to, ",\"ntasks\":%" PRIu32 ",", n->ntasks);
    add_named(to, "batch", n->batch);
    if (n->ended)
        str_addf(to, ",\"exit_code\":%d}", n->exit_code);
    else
        str_add(to, ",\"exit_code\":null}");
    if (n->left_ns)
        str_addf(to, ",\"saved\":{\"left_ns\":%" PRIu64 ",\"percent\":%.6g,"
                 "\"node_hours\":%.9g,\"core_hours\":%.9g}}\n", n->left_ns,
                 n->percent, n->node_hours, n->core_hours);
    else
        str_add(to, ",\"saved\":null}\n");
}

/* ----------------------------------------------------------------- running */

static void notify_go_on(struct notify *n);

static void notice_free(struct notify *n, struct notice *k)
{
    TAILQ_REMOVE(&n->waiting, k, place);
    str_fini(&k->is);
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
    struct err err;

    if (n->over_ns && n->over_ns < now_ns + most_ns)
        most_ns = n->over_ns > now_ns ? n->over_ns - now_ns : 0;
    conf.input = str_text(&k->is);
    if (most_ns == 0)
        say(SAY_ERROR, "--notify: there is no time left for the command");
    else if (!(n->child = child_start(n->base, &conf, &err)))
        say(SAY_ERROR, "--notify: %s", err.text);
    else
        timer_set(n->late, most_ns);
    notice_free(n, k);
}

/* The first whose time has come. */
static struct notice *notify_next(const struct notify *n, uint64_t *due_ns)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct notice *k;

    *due_ns = UINT64_MAX;
    TAILQ_FOREACH(k, &n->waiting, place) {
        if (n->ended || k->due_ns <= now_ns)
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

    while (!n->child && (k = notify_next(n, &due_ns))) {
        add_end(n, &k->is);
        notify_run(n, k);
    }
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
    n->ntasks = ntasks;
    n->batch = batch ? strdup(batch) : NULL;
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
    n->job = job;
    free(n->name);
    n->name = strdup(name);
}

void notify_finding(struct notify *n, const Hct__Finding *m)
{
    struct notice *k = n ? calloc(1, sizeof(*k)) : NULL;

    if (!k)
        return;
    k->due_ns = clock_monotonic_ns();
    if (m->ends && m->ends_in_ns <= NOTIFY_SOON_NS)
        k->due_ns += m->ends_in_ns + NOTIFY_SLACK_NS;
    add_verdict(&k->is, m);
    TAILQ_INSERT_TAIL(&n->waiting, k, place);
    notify_go_on(n);
}

void notify_ended(struct notify *n, const Hct__JobEnded *m)
{
    if (!n)
        return;
    n->ended = true;
    n->exit_code = m->exit_code;
    n->left_ns = m->left_ns;
    n->percent = m->left_percent;
    n->node_hours = m->node_hours;
    n->core_hours = m->core_hours;
    n->over_ns = clock_monotonic_ns() + NOTIFY_RUN_NS;
    if (n->child)               /* it has had some of its time */
        timer_set(n->late, NOTIFY_RUN_NS);
    notify_go_on(n);
}

bool notify_is_idle(struct notify *n, void (*done)(void *arg), void *arg)
{
    if (!n || (!n->child && TAILQ_EMPTY(&n->waiting)))
        return true;
    n->ended = true;            /* it may have gone on without a word of its end */
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
