/* slow_progress.c - preloaded: threads other than the first one find out late
 * that there is something to do for them, as on a machine where they get no
 * processor. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LATE_MS = 100 };

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    int (*real)(struct pollfd *, nfds_t, int) =
        (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    int rc = real(fds, n, timeout);
    long until = now_ms() + LATE_MS;

    while (rc > 0 && timeout && syscall(SYS_gettid) != getpid() &&
           now_ms() < until)
        ;                       /* wants to run, and does not get on */
    return rc;
}
