/* hold.c - the edges drawn in hold.h, as a table. */
#include "master/state/hold.h"

#include <errno.h>
#include <string.h>

#define NO HOLD_COUNT

static const enum hold edges[HOLD_COUNT][HOLD_EVENT_COUNT] = {
    /*                    suspend          resume
                          stopped          went
                          end              end_now */
    [HOLD_GOING] =      { HOLD_SUSPENDING, HOLD_GOING,
                          HOLD_SUSPENDED,  HOLD_GOING,
                          HOLD_ENDING,     HOLD_KILLING },
    [HOLD_SUSPENDING] = { HOLD_SUSPENDING, HOLD_RESUMING,
                          HOLD_SUSPENDED,  HOLD_SUSPENDING,
                          HOLD_ENDING,     HOLD_KILLING },
    [HOLD_SUSPENDED] =  { HOLD_SUSPENDED,  HOLD_RESUMING,
                          HOLD_SUSPENDED,  HOLD_GOING,
                          HOLD_ENDING,     HOLD_KILLING },
    [HOLD_RESUMING] =   { HOLD_SUSPENDING, HOLD_RESUMING,
                          HOLD_RESUMING,   HOLD_GOING,
                          HOLD_ENDING,     HOLD_KILLING },
    [HOLD_ENDING] =     { NO,              NO,
                          HOLD_ENDING,     HOLD_ENDING,
                          HOLD_ENDING,     HOLD_KILLING },
    [HOLD_KILLING] =    { NO,              NO,
                          HOLD_KILLING,    HOLD_KILLING,
                          HOLD_KILLING,    HOLD_KILLING },
};

int hold_next(enum hold s, enum hold_event e, enum hold *next,
              struct err *err)
{
    if ((unsigned)s < HOLD_COUNT && (unsigned)e < HOLD_EVENT_COUNT &&
        edges[s][e] != NO) {
        *next = edges[s][e];
        return 0;
    }
    return err_set(err, EPROTO, "%s is not legal for a task that is %s",
                   hold_event_name(e), hold_name(s));
}

bool hold_ordered(enum hold s)
{
    return s != HOLD_GOING && s != HOLD_SUSPENDED;
}

const char *hold_name(enum hold s)
{
    static const char *const names[] = {
#define X(n, word, ...) [HOLD_##n] = word,
        HOLD_STATES(X)
#undef X
    };

    return (unsigned)s < HOLD_COUNT ? names[s] : "?";
}

enum hold hold_find(const char *name)
{
    unsigned s = 0;

    while (s < HOLD_COUNT && strcmp(hold_name(s), name) != 0)
        s++;
    return s;
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

const char *hold_event_name(enum hold_event e)
{
    static const char *const names[] = {
#define X(n, word) [HOLD_EVENT_##n] = word,
        HOLD_EVENTS(X)
#undef X
    };

    return (unsigned)e < HOLD_EVENT_COUNT ? names[e] : "?";
}
