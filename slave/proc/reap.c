/* reap.c - tells who has died.
 *
 * The kernel also reports here that a child which we trace has stopped,
 * whatever flags are given: that is no end, and somebody has to let it go. One
 * that we do not trace stops and goes on by signals; of these it keeps only the
 * last word. */
#include "slave/proc/reap.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "slave/proc/smallfile.h"

struct reap {
    struct event *event;        /* owned */
    reap_f *dead;
    reap_stop_f *stopped;
    reap_stand_f *stood;        /* or NULL */
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

/* The kernel counts it for each thread, and forgets that of others with them. */
static uint64_t waited_ns(pid_t pid)
{
    char path[48], text[100], *at;

    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
    if (!smallfile_read(path, text, sizeof(text)) || !(at = strchr(text, ' ')))
        return 0;
    return strtoull(at, NULL, 10);
}

/* glibc's waitid() does not pass the usage on. */
static bool wait_some(idtype_t what, pid_t pid, int how, siginfo_t *info,
                      struct rusage *usage)
{
    info->si_pid = 0;
    return syscall(SYS_waitid, what, pid, info,
                   how | WEXITED | WSTOPPED | WCONTINUED | WNOHANG,
                   usage) == 0 && info->si_pid > 0;
}

/* Who is dead is looked at before it is gone for good. */
static bool wait_one(siginfo_t *info, struct reap_usage *usage)
{
    if (!wait_some(P_ALL, 0, WNOWAIT, info, &usage->of))
        return false;
    usage->waited_ns = is_end(info) ? waited_ns(info->si_pid) : 0;
    return wait_some(P_PID, info->si_pid, 0, info, &usage->of);
}

static void on_child(evutil_socket_t sig, short what, void *arg)
{
    struct reap *r = arg;
    struct reap_usage usage;
    siginfo_t info;

    (void)sig, (void)what;
    while (wait_one(&info, &usage))
        if (is_end(&info))
            r->dead(r->arg, info.si_pid, status_of(&info), &usage);
        else if (info.si_code == CLD_TRAPPED)
            r->stopped(r->arg, info.si_pid, info.si_status);
        else if (r->stood)
            r->stood(r->arg, info.si_pid,
                     info.si_code == CLD_STOPPED ? info.si_status : 0);
}

struct reap *reap_open(struct event_base *base, reap_f *dead,
                       reap_stop_f *stopped, reap_stand_f *stood, void *arg,
                       struct err *err)
{
    struct reap *r = calloc(1, sizeof(*r));

    if (!r)
        return err_memory(err), NULL;
    r->dead = dead;
    r->stopped = stopped;
    r->stood = stood;
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

/* ------------------------------------------------------ another's children */

/* The kernel's struct pidfd_info of Linux 6.15, which the headers of older
 * systems do not have; see its include/uapi/linux/pidfd.h. */
struct pidfd_end {
    uint64_t mask, cgroup;
    uint32_t ids[11];           /* processes, users and groups */
    int32_t status;             /* as from wait(2) */
    uint32_t coredump, spare;
};
enum { PIDFD_END = 8, STAT_STATUS = 52, OTHER_LOOKS = 3 };
#define PIDFD_ASK_END _IOWR(0xff, 11, struct pidfd_end)

/* The last word of its line, while its parent has not waited for it. */
static int zombie_status(pid_t pid)
{
    char path[48], text[1024], *at;
    int state = 3;              /* the word after the name in brackets */

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!smallfile_read(path, text, sizeof(text)) || !(at = strrchr(text, ')')))
        return -1;
    while (state <= STAT_STATUS && (at = strchr(at, ' ')) != NULL) {
        at++;
        state++;
    }
    return at ? (int)strtol(at, NULL, 10) : -1;
}

/* Either its parent has waited for it, which newer kernels remember, or it has not,
 * or that happens while we look. */
int reap_other(int pidfd, pid_t pid)
{
    for (int i = 0; i < OTHER_LOOKS; i++) {
        struct pidfd_end end = { .mask = PIDFD_END };
        int status;

        if (ioctl(pidfd, PIDFD_ASK_END, &end) == 0 && (end.mask & PIDFD_END))
            return end.status;
        status = zombie_status(pid);
        if (syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0)
            return status;
    }
    return -1;
}
