/* deadlock.h - do tasks wait for each other, so that nothing can end it? A
 * proof from one detailed look, by the wait-for graph.
 *
 * The set of all tasks that are blocked, as far as the evidence is complete,
 * is made smaller until each one in it can be released only by others in it,
 * or by tasks that have ended MPI: the greatest set of this kind. If it is not
 * empty, nothing that is under way can dissolve it: who waits for a message is
 * in it only if the accounts of both sides (account.h) say that there is no
 * such message, whatever the network does, and who sends only if the receiver
 * has not asked for it, and it is known not to leave without.
 *
 * A wait has conditions. One that only a certain task can meet is an AND node
 * of the graph, one that any of several can meet (MPI_ANY_SOURCE, windows) an
 * OR node. A wait for all of several requests is blocked by one that is not
 * and will never be finished. Of a send it may not be known whether it is
 * finished already; then the wait is blocked if all that it waits for is of
 * this kind or will never be finished: whichever is not finished, it never
 * will be. Where evidence is missing, a task counts as free.
 *
 * What time says (so long a message cannot take, a call cannot last) counts
 * only between tasks on one node that have both run since: there a message
 * arrives when it is looked for. */
#ifndef HCT_DEADLOCK_H
#define HCT_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"

struct deadlock_limits {
    uint64_t still_ns;          /* so long a task has not moved at least */
    uint64_t asleep_ns;         /* ... that sleeps, and does not poll */
    uint64_t small_ns;          /* so long it has looked for messages at least,
                                   by deadlock_span(), in a send that need not
                                   wait for the receiver, or in a collective
                                   call that need not wait for all members */
    uint64_t spin_ns;           /* ... that asks in a loop, and does nothing
                                   else; UINT64_MAX: is free */
};

/* What the members of a communicator have in common: see group.c. */
struct deadlock_group {
    uint64_t comm, n;           /* n: of a collective call; 0: for what any
                                   member can do, messages and windows */
    uint32_t found, expected;   /* members */
    uint32_t missing, held;     /* that have not entered it; that cannot */
    int32_t first;              /* of those held; -1: none */
    int32_t unmade;             /* ... that has entered none at all */
    int32_t last[2];            /* ... that have entered all but this one: the
                                   first, and the first that made other ones */
    uint64_t history;           /* of the former */
    int32_t stayed[2];          /* held, and this was their last call here: the
                                   first, and the first of another call */
    uint32_t call;              /* that of the former */
    uint8_t inter;
    uint8_t free;               /* a member is not held */
    uint64_t youngest_ns;       /* since one of them has entered its last one,
                                   in the same measure */
    uint64_t span_ns;           /* ... the least of any: how long each has
                                   looked for messages since it moved */
    union {
        struct {                /* n > 0: of those that have entered it */
            uint32_t known;     /* of so many it is known what they entered */
            uint32_t call;      /* of the first one that is known */
            int32_t first, other;       /* with this call, with another */
            int32_t rooted, elsewhere;  /* with this root, with another */
            int32_t root;
            int32_t amounts, unlike;    /* with this amount, with another */
            uint64_t bytes;
        } of;
        struct {                /* n is 0 */
            int32_t free;       /* first one that is not held */
            int32_t best, next; /* of those held: rather to be named */
            int32_t member[2];  /* the first ones */
            uint8_t completes;  /* one is in MPI_Win_complete */
        } any;
    };
};

/* Work space: one for each rank. The caller fills the first two, and starved. */
struct deadlock_rank {
    uint64_t still_ns;          /* since its calls but polling ones moved; 0:
                                   not known */
    uint64_t span_ns;           /* for so long it has looked for messages since
                                   then: deadlock_span(); where nobody knows how
                                   much of the processor it has had, still_ns */
    uint32_t request, flight, comm;     /* its first entries in the detail */
    uint32_t account, pair;     /* the same */
    uint32_t sender, sender_to; /* first and last rank that has ever sent to
                                   it */
    uint32_t under_way;         /* messages to it, from all, of whatever kind;
                                   UINT32_MAX: not known */
    uint32_t by;                /* request that it waits by; UINT32_MAX: none */
    int32_t to;                 /* whom it waits for, of those in the set */
    uint8_t state;              /* enum deadlock_state */
    uint8_t why;                /* enum deadlock_why */
    uint8_t mark;               /* while a cycle is looked for */
    uint8_t spins;              /* asks in a loop */
    uint8_t starved;            /* the caller's: it may not have looked for
                                   messages since others moved, for want of a
                                   processor */
    struct deadlock_group group;        /* none of its own: any one */
};

enum deadlock_state { DEADLOCK_FREE, DEADLOCK_BLOCKED, DEADLOCK_ENDED };

enum deadlock_why {
    DEADLOCK_RECV, DEADLOCK_SEND, DEADLOCK_PROBE,
    DEADLOCK_MEMBER,            /* has not entered the collective call */
    DEADLOCK_MISMATCH,          /* has entered another one */
    DEADLOCK_ROOT,              /* has named another root */
    DEADLOCK_AMOUNT,            /* has given another amount of data */
    DEADLOCK_LOCK,              /* has locked the window */
    DEADLOCK_WINDOW,            /* any member has to act */
    DEADLOCK_PARCELS,           /* gives or takes another amount than this one
                                   takes or gives */
    DEADLOCK_MEETING,           /* has not entered what only some members do */
    DEADLOCK_BUFFER,            /* does not receive what lies in the buffer */
};

/* For how long a task has looked for messages that stands in MPI, where used_ns
 * of the processor is what it has had since. MPI looks some 1,000 times a
 * millisecond: the first of them count 25 times, up to small_ns. In
 * MPI_Finalize Open MPI 4.1 naps between: it looks once each 100 to 190 us,
 * needs 7 to 20 us of the processor for that (measured), and finds at once what has
 * come, however busy the machine is: these count 40 times, so that it has looked
 * 1,250 times in a second's worth; more often if it does not nap. What moves
 * data has to have its time; a nap lets 4 KiB come at least, which are believed
 * to need ten times of what it uses: of one that was seen to nap, as several
 * that wake at a time all want to run. */
static inline uint64_t deadlock_span(const struct deadlock_limits *limits,
                                     uint64_t used_ns, bool finalizes,
                                     bool naps)
{
    unsigned times = finalizes ? 40 : 25;
    uint64_t first_ns = limits->small_ns / times;

    return used_ns < first_ns ? used_ns * times
        : limits->small_ns + (used_ns - first_ns) * (naps ? 10 : 1);
}

/* So long who moves so many bytes has to have looked for them, on one node: at
 * 10 MB/s. UINT64_MAX: for ever. */
static inline uint64_t deadlock_takes_ns(const struct deadlock_limits *limits,
                                         uint64_t bytes)
{
    return bytes < UINT64_MAX / 200 ? limits->small_ns + bytes * 100
                                    : UINT64_MAX;
}

/* What a message has of bytes at most of which nobody knows how many it has. */
#define DEADLOCK_MUCH (UINT64_C(64) << 20)

/* May another thread of the task call MPI while the one that is shown waits? The
 * snapshot has detail. */
bool deadlock_others(const struct hct_snapshot *in, const struct hct_rank *k);

/* What rank did as collective call n on comm: the call's number and its root;
 * 0: not known. */
uint32_t deadlock_call(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t rank,
                       uint64_t comm, uint64_t n, int32_t *root);

/* How much rank gave to or took from collective call n on comm, which is one in
 * which all members have to give the same: Bcast, Gather, Allreduce, but not
 * Gatherv. False: not known, or another one. */
bool deadlock_amount(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t rank,
                     uint64_t comm, uint64_t n, uint64_t *bytes);

/* The set itself: how many ranks are in it; their state says so. steps counts
 * the entries that were looked at: so many for each rank, however many there
 * are, as a rule. Beyond DEADLOCK_STEPS, some seconds, it is given up, and the set
 * is empty. The snapshot has detail. */
enum { DEADLOCK_STEPS = 1 << 26 };
uint32_t deadlock_set(const struct hct_snapshot *in, struct deadlock_rank *w,
                      const struct deadlock_limits *limits, uint64_t *steps);

/* The set in words, as a verdict of out; or, where some ask in a loop, as a
 * notice, after they have done so for that long. */
void deadlock_say(const struct hct_snapshot *in, struct deadlock_rank *w,
                  struct hct_out *out);
void deadlock_say_asking(const struct hct_snapshot *in,
                         struct deadlock_rank *w, uint64_t age_ns,
                         struct hct_out *out);

/* Since when all of the set stands. */
uint64_t deadlock_age(const struct hct_snapshot *in,
                      const struct deadlock_rank *w);

#endif
