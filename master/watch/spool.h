/* spool.h - the tape of one job on its way into the database, in pieces, each
 * of which can be read by itself. So many bytes of a job are kept; of a longer
 * one the oldest pieces are dropped. */
#ifndef HECTOR_SPOOL_H
#define HECTOR_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/watch/tape.h"
#include "proto/base/str.h"

struct job;
struct journal;

struct spool_piece { uint64_t seq; size_t bytes; };

/* {.job, .journal, .keep_bytes} is how it begins. */
struct spool {
    const struct job *job;      /* borrowed, as what takes the pieces */
    struct journal *journal;
    uint64_t keep_bytes;
    struct tape tape;
    struct str row;             /* the piece that is not stored yet */
    uint64_t row_seq, row_ns, last_wall_ns;     /* first look; the last one */
    uint64_t standing;          /* who stands still for a reason, mixed */
    bool soon;                  /* ... that is new: people may ask for it */
    struct spool_piece *pieces; /* owned: that are stored, oldest first */
    size_t npieces, cap;
    uint64_t stored_bytes;
};

/* For so many tasks from now on. What there is of others is dropped: they
 * cannot be on one tape. -1: no memory. */
int spool_begin(struct spool *r, uint32_t nranks);
void spool_fini(struct spool *r);

/* *frame is how it is recorded, until the next call. */
void spool_add(struct spool *r, const struct hct_snapshot *s,
               struct tape_frame *frame);
/* All that was added is stored with the next commit: a verdict never without
 * the look that it comes from. */
void spool_flush(struct spool *r);
/* Nothing that is stored is of any use: the tape begins anew. */
void spool_drop(struct spool *r);
/* A piece that a master before this one has stored. */
void spool_know(struct spool *r, uint64_t seq, size_t bytes);

#endif
