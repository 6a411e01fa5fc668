/* move_state.c - the edges drawn in move_state.h, as a table. */
#include "master/move/move_state.h"

static const char *const states[] = { MOVE_STATES(MACHINE_WORD) };
static const char *const events[] = { MOVE_EVENTS(MACHINE_WORD) };
#define EDGE(from, event, to) \
    MACHINE_EDGE(MOVE_##from, MOVE_EVENT_##event, MOVE_##to)
static const struct machine_edge edges[] = {
    EDGE(ASKED, CHECKED, CHECKED),
    EDGE(CHECKED, QUIET, QUIET),
    EDGE(QUIET, THAWED, CHECKED),
    EDGE(QUIET, DRAINED, DRAINED),
    EDGE(DRAINED, APART, APART),
    EDGE(APART, IMAGED, IMAGED),
    EDGE(APART, RETURN, RETURNING),
    EDGE(IMAGED, RESTORED, RESTORED),
    EDGE(RETURNING, RESTORED, RESTORED),
    EDGE(RESTORED, JOINED, JOINED),
    EDGE(JOINED, WENT, GOING),
    EDGE(JOINED, RETURNED, BACK),
    MACHINE_SPAN(MOVE_ASKED, MOVE_DRAINED, MOVE_EVENT_GIVE_UP, MOVE_BACK),
    MACHINE_SPAN(MOVE_APART, MOVE_RETURNING, MOVE_EVENT_ALONE, MOVE_BACK),
    MACHINE_SPAN(MOVE_APART, MOVE_RESTORED, MOVE_EVENT_LOSE, MOVE_LOST),
};

const struct machine move_state_machine = {
    "move", "a move", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

int move_state_next(enum move_state s, enum move_event e,
                    enum move_state *next, struct err *err)
{
    int to = machine_next(&move_state_machine, s, e, err);

    if (to < 0)
        return -1;
    *next = (enum move_state)to;
    return 0;
}

bool move_state_final(enum move_state s)
{
    return s >= MOVE_GOING;
}

const char *move_state_name(enum move_state s)
{
    return machine_state(&move_state_machine, s);
}

bool move_state_is_whole(enum move_state s)
{
    return s < MOVE_APART;
}
