/* reap.c - tells who has died. */
#include "slave/reap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

struct reap {
    struct event *event;        /* owned */
    reap_f *dead;
    void *arg;
};

static void on_child(evutil_socket_t sig, short what, void *arg)
{
    struct reap *r = arg;
    struct rusage usage;
    int status;
    pid_t pid;

    (void)sig, (void)what;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
        r->dead(r->arg, pid, status, &usage);
}

struct reap *reap_open(struct event_base *base, reap_f *dead, void *arg,
                       struct err *err)
{
    struct reap *r = calloc(1, sizeof(*r));

    if (!r)
        return err_set(err, ENOMEM, "out of memory"), NULL;
    r->dead = dead;
    r->arg = arg;
    r->event = evsignal_new(base, SIGCHLD, on_child, r);
    if (r->event && !event_add(r->event, NULL))
        return r;
    reap_close(r);
    return err_set(err, ENOMEM, "out of memory"), NULL;
}

void reap_close(struct reap *r)
{
    if (!r)
        return;
    if (r->event)
        event_free(r->event);
    free(r);
}
