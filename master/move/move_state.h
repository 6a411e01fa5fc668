/* move_state.h - the states of a move, and which event leads where.
 *
 *   asked --checked--> checked --quiet--> quiet --drained--> drained
 *     | refused          | give_up          | give_up           | give_up
 *     v                  v                  v                   v
 *    back <--------------+------------------+-------------------+
 *
 *   drained --apart--> apart --imaged--> imaged --restored--> restored
 *                        |                                      | joined
 *                        | return                               v
 *                        +-----> returning ---restored--> ... joined
 *
 *   joined --went--> going                 joined --returned--> back
 *   any of apart, imaged, returning, restored ---lose---> lost
 *   any of apart, imaged, returning           ---alone--> back
 *
 * checked: there is room for the tasks, and the job is being stopped. quiet: all
 * its tasks stand. drained: nothing is under way between them. apart: each is to
 * drop its MPI library, and who leaves writes an image. imaged: they have left.
 * restored: they are there, and all may take another library. joined: all have.
 * returning: all are where they were, and take another library there. going, back
 * and lost are final; in lost the job is, too. */
#ifndef HECTOR_MOVE_STATE_H
#define HECTOR_MOVE_STATE_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "proto/base/machine.h"

#define MOVE_STATES(X)          \
    X(ASKED, "asked")           \
    X(CHECKED, "checked")       \
    X(QUIET, "quiet")           \
    X(DRAINED, "drained")       \
    X(APART, "apart")           \
    X(IMAGED, "imaged")         \
    X(RETURNING, "returning")   \
    X(RESTORED, "restored")     \
    X(JOINED, "joined")         \
    X(GOING, "going")           \
    X(BACK, "back")             \
    X(LOST, "lost")

#define MOVE_EVENTS(X)                                                  \
    X(CHECKED, "checked")       /* the node is prepared */              \
    X(QUIET, "quiet")           /* all tasks stand */                   \
    X(THAWED, "thawed")         /* and go on for a while */             \
    X(DRAINED, "drained")       /* nothing is under way */              \
    X(APART, "apart")           /* their new places are registered */   \
    X(IMAGED, "imaged")         /* who leaves has left */               \
    X(RETURN, "return")         /* who was to leave stays */            \
    X(RESTORED, "restored")     /* all ask for their places */          \
    X(JOINED, "joined")         /* all have taken them */               \
    X(WENT, "went")             /* all go on */                         \
    X(RETURNED, "returned")     /* all go on, where they were */        \
    X(GIVE_UP, "give_up")       /* all go on, and nothing has changed */ \
    X(LOSE, "lose")                                                     \
    X(ALONE, "alone")           /* their slave has let all go on, without \
                                   a master */

enum move_state {
#define X(n, word) MOVE_##n,
    MOVE_STATES(X)
#undef X
    MOVE_STATE_COUNT
};

enum move_event {
#define X(n, ...) MOVE_EVENT_##n,
    MOVE_EVENTS(X)
#undef X
    MOVE_EVENT_COUNT
};

extern const struct machine move_state_machine;
/* An edge that is not drawn above is an error that names both halves. */
int move_state_next(enum move_state s, enum move_event e,
                    enum move_state *next, struct err *err);
bool move_state_final(enum move_state s);
const char *move_state_name(enum move_state s);
/* Nothing was taken apart yet: whoever stands may just go on. */
bool move_state_is_whole(enum move_state s);

#endif
