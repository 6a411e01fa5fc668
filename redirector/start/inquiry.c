/* inquiry.c - see inquiry.h. Who is asked may be as slow as a whole cluster:
 * nothing waits for it but its own limit of time. */
#include "redirector/start/inquiry.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "proto/link/timer.h"
#include "redirector/out/say.h"
#include "redirector/start/child.h"

#define INQUIRY_NS (5 * CLOCK_NS_PER_S)
enum { INQUIRY_STRUCK = 3, INQUIRY_WORDS = 16, INQUIRY_TEXT = 8192,
       INQUIRY_NONE = 127 };    /* there is nobody, and will be nobody */

struct inquiry {
    struct event_base *base;    /* borrowed */
    const struct system *system;
    struct child *child;        /* NULL: no question is under way */
    struct event *late;         /* owned; also of what could not be asked */
    size_t n;
    char text[INQUIRY_TEXT];    /* the answer so far */
    bool again;                 /* it is asked once more then */
    unsigned struck;            /* a signal to all of us has ended it so often */
    inquiry_cb done;            /* NULL: closed */
    void *arg;
};

static void inquiry_free(struct inquiry *q)
{
    timer_free(q->late);
    free(q);
}

static void inquiry_on_line(void *arg, const char *line, size_t n)
{
    struct inquiry *q = arg;

    if (n + 1 >= INQUIRY_TEXT - q->n)
        return;
    memcpy(q->text + q->n, line, n);
    q->text[q->n + n] = '\n';
    q->n += n + 1;
}

static void inquiry_on_exit(void *arg, struct child *c, int status)
{
    struct inquiry *q = arg;
    struct system_answer a = { .reason = "" };
    bool good, none;

    (void)c;
    q->child = NULL;
    if (!q->done) {
        inquiry_free(q);
        return;
    }
    event_del(q->late);
    if (q->again || (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL &&
                     q->struck++ < INQUIRY_STRUCK)) {
        q->again = false;
        inquiry_ask(q);
        return;
    }
    q->text[q->n] = '\0';
    none = WIFEXITED(status) && WEXITSTATUS(status) == INQUIRY_NONE;
    good = none || (status == 0 && q->system->answer(q->text,
                                          system_restarts(q->system), &a) == 0);
    if (!good || none)
        say(SAY_VERBOSE, "%s does not tell about job %s", q->system->name,
            system_value(q->system->job));
    q->done(q->arg, good ? &a : NULL);
}

/* It takes too long, or could not even be asked. */
static void inquiry_on_late(evutil_socket_t fd, short what, void *arg)
{
    struct inquiry *q = arg;

    (void)fd, (void)what;
    if (q->child)
        child_kill(q->child, SIGKILL);
    else
        q->done(q->arg, NULL);
}

struct inquiry *inquiry_open(struct event_base *base, inquiry_cb done, void *arg)
{
    const struct system *s = system_here();
    struct inquiry *q = NULL;

    if (s && s->ask && system_value(s->job))
        q = calloc(1, sizeof(*q));
    if (!q)
        return NULL;
    *q = (struct inquiry){ .base = base, .system = s, .done = done, .arg = arg };
    q->late = evtimer_new(base, inquiry_on_late, q);
    if (q->late)
        return q;
    free(q);
    return NULL;
}

void inquiry_ask(struct inquiry *q)
{
    const char *argv[INQUIRY_WORDS];
    struct child_conf conf = { .who = q->system->name, .hushed = true,
                               .on_line = inquiry_on_line,
                               .on_exit = inquiry_on_exit, .arg = q };
    struct err err;
    size_t n = 0;

    if (q->child) {
        q->again = true;
        return;
    }
    while (q->system->ask[n] && n < INQUIRY_WORDS - 2) {
        argv[n] = q->system->ask[n];
        n++;
    }
    argv[n] = system_value(q->system->job);
    argv[n + 1] = NULL;
    conf.argv = (char *const *)(uintptr_t)argv;
    q->n = 0;
    q->child = child_start(q->base, &conf, &err);
    timer_set(q->late, q->child ? INQUIRY_NS : 0);
}

/* A child that runs keeps what its end needs. */
void inquiry_close(struct inquiry *q)
{
    if (!q)
        return;
    q->done = NULL;
    if (q->child)
        child_kill(q->child, SIGKILL);
    else
        inquiry_free(q);
}
