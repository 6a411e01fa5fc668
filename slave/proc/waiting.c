/* waiting.c - what a process waits for, see waiting.h. */
#include "slave/proc/waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "policies/hct_policy.h"
#include "proto/base/clock.h"
#include "slave/proc/smallfile.h"

enum { WAITING_PATH = 256, CLOCK_ABSOLUTE = 1 };

/* How the arguments of a system call say what it waits for. */
enum form {
    FORM_TIMESPEC,              /* the argument points to one; NULL: see fd */
    FORM_TIMEVAL,
    FORM_MILLISECONDS,          /* below 0: see fd */
    FORM_CLOCK,                 /* clock, flags, timespec */
    FORM_CHILD,                 /* the argument is its pid, or says nothing */
    FORM_FD,                    /* ... a descriptor */
    FORM_LOCK,                  /* ... one of a file that is locked */
    FORM_SETLK,                 /* the same, if the second one says so */
    FORM_PATH,                  /* ... points to a path */
    FORM_SIGNAL,
    FORM_THREAD,
};

static const struct rule {
    int number;
    enum form form;
    int arg;                    /* which */
    int fd;                     /* without a time: the argument that is a
                                   descriptor; -1: there is none, it waits for
                                   a signal; -2: nor that */
} rules[] = {
    { SYS_nanosleep, FORM_TIMESPEC, 0, -2 },
    { SYS_clock_nanosleep, FORM_CLOCK, 2, -2 },
    { SYS_ppoll, FORM_TIMESPEC, 2, -2 },
    { SYS_pselect6, FORM_TIMESPEC, 4, -2 },
    { SYS_rt_sigtimedwait, FORM_TIMESPEC, 2, -1 },
    { SYS_rt_sigsuspend, FORM_SIGNAL, 0, -1 },
    { SYS_epoll_pwait, FORM_MILLISECONDS, 3, 0 },
#ifdef SYS_epoll_wait
    { SYS_epoll_wait, FORM_MILLISECONDS, 3, 0 },
#endif
#ifdef SYS_poll
    { SYS_poll, FORM_MILLISECONDS, 2, -2 },
#endif
#ifdef SYS_select
    { SYS_select, FORM_TIMEVAL, 4, -2 },
#endif
#ifdef SYS_pause
    { SYS_pause, FORM_SIGNAL, 0, -1 },
#endif
    { SYS_wait4, FORM_CHILD, 0, -1 },
    { SYS_waitid, FORM_CHILD, 1, -1 },
    { SYS_futex, FORM_THREAD, 0, -1 },
    { SYS_flock, FORM_LOCK, 0, -1 },
    { SYS_fcntl, FORM_SETLK, 0, -1 },
    { SYS_openat, FORM_PATH, 1, -1 },
#ifdef SYS_open
    { SYS_open, FORM_PATH, 0, -1 },
#endif
    { SYS_read, FORM_FD, 0, -1 }, { SYS_write, FORM_FD, 0, -1 },
    { SYS_readv, FORM_FD, 0, -1 }, { SYS_writev, FORM_FD, 0, -1 },
    { SYS_pread64, FORM_FD, 0, -1 }, { SYS_pwrite64, FORM_FD, 0, -1 },
    { SYS_recvfrom, FORM_FD, 0, -1 }, { SYS_recvmsg, FORM_FD, 0, -1 },
    { SYS_sendto, FORM_FD, 0, -1 }, { SYS_sendmsg, FORM_FD, 0, -1 },
    { SYS_accept, FORM_FD, 0, -1 }, { SYS_accept4, FORM_FD, 0, -1 },
    { SYS_connect, FORM_FD, 0, -1 }, { SYS_ioctl, FORM_FD, 0, -1 },
    { SYS_fsync, FORM_FD, 0, -1 }, { SYS_fdatasync, FORM_FD, 0, -1 },
    { SYS_splice, FORM_FD, 0, -1 }, { SYS_sendfile, FORM_FD, 0, -1 },
};

static bool peer_bytes(pid_t pid, uint64_t at, void *to, size_t n)
{
    struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static void take_name(struct waiting *w, const char *path)
{
    const char *slash = strrchr(path, '/');

    snprintf(w->name, sizeof(w->name), "%.39s",
             slash && slash[1] ? slash + 1 : path);
}

/* ------------------------------------------------------------------- times */

static uint64_t to_ns(int64_t s, int64_t ns)
{
    if (s < 0 || ns < 0 || (uint64_t)s > UINT64_MAX / CLOCK_NS_PER_S - 2)
        return 0;
    return (uint64_t)s * CLOCK_NS_PER_S + (uint64_t)ns;
}

static void take_timespec(struct waiting *w, pid_t pid, uint64_t at)
{
    struct timespec t;

    w->what = HCT_WAITS_TIME;
    if (peer_bytes(pid, at, &t, sizeof(t)))
        w->ns = to_ns(t.tv_sec, t.tv_nsec);
}

static void take_timeval(struct waiting *w, pid_t pid, uint64_t at)
{
    struct timeval t;

    w->what = HCT_WAITS_TIME;
    if (peer_bytes(pid, at, &t, sizeof(t)))
        w->ns = to_ns(t.tv_sec, t.tv_usec * 1000);
}

static void take_clock(struct waiting *w, pid_t pid, const uint64_t arg[6])
{
    struct timespec now;
    uint64_t now_ns;

    take_timespec(w, pid, arg[2]);
    if (!(arg[1] & CLOCK_ABSOLUTE) || !w->ns)
        return;
    now_ns = clock_gettime((clockid_t)arg[0], &now)
        ? 0 : to_ns(now.tv_sec, now.tv_nsec);
    w->ns = now_ns && w->ns > now_ns ? w->ns - now_ns : 0;
}

/* ----------------------------------------------------------------- objects */

static void take_fd(struct waiting *w, pid_t pid, int fd)
{
    char link[64], to[WAITING_PATH];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
    n = readlink(link, to, sizeof(to) - 1);
    to[n > 0 ? n : 0] = '\0';
    w->what = n <= 0 ? HCT_WAITS_OTHER
              : strncmp(to, "pipe:", 5) == 0 ? HCT_WAITS_PIPE
              : strncmp(to, "socket:", 7) == 0 ? HCT_WAITS_SOCKET
              : strncmp(to, "/dev/", 5) == 0 ? HCT_WAITS_DEVICE
                                             : HCT_WAITS_FILE;
    if (w->what == HCT_WAITS_DEVICE || w->what == HCT_WAITS_FILE)
        take_name(w, to);
}

static void take_path(struct waiting *w, pid_t pid, uint64_t at)
{
    char path[WAITING_PATH];
    size_t n = 0;

    w->what = HCT_WAITS_FILE;
    while (n + 1 < sizeof(path) && peer_bytes(pid, at + n, path + n, 1) &&
           path[n])
        n++;
    path[n] = '\0';
    take_name(w, path);
}

static void take_child(struct waiting *w, pid_t pid, int child)
{
    char path[64], text[256];

    w->what = HCT_WAITS_CHILD;
    if (child <= 0) {
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
                 (int)pid);
        if (!smallfile_read(path, text, sizeof(text)))
            return;
        child = atoi(text);
    }
    snprintf(path, sizeof(path), "/proc/%d/comm", child);
    if (child <= 0 || !smallfile_read(path, text, sizeof(text)))
        return;
    text[strcspn(text, "\n")] = '\0';
    snprintf(w->name, sizeof(w->name), "pid %d (%.16s)", child, text);
}

static void without_time(struct waiting *w, pid_t pid, const struct rule *r,
                         const uint64_t arg[6])
{
    if (r->fd == -1)
        w->what = HCT_WAITS_SIGNAL;
    else if (r->fd >= 0)
        take_fd(w, pid, (int)arg[r->fd]);
}

static void apply(struct waiting *w, pid_t pid, const struct rule *r,
                  const uint64_t arg[6])
{
    uint64_t a = arg[r->arg];

    switch (r->form) {
    case FORM_TIMESPEC:
        a ? take_timespec(w, pid, a) : without_time(w, pid, r, arg);
        break;
    case FORM_TIMEVAL:
        a ? take_timeval(w, pid, a) : without_time(w, pid, r, arg);
        break;
    case FORM_MILLISECONDS:
        if ((int32_t)a < 0) {
            without_time(w, pid, r, arg);
            break;
        }
        w->what = HCT_WAITS_TIME;
        w->ns = (uint32_t)a * CLOCK_NS_PER_MS;
        break;
    case FORM_CLOCK:
        take_clock(w, pid, arg);
        break;
    case FORM_CHILD:
        take_child(w, pid, (int)a);
        break;
    case FORM_FD:
        take_fd(w, pid, (int)a);
        break;
    case FORM_SETLK:
        if ((int)arg[1] != F_SETLKW && (int)arg[1] != F_OFD_SETLKW)
            break;
        /* fall through */
    case FORM_LOCK:
        take_fd(w, pid, (int)a);
        w->what = HCT_WAITS_LOCK;
        break;
    case FORM_PATH:
        take_path(w, pid, a);
        break;
    case FORM_SIGNAL:
        w->what = HCT_WAITS_SIGNAL;
        break;
    case FORM_THREAD:
        w->what = HCT_WAITS_THREAD;
        break;
    }
}

void waiting_read(struct waiting *w, pid_t pid, const char *text)
{
    unsigned long long v[6];
    uint64_t arg[6];
    long number;

    /* A child is another program soon after it was born. */
    if (strncmp(text, w->text, sizeof(w->text) - 1) == 0 && *text &&
        w->what != HCT_WAITS_CHILD)
        return;
    memset(w, 0, sizeof(*w));
    snprintf(w->text, sizeof(w->text), "%s", text);
    if (sscanf(text, "%ld %llx %llx %llx %llx %llx %llx", &number, &v[0],
               &v[1], &v[2], &v[3], &v[4], &v[5]) != 7)
        return;
    w->what = HCT_WAITS_OTHER;
    w->collects = number == SYS_rt_sigtimedwait;
    for (unsigned i = 0; i < 6; i++)
        arg[i] = v[i];
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (rules[i].number == number)
            apply(w, pid, &rules[i], arg);
}
