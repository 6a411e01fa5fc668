/* task_state.c - the edges drawn in task_state.h, as a table: each event has
 * one target, and a span of states it may come from. */
#include "master/state/task_state.h"

static const char *const states[] = { TASK_STATES(MACHINE_WORD) };
static const char *const events[] = { TASK_EVENTS(MACHINE_WORD) };
#define UP_TO(last, event, to) \
    MACHINE_SPAN(TASK_PLACED, last, TASK_EVENT_##event, to)
static const struct machine_edge edges[] = {
    UP_TO(TASK_PLACED, LAUNCH, TASK_STARTING),
    UP_TO(TASK_STARTING, RUN, TASK_RUNNING),
    UP_TO(TASK_RUNNING, MPI_INIT, TASK_IN_MPI_INIT),
    UP_TO(TASK_IN_MPI_INIT, CONNECT, TASK_CONNECTED),
    UP_TO(TASK_CONNECTED, FINALIZE, TASK_FINALIZED),
    UP_TO(TASK_FINALIZED, EXIT, TASK_EXITED),
    UP_TO(TASK_FINALIZED, SIGNAL, TASK_KILLED),
    UP_TO(TASK_FINALIZED, LOSE, TASK_LOST),
    MACHINE_SPAN(TASK_EXITED, TASK_LOST, TASK_EVENT_AGAIN, TASK_PLACED),
};

const struct machine task_state_machine = {
    "task", "a task", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

int task_state_next(enum task_state s, enum task_event e,
                    enum task_state *next, struct err *err)
{
    int to = machine_next(&task_state_machine, s, e, err);

    if (to < 0)
        return -1;
    *next = (enum task_state)to;
    return 0;
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
    return machine_state(&task_state_machine, s);
}
