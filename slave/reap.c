/* reap.c - tells who has died.
 *
 * Only ends are waited for: that a child which we trace has stopped is for
 * halt.c to see. wait4(2) would take both. */
#include "slave/reap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct reap {
    struct event *event;        /* owned */
    reap_f *dead;
    void *arg;
};

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
static pid_t wait_end(int *status, struct rusage *usage)
{
    siginfo_t info = { .si_pid = 0 };

    if (syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG, usage))
        return -1;
    *status = status_of(&info);
    return info.si_pid;
}

static void on_child(evutil_socket_t sig, short what, void *arg)
{
    struct reap *r = arg;
    struct rusage usage;
    int status;
    pid_t pid;

    (void)sig, (void)what;
    while ((pid = wait_end(&status, &usage)) > 0)
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
