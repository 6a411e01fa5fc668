/* rung.h - one step that is taken for a deadline: its states, and which event
 * leads where.
 *
 *   proposed --store--> stored --order--> doing --work--> done
 *                         |                 |  |            |
 *                         |           break |  | undo       | undo
 *                         | over            v  v            v
 *                         +------------> failed  undoing --return--> undone
 *
 * stored: it is in the database, and nothing has been done. doing: it is
 * ordered. undoing: to be as before is ordered. over: who it was for, or who
 * it was done to, has ended, or a person has taken it over: from doing, done
 * and undoing to undone. failed and undone are final. */
#ifndef HECTOR_RUNG_H
#define HECTOR_RUNG_H

#include <stdbool.h>

#include "proto/base/machine.h"

#define RUNG_STATES(X)          \
    X(PROPOSED, "proposed")     \
    X(STORED, "stored")         \
    X(DOING, "doing")           \
    X(DONE, "done")             \
    X(UNDOING, "undoing")       \
    X(FAILED, "failed")         \
    X(UNDONE, "undone")

#define RUNG_EVENTS(X)          \
    X(STORE, "store")           \
    X(ORDER, "order")           \
    X(WORK, "work")             \
    X(BREAK, "break")           \
    X(UNDO, "undo")             \
    X(RETURN, "return")         \
    X(OVER, "over")

enum rung_state {
#define X(n, word) RUNG_##n,
    RUNG_STATES(X)
#undef X
    RUNG_STATE_COUNT
};

enum rung_event {
#define X(n, word) RUNG_EVENT_##n,
    RUNG_EVENTS(X)
#undef X
    RUNG_EVENT_COUNT
};

extern const struct machine rung_machine;
/* False: there is no such edge, and *s is as it was. */
bool rung_next(enum rung_state *s, enum rung_event e);
bool rung_final(enum rung_state s);
/* Something may have been done that has to be undone. */
bool rung_stands(enum rung_state s);
const char *rung_state_name(enum rung_state s);

#endif
