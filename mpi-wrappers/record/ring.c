/* ring.c - event records into the page, and what to do when it is full.
 *
 * Invariants: head grows by multiples of 8 and never by more than the room
 * between head and tail; a record never crosses the end of the ring. The
 * position is masked here, so a page that somebody scribbled on cannot make
 * the task write outside of its ring. */
#include "mpi-wrappers/record/ring.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS  200000u                /* between two looks at the tail */
#define STALL_NS 2000000000u            /* a reader this still is dead */
enum { STALLS = 15 };                   /* ... or one that loops is */

static atomic_uint_fast64_t dead_beat;  /* the beat we gave up at, plus 1 */

bool ring_put(const struct ring *r, const struct page_record *rec,
              const void *text, uint64_t *at)
{
    uint64_t head = atomic_load_explicit(&r->slot->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&r->slot->tail, memory_order_acquire);
    uint32_t need = (uint32_t)(sizeof(*rec) + rec->text_bytes + 7) & ~7u;
    uint32_t pos = (uint32_t)head & (r->bytes - 1) & ~7u;
    uint32_t skip = pos + need > r->bytes ? r->bytes - pos : 0;
    struct page_record *to;

    if (head - tail > r->bytes || r->bytes - (head - tail) < skip + need)
        return false;
    if (skip > 0) {
        to = (struct page_record *)(void *)(r->data + pos);
        to->bytes = skip;               /* there may be no room for more */
        to->kind = PAGE_RECORD_PAD;
        to->call = 0;
        pos = 0;
    }
    to = (struct page_record *)(void *)(r->data + pos);
    *to = *rec;
    to->bytes = need;
    memcpy(to->text, text, rec->text_bytes);
    if (at)
        *at = head + skip;
    atomic_store_explicit(&r->slot->head, head + skip + need,
                          memory_order_release);
    return true;
}

/* Does the reader want a processor, or a page of its own, and gets none? Not if it
 * is stopped, or waits for something else. System calls are raw, because the
 * library's are cancellation points. */
static bool starves(const struct page_header *h)
{
    char text[512];
    const char *state;
    long fd, n;

    snprintf(text, sizeof(text), "/proc/%u/stat", (unsigned)h->slave_pid);
    fd = syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = syscall(SYS_read, fd, text, sizeof(text) - 1);
    syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = '\0';
    state = strrchr(text, ')');
    return state && (state[2] == 'R' || state[2] == 'D');
}

/* Steps are counted, not timed: a task that was stopped together with its
 * slave does not find it dead when both go on. */
bool ring_wait(const struct page_header *h, const struct page_slot *s,
               uint64_t tail)
{
    const struct timespec step = { 0, STEP_NS };
    uint64_t beat = atomic_load_explicit(&h->slave_beat, memory_order_relaxed);
    uint64_t still_ns = 0;
    int stalls = 0;

    if (h->drop || atomic_load_explicit(&dead_beat, memory_order_relaxed) ==
                   beat + 1)
        return false;
    while (still_ns < STALL_NS) {
        uint64_t now;

        if (atomic_load_explicit(&s->tail, memory_order_acquire) != tail)
            return true;
        if (atomic_load_explicit(&h->slave_gone, memory_order_relaxed))
            return false;
        syscall(SYS_nanosleep, &step, NULL);
        now = atomic_load_explicit(&h->slave_beat, memory_order_relaxed);
        still_ns = now == beat ? still_ns + STEP_NS : 0;
        stalls = now == beat ? stalls : 0;
        beat = now;
        if (still_ns >= STALL_NS && ++stalls < STALLS && starves(h))
            still_ns = 0;
    }
    atomic_store_explicit(&dead_beat, beat + 1, memory_order_relaxed);
    return false;
}
