/* ring.h - the writing end of a thread's event ring in the page.
 *
 * One writer at a time, one reader (the slave). A record is there for the
 * reader as a whole or not at all; nothing is ever overwritten. */
#ifndef HECTOR_RING_H
#define HECTOR_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"

/* The smallest ring: a few of the largest records. */
enum { RING_BYTES_MIN = 16 * 1024 };

struct ring {
    struct page_slot *slot;     /* borrowed: head and tail */
    char *data;                 /* borrowed, 8-byte aligned */
    uint32_t bytes;             /* a power of two, at least RING_BYTES_MIN */
};

/* Append rec with text_bytes (at most PAGE_TEXT_MAX) of text; rec->bytes is
 * computed. *at (may be NULL) becomes the counter at which it stands. false:
 * no room. */
bool ring_put(const struct ring *r, const struct page_record *rec,
              const void *text, uint64_t *at);

/* Wait until the reader has moved from tail. false: it will not (it is gone,
 * it has stood still for two seconds although it did not wait for a processor, for
 * thirty in any case, or dropping was asked for). */
bool ring_wait(const struct page_header *h, const struct page_slot *s,
               uint64_t tail);

#endif
