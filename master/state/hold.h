/* hold.h - what hands have done to a task: which order it is under, and which
 * word or order leads where.
 *
 *             suspend               stopped
 *   going ------------> suspending ---------> suspended
 *     ^                  |      ^                 |
 *     |           resume |      | suspend         | resume
 *     | went             v      |                 |
 *     +----------------- resuming <---------------+
 *
 *   any of these ---end---> ending ---end_now---> killing
 *
 * suspend, resume, end and end_now are orders, stopped and went the words of
 * the slave, which may cross with orders: a word that belongs to an order
 * before the last one changes nothing, and one that nobody has ordered (a
 * debugger's work is not seen, that of an ending is) is believed. Orders that
 * are carried out already change nothing, so each may be given twice. Who is
 * being ended cannot be suspended any more. */
#ifndef HECTOR_HOLD_H
#define HECTOR_HOLD_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "proto/base/machine.h"

/*  NAME, word of column task.hold, the order that a slave has got for it
 *  (HoldOrder of hct.proto; -1: none, or to end), and the action in table action
 *  that is done when it is left by a word of the slave (NULL: none) */
#define HOLD_STATES(X)                              \
    X(GOING, "going", -1, NULL)                     \
    X(SUSPENDING, "suspending", 0, "suspend")       \
    X(SUSPENDED, "suspended", -1, NULL)             \
    X(RESUMING, "resuming", 1, "resume")            \
    X(ENDING, "ending", -1, NULL)                   \
    X(KILLING, "killing", -1, NULL)

#define HOLD_EVENTS(X)              \
    X(SUSPEND, "suspend")           \
    X(RESUME, "resume")             \
    X(STOPPED, "stopped")           \
    X(WENT, "went")                 \
    X(END, "end")                   \
    X(END_NOW, "end_now")

enum hold {
#define X(n, ...) HOLD_##n,
    HOLD_STATES(X)
#undef X
    HOLD_COUNT
};

enum hold_event {
#define X(n, word) HOLD_EVENT_##n,
    HOLD_EVENTS(X)
#undef X
    HOLD_EVENT_COUNT
};

extern const struct machine hold_machine;
int hold_next(enum hold s, enum hold_event e, enum hold *next,
              struct err *err);
bool hold_ordered(enum hold s);         /* the slave has to do something */
const char *hold_name(enum hold s);
int hold_order(enum hold s);
const char *hold_action(enum hold s);

#endif
