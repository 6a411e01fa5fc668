/* stop_state.c - the edges drawn in stop_state.h, as a table. */
#include "master/move/stop_state.h"

static const char *const states[] = { STOP_STATES(MACHINE_WORD) };
static const char *const events[] = { STOP_EVENTS(MACHINE_WORD) };
#define FROM(first, last, event, to) \
    MACHINE_SPAN(STOP_##first, STOP_##last, STOP_EVENT_##event, STOP_##to)
static const struct machine_edge edges[] = {
    FROM(QUIESCING, QUIESCING, MET, FREEZING),
    FROM(FREEZING, FREEZING, FROZEN, DRAINING),
    FROM(FREEZING, FREEZING, SLIPPED, THAWING),
    FROM(FREEZING, FREEZING, LATE, THAWING),
    FROM(THAWING, THAWING, THAWED, QUIESCING),
    FROM(DRAINING, DRAINING, SLIPPED, THAWING),
    FROM(DRAINING, DRAINING, DRAINED, STOPPED),
    FROM(QUIESCING, DRAINING, GIVE_UP, GIVEN_UP),
};

const struct machine stop_state_machine = {
    "stop", "a stop", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

int stop_state_next(enum stop_state s, enum stop_event e,
                    enum stop_state *next, struct err *err)
{
    int to = machine_next(&stop_state_machine, s, e, err);

    if (to < 0)
        return -1;
    *next = (enum stop_state)to;
    return 0;
}

enum stop_want stop_state_want(enum stop_state s)
{
    static const enum stop_want wants[] = {
#define X(n, word, want) [STOP_##n] = STOP_WANT_##want,
        STOP_STATES(X)
#undef X
    };

    return (unsigned)s < STOP_STATE_COUNT ? wants[s] : STOP_WANT_RUN;
}
