/* rung.c - the edges drawn in rung.h, as a table. */
#include "master/ladder/rung.h"

static const char *const states[] = { RUNG_STATES(MACHINE_WORD) };
static const char *const events[] = { RUNG_EVENTS(MACHINE_WORD) };
#define EDGE(from, event, to) \
    MACHINE_EDGE(RUNG_##from, RUNG_EVENT_##event, RUNG_##to)
static const struct machine_edge edges[] = {
    EDGE(PROPOSED, STORE, STORED),
    EDGE(STORED, ORDER, DOING),
    EDGE(STORED, OVER, FAILED),
    EDGE(DOING, WORK, DONE),
    EDGE(DOING, BREAK, FAILED),
    MACHINE_SPAN(RUNG_DOING, RUNG_DONE, RUNG_EVENT_UNDO, RUNG_UNDOING),
    EDGE(UNDOING, RETURN, UNDONE),
    MACHINE_SPAN(RUNG_DOING, RUNG_UNDOING, RUNG_EVENT_OVER, RUNG_UNDONE),
};

const struct machine rung_machine = {
    "rung", "a step for a deadline", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

bool rung_next(enum rung_state *s, enum rung_event e)
{
    int to = machine_next(&rung_machine, *s, e, NULL);

    if (to < 0)
        return false;
    *s = (enum rung_state)to;
    return true;
}

bool rung_final(enum rung_state s)
{
    return s >= RUNG_FAILED;
}

bool rung_stands(enum rung_state s)
{
    return s == RUNG_DOING || s == RUNG_DONE;
}

const char *rung_state_name(enum rung_state s)
{
    return machine_state(&rung_machine, s);
}
