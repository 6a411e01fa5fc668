/* reduce.h - gather something from many slaves at once, through a tree of
 * them.
 *
 * The master makes the tree of the slaves that are there, asks those at the
 * top, who ask those below them, and gets one merged result from each
 * (slave/tree/reduce.h is the other side). It is repaired while it goes on:
 * slaves below one that dies, or hangs, answer the master. When nothing new has
 * come for the whole time the result is what has come; who is missing is known
 * by name, with a reason.
 *
 * States of a member:
 *
 *   waiting --merged--> in            its part is in the whole
 *      | held                         its part is here, and merged at the end
 *      v                              if no other has brought it
 *     held --merged--> in
 *   waiting --lost--> lost --merged--> in, --held--> held
 *
 * A word that comes too late, as lost for one that is in, changes nothing. */
#ifndef HECTOR_MASTER_REDUCE_H
#define HECTOR_MASTER_REDUCE_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "master/state/job.h"
#include "master/state/node.h"
#include "proto/base/err.h"
#include "proto/base/machine.h"
#include "proto/base/taskset.h"
#include "proto/link/message.h"
#include "proto/tree/merge.h"

struct reducer;                 /* of the master */

#define REDUCE_MEMBER_STATES(X) X(WAITING, "waiting") X(HELD, "held")       \
    X(LOST, "lost") X(IN, "in")
#define REDUCE_MEMBER_EVENTS(X) X(MERGE, "merge") X(HOLD, "hold")           \
    X(LOSE, "lose")

#define X(n, word) REDUCE_##n,
enum reduce_member_state { REDUCE_MEMBER_STATES(X) REDUCE_MEMBER_COUNT };
enum reduce_member_event { REDUCE_MEMBER_EVENTS(X) REDUCE_MEMBER_EVENT_COUNT };
#undef X

extern const struct machine reduce_member_machine;
/* The state after the event: the same one if the event means nothing. Pure. */
enum reduce_member_state reduce_member_next(enum reduce_member_state s,
                                            enum reduce_member_event e);

struct reduce_member {
    struct node *node;          /* borrowed: nodes stay */
    struct taskset ranks;       /* of the job; empty without one */
    uint32_t parent, members, height;   /* as in treeshape.h */
    uint32_t at, own, width;    /* positions: first, its own, of the subtree */
    enum reduce_member_state state;
    bool asked;                 /* by the master itself, not by a slave */
    bool heard;                 /* by the master: it has said anything */
    bool told;                  /* what it had has come */
    uint32_t progress;          /* of its subtree, as it has said */
    char *why;                  /* owned: of one that is lost */
};

struct reduce_ask {
    const char *kind;
    const uint8_t *argument;
    size_t nargument;
    struct job *job;            /* NULL: all nodes */
    uint64_t wait_ns;           /* of silence; 0: as it is set up, like the
                                   next two */
    uint32_t fan_out, levels;   /* levels counts if fan_out is 0 */
};

/* Valid during the call. Members from nasked on were not there to be asked,
 * and have no position. */
struct reduce_result {
    const struct merge_kind *merge;
    void *whole;                /* of merge; NULL: nothing has come */
    uint32_t width, ntasks;     /* of the job, or nodes */
    const uint32_t *rank_of;    /* of a position: its rank, or number of the
                                   member */
    const struct reduce_member *members;
    uint32_t nmembers, nasked, levels, fan_out;
    uint64_t took_ns, own_ns, merge_ns, master_ns, received_bytes;
    uint32_t nmessages;         /* from and to slaves, of the master */
};
typedef void reduce_done_f(void *arg, const struct reduce_result *r);

struct reducer_conf {
    uint32_t fan_out, levels;   /* levels counts if fan_out is 0 */
    uint64_t wait_ns;
    uint64_t last_id;           /* the first gets the next; 0: by the clock,
                                   above those of any master before */
};

struct reducer *reducer_create(struct event_base *base,
                               const struct reducer_conf *conf,
                               const struct nodes *nodes);
void reducer_destroy(struct reducer *rd);       /* NULL is fine */

/* Why nothing of it is in the result, if that is so. */
static inline const char *reduce_why(const struct reduce_member *m)
{
    return m->why ? m->why : "nothing came in time";
}

/* done is called once, later. Returns the number of the reduction, or 0. */
uint64_t reducer_start(struct reducer *rd, const struct reduce_ask *ask,
                       reduce_done_f *done, void *arg, struct err *err);
/* done is not called any more. */
void reducer_cancel(struct reducer *rd, uint64_t id);

/* From slaves. */
int reducer_part(struct reducer *rd, const struct node *n,
                 const Hct__ReducePart *m, struct err *err);
void reducer_node_gone(struct reducer *rd, const struct node *n,
                       const char *why);

#endif
