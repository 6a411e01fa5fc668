/* reduce_private.h - what reduce.c, reduce_part.c and reduce_send.c share; for
 * nobody else.
 *
 * Invariants. A reduction is in the list until the master has ended it, or is
 * away; so what was sent to a parent that dies can be sent to the master. A
 * child is waited for until its part is in, or it is known that it will not
 * come: npending counts them, and the own part. A part may come before the
 * master's word of its reduction: it waits among the early ones. Numbers of
 * reductions grow, so what has a number below the last is late, not early. */
#ifndef HECTOR_REDUCE_PRIVATE_H
#define HECTOR_REDUCE_PRIVATE_H

#include "proto/base/str.h"
#include "proto/tree/merge.h"
#include "slave/tree/reduce.h"
#include "slave/tree/reduce_state.h"

enum {
    REDUCE_AT_ONCE = 16,                /* reductions at a time */
    REDUCE_CHILDREN_MAX = 1 << 16,
    REDUCE_PIECE = 4 << 20,             /* bytes of a result in a message */
    REDUCE_EARLY_MAX = 64 << 20,        /* bytes that wait for the master */
    REDUCE_WHY_MAX = 200,
};
#define REDUCE_RESULT_MAX (384u << 20)  /* bytes of a child's part */

struct child {
    uint32_t member, members, at, width;
    bool settled;                       /* in, or not waited for */
    struct reduce_link *link;           /* borrowed; NULL: not yet here */
    struct str bytes;                   /* as far as it has come */
};

struct missing { uint32_t first, last; Hct__Lack lack; char *why; };

struct reduction {
    struct reduction *next;             /* in the slave's list */
    struct reduce *all;                 /* borrowed */
    uint64_t id, job, wait_ns, start_ns;
    enum reduce_state state;
    const struct reduce_kind *kind;     /* borrowed; NULL: not known here */
    const struct merge_kind *merge;     /* borrowed; the same */
    void *whole;                        /* owned, of merge */
    uint32_t member, parent_member, own, width;
    uint8_t *argument;                  /* owned */
    size_t nargument;
    struct child *children;             /* owned */
    size_t nchildren, npending;
    bool own_done;
    struct missing *missing;            /* owned */
    size_t nmissing, cap_missing;
    struct reduce_link *parent;         /* taken; NULL: the master */
    struct event *timer;                /* owned */
    struct str result;                  /* owned, once complete */
    uint64_t own_ns, merge_ns, below_ns;
};

struct early {
    struct early *next;
    struct reduce_link *link;           /* borrowed: gone with it */
    uint64_t id;
    uint8_t *packed;                    /* owned */
    size_t n;
};

struct reduce {
    struct event_base *base;            /* borrowed */
    const struct reduce_conf *conf;
    struct reduce_links *links;         /* owned, like the rest */
    struct reduction *list;
    struct early *early, **early_end;
    size_t early_bytes;
    uint64_t last_id;                   /* of those the master has begun */
};

/* reduce.c: all changes of a state go through here; effects follow. */
void reduction_step(struct reduction *r, enum reduce_event event);
bool reduction_gathering(const struct reduction *r);
/* One more of those that were pending is settled. */
void reduction_settle(struct reduction *r);
/* Take in a part, and time it. */
int reduction_take(struct reduction *r, const void *bytes, size_t n,
                   uint32_t at, uint32_t width, struct err *err);
struct reduction *reduce_find(struct reduce *rs, uint64_t id);

/* reduce_send.c */
void reduction_lack(struct reduction *r, uint32_t first, uint32_t last,
                    Hct__Lack why, const char *text);
void reduction_lack_child(struct reduction *r, struct child *c, Hct__Lack why,
                          const char *text);
void reduction_send_presence(struct reduction *r);
void reduction_send_result(struct reduction *r);

/* reduce_part.c: what children say. */
extern const struct reduce_links_ops reduce_links_ops;
struct child *reduction_child(struct reduction *r, uint32_t member);
/* The early ones of this reduction are handed on to r; without one those of
 * this link, or of any, are dropped. */
void reduce_drain_early(struct reduce *rs, struct reduction *r,
                        const struct reduce_link *l);

#endif
