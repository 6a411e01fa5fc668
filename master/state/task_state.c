/* task_state.c - the edges drawn in task_state.h, as a table: each event has
 * one target, and a span of states it may come from. */
#include "master/state/task_state.h"

#include <errno.h>
#include <string.h>

static const struct {
    enum task_state first, last, to;
} edges[TASK_EVENT_COUNT] = {
    [TASK_EVENT_LAUNCH] = { TASK_PLACED, TASK_PLACED, TASK_STARTING },
    [TASK_EVENT_RUN] = { TASK_PLACED, TASK_STARTING, TASK_RUNNING },
    [TASK_EVENT_MPI_INIT] = { TASK_PLACED, TASK_RUNNING, TASK_IN_MPI_INIT },
    [TASK_EVENT_CONNECT] = { TASK_PLACED, TASK_IN_MPI_INIT, TASK_CONNECTED },
    [TASK_EVENT_FINALIZE] = { TASK_PLACED, TASK_CONNECTED, TASK_FINALIZED },
    [TASK_EVENT_EXIT] = { TASK_PLACED, TASK_FINALIZED, TASK_EXITED },
    [TASK_EVENT_SIGNAL] = { TASK_PLACED, TASK_FINALIZED, TASK_KILLED },
    [TASK_EVENT_LOSE] = { TASK_PLACED, TASK_FINALIZED, TASK_LOST },
};

int task_state_next(enum task_state s, enum task_event e,
                    enum task_state *next, struct err *err)
{
    if ((unsigned)e < TASK_EVENT_COUNT && s >= edges[e].first &&
        s <= edges[e].last) {
        *next = edges[e].to;
        return 0;
    }
    return err_set(err, EPROTO, "%s is not legal for a task that is %s",
                   task_event_name(e), task_state_name(s));
}

bool task_state_final(enum task_state s)
{
    return s == TASK_EXITED || s == TASK_KILLED || s == TASK_LOST;
}

bool task_state_in_mpi(enum task_state s)
{
    return s == TASK_IN_MPI_INIT || s == TASK_CONNECTED;
}

const char *task_state_name(enum task_state s)
{
    static const char *const names[] = {
#define X(n, word) [TASK_##n] = word,
        TASK_STATES(X)
#undef X
    };

    return (unsigned)s < TASK_STATE_COUNT ? names[s] : "?";
}

enum task_state task_state_find(const char *name)
{
    unsigned s = 0;

    while (s < TASK_STATE_COUNT && strcmp(task_state_name(s), name) != 0)
        s++;
    return s;
}

const char *task_event_name(enum task_event e)
{
    static const char *const names[] = {
#define X(n, word) [TASK_EVENT_##n] = word,
        TASK_EVENTS(X)
#undef X
    };

    return (unsigned)e < TASK_EVENT_COUNT ? names[e] : "?";
}
