/* reap.c - tells who has died.
 *
 * The kernel also reports here that a child which we trace has stopped,
 * whatever flags are given: that is no end, and somebody has to let it go. */
#include "slave/proc/reap.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct reap {
    struct event *event;        /* owned */
    reap_f *dead;
    reap_stop_f *stopped;
    void *arg;
};

static bool is_end(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
           info->si_code == CLD_DUMPED;
}

/* As from wait(2). */
static int status_of(const siginfo_t *info)
{
    switch (info->si_code) {
    case CLD_EXITED: return (info->si_status & 0xff) << 8;
    case CLD_DUMPED: return (info->si_status & 0x7f) | 0x80;
    default: return info->si_status & 0x7f;
    }
}

/* glibc's waitid() does not pass the usage on. */
static bool wait_one(siginfo_t *info, struct rusage *usage)
{
    info->si_pid = 0;
    return syscall(SYS_waitid, P_ALL, 0, info, WEXITED | WNOHANG, usage) == 0 &&
           info->si_pid > 0;
}

static void on_child(evutil_socket_t sig, short what, void *arg)
{
    struct reap *r = arg;
    struct rusage usage;
    siginfo_t info;

    (void)sig, (void)what;
    while (wait_one(&info, &usage))
        if (is_end(&info))
            r->dead(r->arg, info.si_pid, status_of(&info), &usage);
        else
            r->stopped(r->arg, info.si_pid, info.si_status);
}

struct reap *reap_open(struct event_base *base, reap_f *dead,
                       reap_stop_f *stopped, void *arg, struct err *err)
{
    struct reap *r = calloc(1, sizeof(*r));

    if (!r)
        return err_memory(err), NULL;
    r->dead = dead;
    r->stopped = stopped;
    r->arg = arg;
    r->event = evsignal_new(base, SIGCHLD, on_child, r);
    if (r->event && !event_add(r->event, NULL))
        return r;
    reap_close(r);
    return err_memory(err), NULL;
}

void reap_close(struct reap *r)
{
    if (!r)
        return;
    if (r->event)
        event_free(r->event);
    free(r);
}
