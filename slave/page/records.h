/* records.h - tagged calls on their way to the master, kept until it has
 * committed them.
 *
 * One struct records a task. A record is a finished call, or the entry of
 * one that has not left yet, or later its exit (see Events in hct.proto).
 * Records are numbered from 0; EventAck frees what lies below. All tasks of
 * the slave share one window: when it is full nothing is read from the rings
 * until acknowledgements come, and the tasks wait for room. */
#ifndef HECTOR_RECORDS_H
#define HECTOR_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "slave/page/rings.h"

enum { RECORDS_WINDOW = 32 << 20, RECORDS_BATCH = 4096 };

struct vault;
struct vault_ledger;
struct records_window {
    size_t bytes, max;
    struct vault *vault;        /* borrowed; NULL: nothing outlives us */
};
bool records_window_full(const struct records_window *w);

/* How a batch leaves: send an Hct__Events. */
struct records_out {
    int (*send)(void *arg, const void *events);
    void *arg;
};

struct records_chunk;
struct records {
    uint64_t job;
    uint32_t rank;
    uint64_t next, acked;               /* numbers of records */
    struct records_chunk *first, *last; /* owned: not acknowledged yet */
    struct records_window *window;      /* borrowed */
    struct vault_ledger *ledger;        /* borrowed; shows the first chunk to
                                           the guard; may be NULL */
};

void records_init(struct records *r, uint64_t job, uint32_t rank,
                  struct records_window *window);
void records_fini(struct records *r);   /* what was kept is lost */

/* Turn one reading into records and keep them. -1 if memory ran out: the
 * reading was not taken. fresh (NULL when there are none) is for
 * records_send(), after a note of them was made in the ledger. */
int records_keep(struct records *r, const struct rings_batch *b,
                 const struct records_chunk **fresh, struct err *err);
void records_send(const struct records *r, const struct records_chunk *fresh,
                  const struct records_out *out);

/* Both at once. */
int records_add(struct records *r, const struct rings_batch *b,
                const struct records_out *out, struct err *err);

/* The master has everything below upto. -1 for what was never sent. */
int records_ack(struct records *r, uint64_t upto, struct err *err);

/* After a reconnection: send everything that is kept, again. */
void records_resend(const struct records *r, const struct records_out *out);

/* What a ledger shows becomes ours: its chunks below number next. */
void records_inherit(struct records *r, struct records_chunk *first,
                     uint64_t next);

bool records_empty(const struct records *r);
uint64_t records_waiting(const struct records *r);      /* not acknowledged */

#endif
