/* restore_room.c - see restore_room.h. */
#include "mpi-wrappers/restore/restore_room.h"

#include <poll.h>
#include <sys/mman.h>
#include <time.h>

#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"

static bool image_comes(const struct restore *r)
{
    struct pollfd p = { .fd = r->fd, .events = POLLIN };
    const struct timespec now = { 0 };

    return sys(SYS_ppoll, &p, 1, &now, 0, 0) != 0;
}

static void make_pages(const struct restore *r, struct restore_room *m)
{
    enum { PART = 2 << 20 };
    uint64_t n;

    for (; m->made < m->bytes && !image_comes(r); m->made += n) {
        n = m->bytes - m->made < PART ? m->bytes - m->made : PART;
        if (sys(SYS_madvise, m->start + m->made, n, MADV_POPULATE_WRITE) < 0)
            return;
    }
}

static void take(struct restore *r, uint64_t start, uint64_t end)
{
    struct restore_room m = { start, end - start, 0 };
    long at = sys(SYS_mmap, start, m.bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                  MAP_FIXED_NOREPLACE, -1, 0);

    if (at == (long)start)
        r->room[r->nrooms++] = m;
    else if (at > 0)            /* of a kernel that takes it for a wish */
        sys(SYS_munmap, at, m.bytes);
}

bool restore_room_make(struct restore *r, const char *text)
{
    while (*text) {
        uint64_t start = image_text_hex(&text), end;

        if (*text++ != '-')
            return false;
        end = image_text_hex(&text);
        if (start >= end || (start | end) % IMAGE_PAGE || end > IMAGE_ACROSS ||
            (*text && *text++ != ',') || r->nrooms == RESTORE_ROOMS)
            return false;
        take(r, start, end);
    }
    for (size_t i = 0; i < r->nrooms; i++)
        make_pages(r, &r->room[i]);
    if (r->report >= 0 && *r->rooms)
        sys(SYS_write, r->report, "\n", 1);
    return true;
}

static bool is_region(const struct restore *r, const struct restore_room *m)
{
    for (size_t i = 0; i < r->head.nregions; i++) {
        const struct image_region *g = &r->regions[i];

        if (g->start == m->start)
            return g->kind == IMAGE_ANON && g->prot && !g->huge &&
                   g->end == m->start + m->bytes;
    }
    return false;
}

void restore_room_settle(struct restore *r)
{
    for (size_t i = 0; i < r->nrooms; )
        if (is_region(r, &r->room[i])) {
            i++;
        } else {
            sys(SYS_munmap, r->room[i].start, r->room[i].bytes);
            r->room[i] = r->room[--r->nrooms];
        }
}

bool restore_room_has(const struct restore *r, const struct image_region *g)
{
    for (size_t i = 0; i < r->nrooms; i++)
        if (r->room[i].start == g->start)
            return true;
    return false;
}

bool restore_room_made(const struct restore *r, uint64_t start, uint64_t bytes)
{
    for (size_t i = 0; i < r->nrooms; i++) {
        const struct restore_room *m = &r->room[i];

        if (m->start <= start && start - m->start < m->made)
            return bytes <= m->made - (start - m->start);
    }
    return false;
}

/* The first one that begins before end and ends behind start; NULL: none. */
static const struct restore_room *first_in(const struct restore *r, uint64_t start,
                                         uint64_t end)
{
    const struct restore_room *first = NULL;

    for (size_t i = 0; i < r->nrooms; i++) {
        const struct restore_room *m = &r->room[i];

        if (m->start < end && start < m->start + m->bytes &&
            (!first || m->start < first->start))
            first = m;
    }
    return first;
}

void restore_room_spare(const struct restore *r, uint64_t start, uint64_t end)
{
    const struct restore_room *m;

    for (; (m = first_in(r, start, end)); start = m->start + m->bytes)
        if (start < m->start)
            sys(SYS_munmap, start, m->start - start);
    if (start < end)
        sys(SYS_munmap, start, end - start);
}
