/* reduce_state.c - the table of a reduction's edges. */
#include "slave/tree/reduce_state.h"

static const char *const states[] = { REDUCE_STATES(MACHINE_WORD) };
static const char *const events[] = { REDUCE_EVENTS(MACHINE_WORD) };
static const struct machine_edge edges[] = {
    MACHINE_EDGE(REDUCE_GATHERING, REDUCE_COMPLETE, REDUCE_SENT),
    MACHINE_EDGE(REDUCE_GATHERING, REDUCE_PARENT_LOST, REDUCE_GATHERING_ALONE),
    MACHINE_EDGE(REDUCE_GATHERING_ALONE, REDUCE_COMPLETE, REDUCE_SENT_ALONE),
    MACHINE_EDGE(REDUCE_SENT, REDUCE_PARENT_LOST, REDUCE_SENT_ALONE),
    MACHINE_SPAN(REDUCE_GATHERING, REDUCE_SENT_ALONE, REDUCE_END, REDUCE_OVER),
};

const struct machine reduce_state_machine = {
    "reduction", "a reduction", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

int reduce_state_next(enum reduce_state from, enum reduce_event event,
                      enum reduce_state *to, struct err *err)
{
    int next = machine_next(&reduce_state_machine, from, event, err);

    if (next < 0)
        return -1;
    *to = (enum reduce_state)next;
    return 0;
}
