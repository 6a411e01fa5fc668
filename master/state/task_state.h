/* task_state.h - the states of a task, and which event leads where.
 *
 *   placed -> starting -> running -> in_mpi_init -> connected -> finalized
 *     |          |           |            |             |            |
 *     +----------+-----------+------------+-------------+------------+
 *                            |
 *                            v
 *             exited | killed (by a signal) | lost (with its node)
 *                            | again
 *                            v
 *                          placed
 *
 * Words of a task may overtake each other (its page, PMIx and the slave each
 * tell a part), so a later state may be entered from any earlier one; going
 * back is an error. The three final states stay, but for a job that goes back to a
 * checkpoint. */
#ifndef HECTOR_TASK_STATE_H
#define HECTOR_TASK_STATE_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "proto/base/machine.h"

/*  NAME, word of the tasks view */
#define TASK_STATES(X)              \
    X(PLACED, "placed")             \
    X(STARTING, "starting")         \
    X(RUNNING, "running")           \
    X(IN_MPI_INIT, "in_mpi_init")   \
    X(CONNECTED, "connected")       \
    X(FINALIZED, "finalized")       \
    X(EXITED, "exited")             \
    X(KILLED, "killed")             \
    X(LOST, "lost")

#define TASK_EVENTS(X)              \
    X(LAUNCH, "launch")             \
    X(RUN, "run")                   \
    X(MPI_INIT, "mpi_init")         \
    X(CONNECT, "connect")           \
    X(FINALIZE, "finalize")         \
    X(EXIT, "exit")                 \
    X(SIGNAL, "signal")             \
    X(LOSE, "lose")                 \
    X(AGAIN, "again")

enum task_state {
#define X(n, word) TASK_##n,
    TASK_STATES(X)
#undef X
    TASK_STATE_COUNT
};

enum task_event {
#define X(n, word) TASK_EVENT_##n,
    TASK_EVENTS(X)
#undef X
    TASK_EVENT_COUNT
};

extern const struct machine task_state_machine;
int task_state_next(enum task_state s, enum task_event e,
                    enum task_state *next, struct err *err);
bool task_state_final(enum task_state s);
/* Between MPI_Init and MPI_Finalize: others may be waiting for it. */
bool task_state_in_mpi(enum task_state s);
const char *task_state_name(enum task_state s);

#endif
