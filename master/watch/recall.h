/* recall.h - reads the recorded looks of a job that is taken up again, so that
 * its policies are asked about them once more, as a replay does, and know again
 * what they knew: a little at each turn of the loop, from the database that
 * the journal writes to. */
#ifndef HECTOR_RECALL_H
#define HECTOR_RECALL_H

#include <stdint.h>
#include <event2/event.h>

#include "policies/hct_policy.h"
#include "proto/base/err.h"

struct journal;
struct recall;

struct recall_end {
    uint64_t looks;             /* that were read; 0: none is recorded */
    uint64_t first;             /* number of the first one */
    uint64_t at_ns;             /* wall clock of the last one */
    const struct hct_snapshot *last;    /* NULL: none */
    const char *damaged;        /* a sentence, if it could not be read to its
                                   end; else NULL */
};

struct recall_ops {
    /* Before the first look. -1: not for this job, in words. */
    int (*begin)(void *arg, const struct hct_job *job, struct err *err);
    /* All of a piece of the tape, after it was found to be sound. */
    void (*piece)(void *arg, uint64_t seq, const void *data, size_t bytes);
    /* Once, the last call; recall_destroy() is legal in it. */
    void (*done)(void *arg, const struct recall_end *end);
};

/* NULL: no memory. Nothing is called from here. */
struct recall *recall_create(struct event_base *base, struct journal *jn,
                             uint64_t job, const struct recall_ops *ops,
                             void *arg);
void recall_destroy(struct recall *r);          /* NULL is fine */

#endif
