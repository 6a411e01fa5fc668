/* recall.c - reads recorded looks in slices, see recall.h.
 *
 * Invariant: one piece of the tape is in memory at a time; pieces are asked for
 * by number, so that no statement stays open between two turns of the loop. */
#include "master/watch/recall.h"

#include <stdlib.h>
#include <string.h>

#include "master/store/query.h"
#include "master/store/journal.h"
#include "master/watch/tape.h"
#include "proto/base/clock.h"
#include "proto/link/timer.h"

/* So long at once, and as long for everybody else. */
static const uint64_t recall_slice_ns = 5 * CLOCK_NS_PER_MS;

struct recall {
    struct event *timer;        /* owned */
    struct journal *journal;    /* borrowed */
    uint64_t job, seq;          /* of the piece */
    const struct recall_ops *ops;
    void *arg;
    char *data;                 /* owned: the piece */
    size_t bytes;
    struct tape_reader reader;
    struct hct_snapshot last;
    struct recall_end end;
};

static int recall_row(void *arg, const struct store_look *look)
{
    struct recall *r = arg;

    if (!look->data.p || !(r->data = malloc(look->data.n + 1)))
        return 1;
    memcpy(r->data, look->data.p, look->data.n);
    r->bytes = look->data.n;
    r->seq = look->seq;
    r->end.at_ns = look->at_ns;
    return 1;
}

/* 1: there is another piece; 0: there is none. */
static int recall_next(struct recall *r, struct err *err)
{
    if (r->data)
        r->ops->piece(r->arg, r->seq, r->data, r->bytes);
    free(r->data);
    r->data = NULL;
    if (query_looks(journal_store(r->journal), r->job, r->seq, 1, recall_row, r,
                    err))
        return -1;
    if (!r->data)
        return 0;
    r->reader.p = (const uint8_t *)r->data;
    r->reader.end = r->reader.p + r->bytes;
    return 1;
}

/* 1: there may be more; 0: that was all. */
static int recall_one(struct recall *r, struct err *err)
{
    int rc = r->data ? tape_read(&r->reader, &r->last, err) : 0;

    if (rc < 0)
        return -1;
    if (rc == 0)
        return recall_next(r, err);
    if (r->end.looks++ == 0) {
        r->end.first = r->last.seq;
        if (r->ops->begin(r->arg, r->last.job, err))
            return -1;
    }
    r->end.last = &r->last;
    return 1;
}

static void recall_arm(struct recall *r)
{
    timer_set(r->timer, recall_slice_ns);
}

static void recall_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct recall *r = arg;
    uint64_t until = clock_monotonic_ns() + recall_slice_ns;
    struct err err = { 0 };
    int rc;

    (void)fd;
    (void)what;
    do
        rc = recall_one(r, &err);
    while (rc > 0 && clock_monotonic_ns() < until);
    if (rc > 0) {
        recall_arm(r);
        return;
    }
    r->end.damaged = rc < 0 ? err.text : NULL;
    r->ops->done(r->arg, &r->end);
}

struct recall *recall_create(struct event_base *base, struct journal *jn,
                             uint64_t job, const struct recall_ops *ops,
                             void *arg)
{
    struct recall *r = calloc(1, sizeof(*r));

    if (!r || !(r->timer = evtimer_new(base, recall_on_timer, r))) {
        free(r);
        return NULL;
    }
    r->journal = jn;
    r->job = job;
    r->ops = ops;
    r->arg = arg;
    recall_arm(r);
    return r;
}

void recall_destroy(struct recall *r)
{
    if (!r)
        return;
    event_free(r->timer);
    looks_fini(&r->reader.looks);
    free(r->data);
    free(r);
}
