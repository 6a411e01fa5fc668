/* request_table.h - the table of unfinished requests in the page, for
 * request.c and polled.c alone. A place is an index into it; its owner is who
 * waits for the request: a struct request_wait or a struct polled. */
#ifndef HECTOR_REQUEST_TABLE_H
#define HECTOR_REQUEST_TABLE_H

#include "mpi-wrappers/handles/request.h"

enum { REQUEST_NOWHERE = PAGE_REQUESTS };

/* NULL: nothing is recorded. */
extern struct page_shared *_Atomic request_shown;

/* How often persistent ones were started. */
extern _Atomic uint64_t request_starts;

/* The i-th of a's requests; is it one at all? */
uintptr_t request_key_at(const struct about *a, int32_t i);
bool request_is_none(uintptr_t key);

/* Its place, or REQUEST_NOWHERE. */
unsigned request_find(struct page_shared *s, uintptr_t key);

/* Mark it, for nobody but who; the owner before him is told. */
void request_own(struct page_shared *s, unsigned at, const void *who,
                 unsigned waiter);

/* What it is about. */
void request_copy(const struct page_request *p, struct request *r);

/* The status that the call has got for the request at this place, the i-th of its array;
 * NULL where what the request was about tells enough, or there is none. */
const int *request_status(const struct page_shared *s, unsigned at,
                          const struct about *a, int32_t i);

/* What has become of one that who waited for. status: of the message that ended it,
 * or NULL. */
enum request_fate { REQUEST_PENDING, REQUEST_IDLE, REQUEST_GONE };
void request_settle(struct page_shared *s, unsigned at, uintptr_t key,
                    const void *who, enum request_fate fate,
                    const int *status);

#endif
