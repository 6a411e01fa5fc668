/* span.h - a span of address space, had at once and opened from its front as it is
 * used: what is not open is charged to nobody, neither by a kernel that counts all
 * that may be written to (vm.overcommit_memory=2) nor by RLIMIT_DATA. Of a limit on
 * address space (RLIMIT_AS) it takes a part only: the program has to live, too. */
#ifndef HECTOR_SPAN_H
#define HECTOR_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { SPAN_PIECE = 16 << 20 };
#define SPAN_PAGE ((size_t)4096)

struct span {                   /* {0}: none */
    char *at;
    size_t bytes, open;         /* so many of them, from the front */
};

/* most bytes, or a part'th of the limit, or what is to be had of that: half, a
 * quarter, ... but not less than least. False: none. */
static inline bool span_take(struct span *s, size_t most, size_t least,
                             unsigned part)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        most > limit.rlim_cur / part)
        most = limit.rlim_cur / part & ~(SPAN_PAGE - 1);
    for (size_t n = most > least ? most : least; n >= least; n /= 2) {
        void *p = mmap(NULL, n & ~(SPAN_PAGE - 1), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (p != MAP_FAILED) {
            *s = (struct span){ .at = p, .bytes = n & ~(SPAN_PAGE - 1) };
            return true;
        }
    }
    return false;
}

/* So many bytes, from its front, may be used from now on. False: it ends before, or
 * there is no memory. */
static inline bool span_reach(struct span *s, size_t bytes)
{
    size_t more;

    if (bytes <= s->open)
        return true;
    if (bytes > s->bytes)
        return false;
    more = (bytes - s->open + SPAN_PIECE - 1) / SPAN_PIECE * SPAN_PIECE;
    if (more > s->bytes - s->open)
        more = s->bytes - s->open;
    if (mprotect(s->at + s->open, more, PROT_READ | PROT_WRITE))
        return false;
    s->open += more;
    return true;
}

#endif
