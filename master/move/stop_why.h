/* stop_why.h - why a stop was given up, and that as a sentence. */
#ifndef HECTOR_STOP_WHY_H
#define HECTOR_STOP_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "master/move/stop_look.h"

enum stop_reason {
    STOP_WHY_NOTHING,           /* it was not given up */
    /* by the limit: */
    STOP_WHY_BEHIND,            /* a task has not reached a target */
    STOP_WHY_INSIDE,            /* a task does not leave a collective */
    STOP_WHY_TORN,              /* a communicator is not there on all members */
    STOP_WHY_RUNNING,           /* a task does not freeze */
    STOP_WHY_STANDING,          /* a task does not thaw */
    STOP_WHY_SLIPPING,          /* all was met and frozen, but never at once */
    STOP_WHY_UNHEARD,           /* a page does not have the orders */
    STOP_WHY_MESSAGE,           /* one is missing */
    STOP_WHY_REQUEST,           /* one is not finished */
    /* at once: */
    STOP_WHY_FINALIZED,         /* too late */
    STOP_WHY_GONE,              /* a task, or its page */
    STOP_WHY_CROWDED,           /* a page lists more than there is room for */
};

struct stop_why {
    enum stop_reason reason;
    uint64_t after_ns;          /* since the stop began */
    uint32_t rank;              /* the task that is meant */
    enum stop_where where;      /* it */
    int32_t peer;
    uint64_t comm, entered, target;     /* BEHIND; comm also TORN, MESSAGE */
    uint32_t others;            /* BEHIND: more tasks of which that is so */
    uint32_t end;               /* BEHIND: the last one on the way of waits */
    enum stop_where end_where;
    bool circle;                /* there is no last one: end is on a circle */
    uint32_t listed, size;      /* TORN */
    uint64_t sent, received;    /* MESSAGE: of all tasks */
    bool paired;                /* it is from rank to peer, on comm, and: */
    uint64_t pair_sent, pair_received;
    uint32_t unfinished;        /* REQUEST */
};

enum { STOP_WHY_TEXT = 320 };
/* One sentence for a person, without a full stop; returns text. */
const char *stop_why_text(char text[STOP_WHY_TEXT], const struct stop_why *w);

#endif
