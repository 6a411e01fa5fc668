/* ends_at.c - preloaded into hector-keep: of the calls that change something on
 * the disk the one that is number $ENDS_AT is its end, or number $FAILS_AT finds
 * no room. The file $HIT tells that there was one.
 *
 * Counted are fsync, renameat, unlinkat, write and openat for writing. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

static int fails(void)
{
    const char *ends = getenv("ENDS_AT"), *fail = getenv("FAILS_AT");

    if (++calls != atoi(ends ? ends : fail))
        return 0;
    close(open(getenv("HIT"), O_WRONLY | O_CREAT, 0600));
    if (ends)
        _exit(77);
    errno = ENOSPC;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd)
{
    return fails() ? -1 : NEXT(fsync)(fd);
}

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > 2 && fails())
        return -1;
    return NEXT(write)(fd, p, n);
}

int renameat(int a, const char *from, int b, const char *to)
{
    return fails() ? -1 : NEXT(renameat)(a, from, b, to);
}

int unlinkat(int fd, const char *name, int flags)
{
    return fails() ? -1 : NEXT(unlinkat)(fd, name, flags);
}

int openat(int fd, const char *name, int flags, ...)
{
    mode_t mode;
    va_list more;

    va_start(more, flags);
    mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & O_CREAT) && fails())
        return -1;
    return NEXT(openat)(fd, name, flags, mode);
}
