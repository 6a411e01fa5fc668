/* request.h - requests that are not finished: which call made them, with whom
 * and about what, in the page for everybody to read, also while a thread
 * waits.
 *
 * Keyed by handle, C's and Fortran's apart: a request that one language makes
 * and the other waits for is not recognized. A request that was complete when
 * it was made has a handle that many share, and is not kept. */
#ifndef HECTOR_REQUEST_H
#define HECTOR_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/about.h"

enum { REQUEST_KEPT = 64 };

/* What one request is about. */
struct request {
    uint64_t comm, bytes, collective;
    uint64_t sent;              /* see page_request */
    int32_t peer, tag;
    uint16_t call, site;        /* site: see page_request */
    bool idle;
};

/* What a thread waits for, from the entry of a call to its exit. */
struct request_wait {
    unsigned n;                 /* kept below; 0: it waits for nothing */
    bool more;                  /* ... than are kept: to be looked up anew */
    bool polls;                 /* it goes by polled instead */
    struct polled *polled;      /* borrowed: the thread's; NULL: it has none */
    struct { uint16_t place; uint16_t at; uintptr_t key; } kept[REQUEST_KEPT];
};

/* After MPI_Init. */
void request_start(struct page_header *h, struct page_shared *shared);
void request_stop(void);

/* The key of its first request; 0: one that was complete when it was made. */
uintptr_t request_key(const struct about *a);

/* The call has made one, or a persistent one. */
void request_made(const struct about *a, const struct request *r);
void request_started(const struct about *a);
void request_freed(const struct about *a);
/* Before it starts them: messages that leave are counted, and r is about the
 * last of these. Before it is tried to end one without a message: it is not
 * counted, then. */
void request_starting(const struct about *a, struct request *r, uint64_t now);
void request_cancelled(const struct about *a);
/* All stood while the clock went on by so much, or is another one: receives that
 * were started before that stay before those that will be. */
void request_shift(struct page_shared *s, uint64_t ticks);

/* Returns how many of a's requests are known and not finished, as in
 * page_slot.requests; *first is the first of them. Each wait is ended, with
 * the same arguments, or was left by a jump. */
uint32_t request_wait(struct request_wait *w, const struct about *a,
                      unsigned waiter, struct request *first);
void request_waited(struct request_wait *w, const struct about *a, bool ok);
void request_left(struct request_wait *w);

/* The thread ends, whatever it waits for. */
void request_end(struct request_wait *w);

#endif
