/* reduce_private.h - what reduce.c, reduce_ask.c and reduce_make.c share; for
 * nobody else. */
#ifndef HECTOR_MASTER_REDUCE_PRIVATE_H
#define HECTOR_MASTER_REDUCE_PRIVATE_H

#include "master/tree/reduce.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"

struct upload {
    struct upload *next;
    uint32_t member;
    bool held;                  /* whole, and kept */
    struct str bytes;
    uint8_t *lacks;             /* owned, when whole: of each member of the
                                   subtree, whether the part is without it */
};

struct reducing {
    struct reducing *next;      /* in the reducer's list */
    struct reducer *all;        /* borrowed */
    uint64_t id, start_ns;
    const struct merge_kind *merge;     /* borrowed */
    void *whole;                /* owned, like the rest */
    struct reduce_member *members;
    uint32_t nmembers, nasked, nwaiting, nmessages, levels, fan_out;
    uint64_t job, wait_ns;
    uint64_t heard_ns, due_ns;  /* something new; the next tick */
    uint8_t *argument;
    size_t nargument;
    uint32_t *rank_of;
    uint32_t width, ntasks;
    struct upload *uploads;
    struct event *timer;
    uint64_t own_ns, merge_ns, master_ns, received_bytes;
    reduce_done_f *done;
    void *arg;
};

struct reducer {
    struct event_base *base;    /* borrowed, like the nodes */
    struct reducer_conf conf;
    const struct nodes *nodes;
    struct reducing *list;      /* owned */
    uint64_t last_id;
};

/* reduce.c: all changes of a member's state go through here. */
void reducing_step(struct reducing *r, struct reduce_member *x,
                   enum reduce_member_event e, const char *why);

/* reduce_ask.c: once; who is gone is asked by nobody, and those below it in
 * its place. */
void reducing_ask(struct reducing *r, uint32_t i);
/* Those at the heads of these subtrees are to answer us. */
void reducing_ask_range(struct reducing *r, uint32_t first, uint32_t last);
/* And those below this one, who is not asked himself. */
void reducing_ask_below(struct reducing *r, uint32_t i);
void reducing_tell_end(const struct node *n, uint64_t id);
/* The most slaves below one of them, or below the master. */
uint32_t reducing_widest(const struct reducing *r);

/* reduce_make.c: who takes part, and the tree of them; nobody is told yet. */
struct reducing *reducing_make(struct reducer *rd,
                               const struct reduce_ask *ask, struct err *err);
void reducing_free(struct reducing *r);

#endif
