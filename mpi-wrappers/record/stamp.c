/* stamp.c - tags: stamped calls, written into the thread's event ring. On the
 * path of a call there is no system call or lock here but for a full ring and
 * the shared slot. */
#include "mpi-wrappers/record/record.h"

#include <errno.h>
#include <string.h>

#include "mpi-wrappers/record/self.h"
#include "mpi-wrappers/record/tick.h"

/* Into the ring, waiting for room as long as there is hope; false: lost. */
static bool put_event(struct self *t, const struct page_record *rec,
                      const void *text, uint64_t *at)
{
    struct page_header *h = GET(thread_page);
    int saved = errno;
    bool done;

    for (bool waited = false;; waited = true) {
        uint64_t tail = atomic_load_explicit(&t->slot->tail,
                                             memory_order_acquire);

        if (UNLIKELY(t->shared))
            thread_lock();
        done = ring_put(&t->ring, rec, text, at);
        if (UNLIKELY(!done && !waited))
            SET(t->slot->waits, GET(t->slot->waits) + 1);
        if (UNLIKELY(t->shared))
            thread_unlock();
        if (LIKELY(done))
            return true;
        if (!h || !ring_wait(h, t->slot, tail))
            break;
    }
    errno = saved;
    if (t->shared)
        thread_lock();
    SET(t->slot->lost, GET(t->slot->lost) + 1);
    if (t->shared)
        thread_unlock();
    return false;
}

COLD void stamp_enter(struct self *t, unsigned call)
{
    const struct page_record rec = {
        .kind = PAGE_RECORD_ENTER, .call = (uint16_t)call,
        .marker = t->marker, .text_bytes = t->text_bytes,
        .wall_ns = tick_wall_ns(),
    };

    t->tagged = put_event(t, &rec, t->text, &t->enter_at);
}

/* In the shared slot calls of several threads are mixed: there the record
 * says which ENTER it belongs to. */
COLD void stamp_leave(struct self *t, uint64_t wall_ns)
{
    const struct page_record rec = {
        .kind = PAGE_RECORD_EXIT, .call = (uint16_t)t->call,
        .marker = t->marker, .wall_ns = wall_ns,
        .text_bytes = t->shared ? sizeof(t->enter_at) : 0,
    };

    t->tagged = false;
    put_event(t, &rec, &t->enter_at, NULL);
}

void record_tag(int marker, const char *text, size_t text_bytes)
{
    struct self *t = &self;

    t->marker = marker;
    t->text_bytes = text_bytes < PAGE_TEXT_MAX ? (uint32_t)text_bytes
                                               : PAGE_TEXT_MAX;
    memcpy(t->text, text, t->text_bytes);
    t->pending = true;
}

bool record_inside(unsigned call)
{
    const struct self *t = &self;

    return t->depth == 1 && (!t->slot || t->call == call);
}

/* Where the program has tagged this call itself, the note is a moment in it;
 * else it ends with the call. */
void record_note(int marker, const char *text, size_t text_bytes)
{
    struct self *t = &self;
    struct page_record rec = {
        .kind = PAGE_RECORD_ENTER, .call = (uint16_t)t->call,
        .marker = marker, .wall_ns = tick_wall_ns(),
        .text_bytes = text_bytes < PAGE_TEXT_MAX ? (uint32_t)text_bytes
                                                 : PAGE_TEXT_MAX,
    };
    uint64_t at;

    if (t->depth != 1 || !t->slot || !put_event(t, &rec, text, &at))
        return;
    if (!t->tagged) {
        t->tagged = true;
        t->marker = marker;
        t->enter_at = at;
        return;
    }
    rec.kind = PAGE_RECORD_EXIT;
    rec.text_bytes = t->shared ? sizeof(at) : 0;
    put_event(t, &rec, &at, NULL);
}
