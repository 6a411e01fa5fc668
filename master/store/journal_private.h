/* journal_private.h - what journal.c and journal_aside.c share: the queues. For
 * these files only. */
#ifndef HECTOR_JOURNAL_PRIVATE_H
#define HECTOR_JOURNAL_PRIVATE_H

#include "master/store/journal.h"
#include "proto/base/clock.h"

#define MS CLOCK_NS_PER_MS

struct journal_step {
    const struct job *job;      /* borrowed; its number may not be known yet */
    uint64_t at_ns;
    const char *machine;
    int64_t rank;
    const char *event, *from, *to;
};

struct journal_note;            /* a row that is written once */

struct journal {
    struct event_base *base;    /* borrowed */
    struct store *store;        /* owned */
    const struct journal_ops *ops;
    void *arg;
    struct event *timer;        /* owned */
    uint64_t due, retry_at;
    uint64_t busy_since;        /* 0: it is not */
    char *path;                 /* owned; NULL: there is no file, nor will be */
    bool aside;                 /* the store stands in for it */
    struct err why;             /* it does; code 0: people know, or need not */
    bool told;                  /* people have heard of it */
    bool taken;                 /* ... and that a number is another's */
    bool ending;                /* the owner hears of nothing any more */
    uint64_t return_at, tell_at, last_job;

    struct store_master master;         /* texts owned */
    bool master_dirty;
    struct job *jobs;           /* listed ones */
    struct node **nodes;        /* owned array; dirty ones */
    size_t nnodes, nodes_cap;
    struct journal_step *steps; /* owned */
    size_t nsteps, steps_cap;
    STAILQ_HEAD(, journal_note) notes;          /* owned, like the next two */
    uint64_t *dead;             /* owned: masters to be buried */
    size_t ndead, dead_cap;
    STAILQ_HEAD(, journal_batch) batches;
    STAILQ_HEAD(, journal_profile) profiles;
    size_t rows, bytes;
    bool high;
};

/* Flush in at most delay. 0: when this turn of the loop is over. */
void journal_wake(struct journal *jn, uint64_t delay_ns);

/* journal_aside.c: the store stands in for the file, because of that error; a
 * database in memory takes the place of the store, because of that one; the
 * file is tried again when it is time; numbers that the file does not have, if
 * it can be read at least. */
void journal_set_aside(struct journal *jn, const struct err *why);
void journal_replace(struct journal *jn, const struct err *why);
void journal_try_to_return(struct journal *jn, uint64_t now);
int journal_seed(struct journal *jn, struct err *err);

#endif
