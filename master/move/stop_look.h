/* stop_look.h - one look at the pages of all tasks of a job, as a stop needs
 * them, and what it may rely on.
 *
 * Of a task (the layer between it and MPI keeps to this):
 *  - entered is counted behind the gate, on the way into a collective; where
 *    says COLLECTIVE before the number grows, and until the call is left.
 *  - under QUIESCE nobody enters number n of a communicator whose target in
 *    its page is less than n; it says HELD, and polls. Whoever had passed the
 *    gate before it saw the word goes on, and is found out later.
 *  - a new communicator is listed before the call that makes it is left (a
 *    non-blocking one: before it returns), with its target 0; one that is
 *    freed is listed no more when the call that frees it is left. Freeing is
 *    counted as a collective of the communicator itself.
 *  - sent grows before a message leaves, received after it is there. Neither
 *    ever shrinks. So at each moment all that was received was sent.
 *  - who is FROZEN stays so, and nothing else in its page but received and
 *    unfinished changes, until the word is RUN or QUIESCE. Whoever freezes
 *    sets unfinished to STOP_UNKNOWN first; a number is what was left after it
 *    went through all its requests, under DRAIN. It starts none, so the number
 *    never grows.
 *  - where several threads call MPI, where, peer and gate are those of the one
 *    that says most, numbers are their sums, and FROZEN it is when nobody is
 *    inside MPI but where he may stand, and nobody can enter.
 * Of a look:
 *  - where is read before the rest of a page, and the orders that a page had
 *    before that.
 *  - every page is read after the look before was complete. */
#ifndef HECTOR_STOP_LOOK_H
#define HECTOR_STOP_LOOK_H

#include <stdint.h>

/*  NAME, what a task does */
#define STOP_WHERES(X)                                  \
    X(USER, "runs its own code")                        \
    X(LIBRARY, "is inside MPI")                         \
    X(WAITING, "waits inside MPI")                      \
    X(HELD, "is held before a collective")              \
    X(COLLECTIVE, "is inside a collective")             \
    X(FROZEN, "stands still")                           \
    X(FINALIZED, "has finalized MPI")                   \
    X(GONE, "is gone")

enum stop_where {
#define X(n, ...) STOP_AT_##n,
    STOP_WHERES(X)
#undef X
    STOP_AT_COUNT
};

#define STOP_NONE (-1)              /* for no single peer: a collective */
#define STOP_ANY (-2)               /* for whoever sends */
#define STOP_UNKNOWN UINT32_MAX

struct stop_comm {
    uint64_t id;                    /* the same number on all members */
    uint64_t entered, target;
    uint32_t size;                  /* members; 0: not known */
};

/* Messages between a task and one other on one communicator. */
struct stop_pair {
    uint64_t comm, sent, received;
    uint32_t peer;                  /* world rank */
};

struct stop_task {
    const struct stop_comm *comms;  /* borrowed */
    const struct stop_pair *pairs;  /* borrowed; may be NULL: not counted */
    uint32_t ncomms, npairs;
    uint64_t order;                 /* number of the last orders in its page */
    uint64_t sent, received;
    uint64_t calls;                 /* made so far: who polls makes some */
    enum stop_where where;
    int32_t peer;                   /* WAITING: for this world rank to send, or
                                       to receive; or one of those above */
    uint32_t gate;                  /* HELD: before one of comms[gate] */
    uint32_t unfinished;            /* sends and collectives, FROZEN only */
};

struct stop_look {
    uint64_t now_ns;                /* when it was complete; the only clock */
    uint64_t number;                /* grows from look to look */
    const struct stop_task *tasks;  /* borrowed; by world rank */
    uint32_t ntasks;
};

#endif
