/* sys.h - system calls without the C library: no errno, no cancellation, and
 * no wrapper that somebody has put in front of it. */
#ifndef HECTOR_IMAGE_SYS_H
#define HECTOR_IMAGE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
static inline long sys_six(long n, long a, long b, long c, long d, long e,
                           long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#else
/* Images are of x86-64; this is for compilers that look at the rest. */
static inline long sys_six(long n, long a, long b, long c, long d, long e,
                           long f)
{
    return (void)n, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f,
           -ENOSYS;
}
#endif

/* sys(SYS_close, fd): up to six arguments of any kind; the result, or an errno
 * value with a minus. */
#define sys(...) SYS_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define SYS_PADDED(n, a, b, c, d, e, f, ...) \
    sys_six((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
            (long)(f))

static inline int sys_open(const char *path, int flags)
{
    return (int)sys(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC);
}

static inline void sys_close(int fd)
{
    sys(SYS_close, fd);
}

/* Until a descriptor that does not wait by itself is ready, POLLIN, POLLOUT; 0: it
 * is not, after so long. -1: that is not asked. */
static inline long sys_wait_for(int fd, short what, int limit_ms)
{
    struct pollfd p = { .fd = fd, .events = what };
    struct timespec limit = { limit_ms / 1000, limit_ms % 1000 * 1000000L };

    return sys(SYS_ppoll, &p, 1, limit_ms < 0 ? NULL : &limit, 0, 0);
}

/* All size bytes, unless the file ends; how many, or negative. */
static inline long sys_read_all(int fd, void *to, size_t size)
{
    size_t have = 0;
    long n;

    while (have < size) {
        size_t want = size - have < 1u << 30 ? size - have : 1u << 30;

        n = sys(SYS_read, fd, (char *)to + have, want);
        if (n == -EAGAIN)
            sys_wait_for(fd, POLLIN, -1);
        if (n == -EINTR || n == -EAGAIN)
            continue;
        if (n < 0)
            return n;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (long)have;
}

/* The beginning of a file as a string; its length, or negative. What a process
 * has is read below /proc/thread-self: the first thread, which /proc/self is of,
 * may have ended. */
static inline long sys_slurp(const char *path, char *to, size_t size)
{
    int fd = sys_open(path, O_RDONLY);
    long n;

    if (fd < 0)
        return fd;
    n = sys_read_all(fd, to, size - 1);
    sys_close(fd);
    to[n > 0 ? n : 0] = '\0';
    return n;
}

#endif
