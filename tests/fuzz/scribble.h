/* scribble.h - what a task may write anywhere into its page.
 *
 * A piece is where (part, slot), an offset, a length, bytes. */
#ifndef SCRIBBLE_H
#define SCRIBBLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mpi-wrappers/page.h"

enum { SCRIBBLE_HEAD = 6 };

/* Where a piece goes: the header, a slot, a ring at some place, counters,
 * call sites with their frames, modules. */
static size_t scribble_at(const uint8_t *p)
{
    unsigned slot = p[1] % 4, at = (unsigned)(p[2] | p[3] << 8);

    switch (p[0] % 8) {
    case 0: return offsetof(struct page_header, state) + at % 64;
    case 1: return page_slot_at(slot) + at % sizeof(struct page_slot);
    case 2: return page_ring_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
                                slot) + at % 4096;
    case 4: return page_counts_at(PAGE_SLOTS, PAGE_CALLS, slot) + at % 4096;
    case 5: return page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
                                  slot) +
                   offsetof(struct page_thread, site) + at % 32768;
    case 6: return page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
                                  slot) + offsetof(struct page_thread, frame) +
                   at;
    case 7: return page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES) +
                   offsetof(struct page_shared, module) + at % 4096;
    default: return page_ring_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
                                 slot) + PAGE_RING_BYTES - 1 - at % 4096;
    }
}

/* Write the first piece of size bytes, at least a head. Returns its length
 * with the head. */
static size_t scribble(char *page, const uint8_t *data, size_t size)
{
    size_t bytes = page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);
    size_t at = scribble_at(data), n = (size_t)(data[4] | data[5] << 8);
    size_t there;

    if (n > size - SCRIBBLE_HEAD)
        n = size - SCRIBBLE_HEAD;
    there = n > bytes - at ? bytes - at : n;
    memcpy(page + at, data + SCRIBBLE_HEAD, there);
    return SCRIBBLE_HEAD + n;
}

#endif
