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

enum reduce_state { REDUCE_GATHERING, REDUCE_GATHERING_ALONE, REDUCE_SENT,
                    REDUCE_SENT_ALONE, REDUCE_OVER, REDUCE_STATES };
enum reduce_event { REDUCE_COMPLETE, REDUCE_PARENT_LOST, REDUCE_END,
                    REDUCE_EVENTS };

/* -1, naming both, if there is no such edge. */
int reduce_next(enum reduce_state from, enum reduce_event event,
                enum reduce_state *to, struct err *err);

#endif
