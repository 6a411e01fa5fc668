/* place.c - see place.h. All text that was there before Open MPI was loaded is
 * the program's, and that of libraries that came later to where the program is,
 * but for those that what happens while it stands needs itself: the C library
 * and the loader with their locks, allocators, unwinders, what is Hector's. */
#include "mpi-wrappers/stop/place.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/stop/waiter.h"

enum { PLACE_RANGES = 256, PLACE_LINE = 4608, PLACE_READ = 16384,
       PLACE_LEAF = 2048 };     /* bytes of text of a function that copies */

struct place_range { uintptr_t from, to; };
static struct place_range own[PLACE_RANGES], libc[4];
static int nown, nlibc;

static bool place_is(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

static bool place_is_other(const char *name)
{
    static const char *const others[] = { "ld-linux", "ld-2", "ld.so",
        "ld-musl", "libhector", "libgcc_s", "libdl", "libpthread", "librt",
        "libtcmalloc", "libjemalloc", "libmimalloc", NULL };

    return place_is(name, others);
}

static void place_line(const char *line)
{
    static const char *const c_library[] = { "libc.so", "libc-2", NULL };
    const char *name = strrchr(line, '/');
    unsigned long from, to;
    char rights[8];

    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 ||
        rights[2] != 'x' || !name)
        return;
    name++;
    if (place_is_other(name) ||
        (from <= (uintptr_t)place_line && (uintptr_t)place_line < to))
        return;
    if (place_is(name, c_library)) {
        if (nlibc < 4)
            libc[nlibc++] = (struct place_range){ from, to };
    } else if (nown < PLACE_RANGES) {
        own[nown++] = (struct place_range){ from, to };
    }
}

/* Before anything else of ours: Open MPI's copies of libraries are not there. */
__attribute__((constructor)) static void place_learn(void)
{
    static char text[PLACE_READ], line[PLACE_LINE];
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t at = 0;
    ssize_t n;

    while (fd >= 0 && ((n = read(fd, text, sizeof(text))) > 0 ||
                       (n < 0 && errno == EINTR)))
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] != '\n') {
                if (at < sizeof(line) - 1)
                    line[at++] = text[i];
                continue;
            }
            line[at] = '\0';
            at = 0;
            place_line(line);
        }
    if (fd >= 0)
        close(fd);
}

static bool place_in(const struct place_range *v, int n, uintptr_t at)
{
    for (int i = 0; i < n; i++)
        if (at >= v[i].from && at < v[i].to)
            return true;
    return false;
}

#if __GLIBC_PREREQ(2, 35)
static const struct link_map *place_first(const struct link_map *m)
{
    while (m->l_prev)
        m = m->l_prev;
    return m;
}

/* In a library that the program has loaded since: it is among the same ones as
 * we are, and Open MPI is not. */
static bool place_came(uintptr_t at)
{
    struct dl_find_object there, here;
    const char *name;

    if (_dl_find_object((void *)at, &there) != 0 ||
        _dl_find_object((void *)(uintptr_t)place_line, &here) != 0 ||
        there.dlfo_link_map == here.dlfo_link_map ||
        place_first(there.dlfo_link_map) != place_first(here.dlfo_link_map))
        return false;
    name = strrchr(there.dlfo_link_map->l_name, '/');
    return name && !place_is_other(name + 1);
}
#else
static bool place_came(uintptr_t at)
{
    (void)at;
    return false;
}
#endif

/* What a library does when it goes runs with the loader half way. */
static _Thread_local unsigned place_going;

ENTRY_EXPORT int dlclose(void *handle);
ENTRY_EXPORT int dlclose(void *handle)
{
    static int (*next)(void *handle);
    int rc;

    if (!next && !(*(void **)&next = dlsym(RTLD_NEXT, "dlclose")))
        return -1;
    place_going++;
    rc = next(handle);
    place_going--;
    return rc;
}

#if defined(__x86_64__)
/* In a function of the C library that only copies, which the program's own text
 * has called. These are there in many forms, one beside the other; each has the
 * return address on top of its stack. */
static bool place_copies(uintptr_t at, const uintptr_t *stack)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    void *(*volatile move)(void *, const void *, size_t) = memmove;
    void *(*volatile fill)(void *, int, size_t) = memset;

    return (at - (uintptr_t)copy < PLACE_LEAF ||
            at - (uintptr_t)move < PLACE_LEAF ||
            at - (uintptr_t)fill < PLACE_LEAF) && place_in(own, nown, *stack);
}

/* Those that wait for something outside, or for time. */
static bool place_sleeps(long call)
{
    static const int calls[] = {
        SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64,
        SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_nanosleep,
        SYS_clock_nanosleep, SYS_epoll_wait, SYS_epoll_pwait, SYS_recvfrom,
        SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_accept, SYS_accept4,
        SYS_connect, SYS_wait4, SYS_waitid, SYS_pause, SYS_fsync,
        SYS_fdatasync, SYS_sched_yield,
    };

    for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i] == call)
            return true;
    return false;
}

static bool place_is_programs(uintptr_t at)
{
    return place_in(own, nown, at) || (!place_in(libc, nlibc, at) && place_came(at));
}

static bool place_is_library(uintptr_t at)
{
    return place_in(libc, nlibc, at);
}

/* For another thread, too, if the program has asked for that. */
static bool place_waits(long call, const greg_t *r)
{
    static const struct waiter_text text = { place_is_programs, place_is_library };

    return place_sleeps(call) ||
           (call == SYS_futex && waiter_is_programs((uintptr_t)r[REG_RIP],
                                                    (uintptr_t)r[REG_RDI], &text));
}

/* The number of the call that has just returned: what loaded the register before
 * it; -1 if that is something else. */
static long place_call(const unsigned char *behind)
{
    int32_t number;

    if (behind[-2] != 0x0f || behind[-1] != 0x05 || behind[-7] != 0xb8)
        return -1;
    memcpy(&number, behind - 6, sizeof(number));
    return number;
}

bool place_is_safe(void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)r[REG_RIP];
    const unsigned char *text = (const unsigned char *)at;
    long call;

    if (place_going)
        return false;
    if (place_in(own, nown, at))
        return true;
    if (!place_in(libc, nlibc, at))
        return place_came(at);
    if (place_copies(at, (const uintptr_t *)(uintptr_t)r[REG_RSP]))
        return true;
    if (text[0] == 0x0f && text[1] == 0x05)     /* it is begun anew anyway */
        return place_waits((long)r[REG_RAX], r);
    if (r[REG_RAX] != -EINTR)
        return false;
    call = place_call(text);
    if (call < 0 || !place_waits(call, r))
        return false;
    if (call != SYS_pause) {                    /* MPI is not to be noticed */
        r[REG_RIP] -= 2;
        r[REG_RAX] = call;
    }
    return true;
}
#elif defined(__aarch64__)
bool place_is_safe(void *context)
{
    uintptr_t at = ((ucontext_t *)context)->uc_mcontext.pc;

    return !place_going && (place_in(own, nown, at) ||
           (!place_in(libc, nlibc, at) && place_came(at)));
}
#else
#error where a signal has interrupted the program is not known on this machine
#endif
