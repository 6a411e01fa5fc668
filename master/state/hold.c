/* hold.c - the edges drawn in hold.h, as a table: by order or word, from
 * which states it leads where. */
#include "master/state/hold.h"

static const char *const states[] = { HOLD_STATES(MACHINE_WORD) };
static const char *const events[] = { HOLD_EVENTS(MACHINE_WORD) };
#define FROM(first, last, event, to) \
    MACHINE_SPAN(HOLD_##first, HOLD_##last, HOLD_EVENT_##event, HOLD_##to)
static const struct machine_edge edges[] = {
    FROM(GOING, SUSPENDING, SUSPEND, SUSPENDING),
    FROM(SUSPENDED, SUSPENDED, SUSPEND, SUSPENDED),
    FROM(RESUMING, RESUMING, SUSPEND, SUSPENDING),

    FROM(GOING, GOING, RESUME, GOING),
    FROM(SUSPENDING, RESUMING, RESUME, RESUMING),

    FROM(GOING, SUSPENDED, STOPPED, SUSPENDED),
    FROM(RESUMING, RESUMING, STOPPED, RESUMING),
    FROM(ENDING, ENDING, STOPPED, ENDING),
    FROM(KILLING, KILLING, STOPPED, KILLING),

    FROM(GOING, GOING, WENT, GOING),
    FROM(SUSPENDING, SUSPENDING, WENT, SUSPENDING),
    FROM(SUSPENDED, RESUMING, WENT, GOING),
    FROM(ENDING, ENDING, WENT, ENDING),
    FROM(KILLING, KILLING, WENT, KILLING),

    FROM(GOING, ENDING, END, ENDING),
    FROM(KILLING, KILLING, END, KILLING),
    FROM(GOING, KILLING, END_NOW, KILLING),
};

const struct machine hold_machine = {
    "hold", "a task", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

int hold_next(enum hold s, enum hold_event e, enum hold *next,
              struct err *err)
{
    int to = machine_next(&hold_machine, s, e, err);

    if (to < 0)
        return -1;
    *next = (enum hold)to;
    return 0;
}

bool hold_ordered(enum hold s)
{
    return s != HOLD_GOING && s != HOLD_SUSPENDED;
}

const char *hold_name(enum hold s)
{
    return machine_state(&hold_machine, s);
}

int hold_order(enum hold s)
{
    static const int orders[] = {
#define X(n, word, order, action) [HOLD_##n] = order,
        HOLD_STATES(X)
#undef X
    };

    return (unsigned)s < HOLD_COUNT ? orders[s] : -1;
}

const char *hold_action(enum hold s)
{
    static const char *const actions[] = {
#define X(n, word, order, action) [HOLD_##n] = action,
        HOLD_STATES(X)
#undef X
    };

    return (unsigned)s < HOLD_COUNT ? actions[s] : NULL;
}
