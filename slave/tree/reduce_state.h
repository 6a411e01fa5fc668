/* reduce_state.h - the states of a reduction in a slave. Pure: no I/O.
 *
 *   gathering --complete--> sent --parent_lost--+
 *       | parent_lost                           v
 *       +--> gathering_alone --complete--> sent_alone       (to the master)
 *
 *   any --end--> over
 *
 * Complete: the own part and those of all children are in, or are not waited
 * for any longer. Alone is also who has no parent but the master. */
#ifndef HECTOR_REDUCE_STATE_H
#define HECTOR_REDUCE_STATE_H

#include "proto/base/err.h"
#include "proto/base/machine.h"

#define REDUCE_STATES(X)                    \
    X(GATHERING, "gathering")               \
    X(GATHERING_ALONE, "gathering_alone")   \
    X(SENT, "sent")                         \
    X(SENT_ALONE, "sent_alone")             \
    X(OVER, "over")
#define REDUCE_EVENTS(X)                    \
    X(COMPLETE, "complete")                 \
    X(PARENT_LOST, "parent_lost")           \
    X(END, "end")

#define X(n, word) REDUCE_##n,
enum reduce_state { REDUCE_STATES(X) REDUCE_STATE_COUNT };
enum reduce_event { REDUCE_EVENTS(X) REDUCE_EVENT_COUNT };
#undef X

extern const struct machine reduce_state_machine;
/* -1, naming both, if there is no such edge. */
int reduce_state_next(enum reduce_state from, enum reduce_event event,
                      enum reduce_state *to, struct err *err);

#endif
