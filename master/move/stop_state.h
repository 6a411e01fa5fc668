/* stop_state.h - the states of a stop, and which event leads where.
 *
 *               met               frozen              drained
 *   quiescing -------> freezing ----------> draining ---------> stopped
 *       ^                 | slipped, late      | slipped
 *       | thawed          v                    |
 *       +-------------- thawing <--------------+
 *
 *   any of the first four ---give_up---> given_up
 *
 * In quiescing members of a communicator come up to each other, in freezing
 * they are to stand still, in draining they receive what is under way. Who was
 * not seen to stand as all others do (slipped), or not in time (late), makes
 * all go on for a while. stopped and given_up are final. */
#ifndef HECTOR_STOP_STATE_H
#define HECTOR_STOP_STATE_H

#include "proto/base/err.h"
#include "proto/base/machine.h"

/*  NAME, word, the word that stands in the pages meanwhile */
#define STOP_STATES(X)                          \
    X(QUIESCING, "quiescing", QUIESCE)          \
    X(FREEZING, "freezing", FREEZE)             \
    X(THAWING, "thawing", QUIESCE)              \
    X(DRAINING, "draining", DRAIN)              \
    X(STOPPED, "stopped", DRAIN)                \
    X(GIVEN_UP, "given_up", RUN)

#define STOP_EVENTS(X)                                                  \
    X(MET, "met")               /* all targets, and nobody is inside */ \
    X(FROZEN, "frozen")         /* all, with equal numbers */           \
    X(SLIPPED, "slipped")       /* somebody was not held */             \
    X(LATE, "late")             /* somebody does not freeze */          \
    X(THAWED, "thawed")         /* nobody is frozen any more */         \
    X(DRAINED, "drained")       /* nothing is under way */              \
    X(GIVE_UP, "give_up")       /* a limit, or a task that is gone */

enum stop_state {
#define X(n, ...) STOP_##n,
    STOP_STATES(X)
#undef X
    STOP_STATE_COUNT
};

enum stop_event {
#define X(n, word) STOP_EVENT_##n,
    STOP_EVENTS(X)
#undef X
    STOP_EVENT_COUNT
};

/* What the page of each task says it is to do. */
enum stop_want {
    STOP_WANT_RUN,              /* nothing is asked */
    STOP_WANT_QUIESCE,          /* enter no collective beyond the target */
    STOP_WANT_FREEZE,           /* that, and stand still where you are */
    STOP_WANT_DRAIN,            /* stand, finish what is not a receive, and
                                   receive what arrives */
};

extern const struct machine stop_state_machine;
/* An edge that is not drawn above is an error that names both halves. */
int stop_state_next(enum stop_state s, enum stop_event e,
                    enum stop_state *next, struct err *err);
enum stop_want stop_state_want(enum stop_state s);

#endif
