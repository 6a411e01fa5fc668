/* reduce_private.h - what reduce.c, reduce_part.c and reduce_send.c share; for
 * nobody else.
 *
 * Invariants. A reduction is in the list until whoever has asked for it has
 * ended it, or the master is away; so what was sent to a parent that dies can
 * be sent to the master. A child is waited for until its part is in, or it is
 * known that it will not come: npending counts them, and the own part. The
 * numbers of those that are over are kept for a while: a parent that was
 * stopped asks late for what is over long since. */
#ifndef HECTOR_REDUCE_PRIVATE_H
#define HECTOR_REDUCE_PRIVATE_H

#include "proto/base/str.h"
#include "proto/tree/merge.h"
#include "slave/tree/reduce.h"
#include "slave/tree/reduce_state.h"

enum {
    REDUCE_AT_ONCE = 16,                /* reductions at a time */
    REDUCE_BELOW_MAX = 1 << 16,
    REDUCE_PIECE = 4 << 20,             /* bytes of a result in a message */
    REDUCE_WHY_MAX = 200,
    REDUCE_OVER_KEPT = 64,
};
#define REDUCE_RESULT_MAX (384u << 20)  /* bytes of a child's part */

struct child {
    uint32_t member, members, at, width;
    bool settled;                       /* in, or not waited for */
    bool heard;                         /* it has said anything */
    bool passed;                        /* the master was told to go past it */
    uint32_t progress;                  /* of its members, as it has said */
    struct reduce_link *link;           /* taken; NULL: lost, or settled */
    struct str bytes;                   /* as far as it has come */
};

struct missing { uint32_t first, last; Hct__Lack lack; char *why; };

struct reduction {
    struct reduction *next;             /* in the slave's list */
    struct reduce *all;                 /* borrowed */
    uint64_t id, job, wait_ns, start_ns;
    uint64_t heard_ns, due_ns;          /* something new; the next tick */
    enum reduce_state state;
    const struct reduce_kind *kind;     /* borrowed; NULL: not known here */
    const struct merge_kind *merge;     /* borrowed; the same */
    void *whole;                        /* owned, of merge */
    uint32_t member, members, own, width;
    uint8_t *argument;                  /* owned */
    size_t nargument;
    struct child *children;             /* owned */
    size_t nchildren, npending;
    uint32_t progress, told;            /* members settled; as said above */
    bool own_done;
    struct missing *missing;            /* owned */
    size_t nmissing, cap_missing;
    struct reduce_link *parent;         /* borrowed; NULL: the master */
    struct event *timer;                /* owned */
    struct str result;                  /* owned, once complete */
    uint64_t own_ns, merge_ns, below_ns;
};

struct reduce {
    struct event_base *base;            /* borrowed */
    const struct reduce_conf *conf;
    struct reduce_links *links;         /* owned, like the list */
    struct reduction *list;
    uint64_t over[REDUCE_OVER_KEPT];    /* numbers, the newest before next */
    unsigned next_over;
};

/* reduce.c: all changes of a state go through here; effects follow. */
void reduction_step(struct reduction *r, enum reduce_event event);
bool reduction_gathering(const struct reduction *r);
/* So many members more, of one that was pending, are settled. */
void reduction_settle(struct reduction *r, uint32_t members);
/* Something new has come from below: so many members more, 0: bytes. */
void reduction_heard(struct reduction *r, uint32_t members);
/* Take in a part, and time it. */
int reduction_take(struct reduction *r, const void *bytes, size_t n,
                   uint32_t at, uint32_t width, struct err *err);
struct reduction *reduce_find(struct reduce *rs, uint64_t id);

/* reduce_send.c */
void reduction_lack(struct reduction *r, uint32_t first, uint32_t last,
                    Hct__Lack why, const char *text);
void reduction_lack_child(struct reduction *r, struct child *c, Hct__Lack why,
                          const char *text);
void reduction_send_progress(struct reduction *r);
void reduction_send_result(struct reduction *r);
/* Tell the master that this child is not reached. */
void reduction_send_stray(struct reduction *r, const struct child *c,
                          Hct__Lack why, const char *text);
/* Tell a parent that nothing will come from us this way. */
void reduction_send_refusal(struct reduce_link *l, const Hct__Reduce *m);

/* reduce_part.c: what parents and children say. */
extern const struct reduce_links_ops reduce_links_ops;
struct child *reduction_child(struct reduction *r, uint32_t member);
/* Of the children that have said nothing the master is to ask those below. */
void reduction_pass_silent(struct reduction *r);

/* reduce.c: from this parent, or (NULL) the master. */
int reduce_begin_from(struct reduce *rs, struct reduce_link *parent,
                      const Hct__Reduce *m, struct err *err);
#endif
