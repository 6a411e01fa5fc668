/* stop_why.c - the reason for which a stop was given up, in words. */
#include "master/move/stop_why.h"

#include <inttypes.h>
#include <stdio.h>

static const char *does(enum stop_where where)
{
    static const char *const words[] = {
#define X(n, word) [STOP_AT_##n] = word,
        STOP_WHERES(X)
#undef X
    };

    return (unsigned)where < STOP_AT_COUNT ? words[where] : "?";
}

static const char *whom(char text[48], const struct stop_why *w)
{
    *text = '\0';
    if (w->where == STOP_AT_WAITING && w->peer >= 0)
        snprintf(text, 48, " for task %" PRId32, w->peer);
    else if (w->where == STOP_AT_WAITING && w->peer == STOP_ANY)
        snprintf(text, 48, " for whoever sends");
    return text;
}

static void say_behind(char text[STOP_WHY_TEXT], const struct stop_why *w)
{
    char peer[48], end[80] = "", more[48] = "";

    if (w->circle)
        snprintf(end, sizeof(end), ", as part of a circle or before one: task "
                 "%" PRIu32 " is on it", w->end);
    else if (w->end != w->rank)
        snprintf(end, sizeof(end), ", and task %" PRIu32 " at the end of these "
                 "waits %s", w->end, does(w->end_where));
    if (w->others)
        snprintf(more, sizeof(more), " (%" PRIu32 " more tasks are behind)",
                 w->others);
    snprintf(text, STOP_WHY_TEXT, "task %" PRIu32 " has not reached collective "
             "%" PRIu64 " of communicator %" PRIx64 ", only %" PRIu64 "; it "
             "%s%s%s%s", w->rank, w->target, w->comm, w->entered,
             does(w->where), whom(peer, w), end, more);
}

static void say_message(char text[STOP_WHY_TEXT], const struct stop_why *w)
{
    char pair[160] = "";

    if (w->paired)
        snprintf(pair, sizeof(pair), ": from task %" PRIu32 " to %" PRId32 " on "
                 "communicator %" PRIx64 " %" PRIu64 " sent, %" PRIu64
                 " received", w->rank, w->peer, w->comm, w->pair_sent,
                 w->pair_received);
    snprintf(text, STOP_WHY_TEXT, "messages do not arrive, %" PRIu64 " sent and "
             "%" PRIu64 " received by all tasks%s", w->sent, w->received, pair);
}

static void say_task(char text[STOP_WHY_TEXT], const struct stop_why *w,
                     const char *what)
{
    char peer[48];

    snprintf(text, STOP_WHY_TEXT, "task %" PRIu32 " %s: it %s%s", w->rank, what,
             does(w->where), whom(peer, w));
}

const char *stop_why_text(char text[STOP_WHY_TEXT], const struct stop_why *w)
{
    switch (w->reason) {
    case STOP_WHY_NOTHING:
        snprintf(text, STOP_WHY_TEXT, "nothing stands against it");
        break;
    case STOP_WHY_BEHIND:
        say_behind(text, w);
        break;
    case STOP_WHY_INSIDE:
        say_task(text, w, "does not leave its collective");
        break;
    case STOP_WHY_TORN:
        snprintf(text, STOP_WHY_TEXT, "communicator %" PRIx64 " is there on %"
                 PRIu32 " of its %" PRIu32 " members, such as task %" PRIu32,
                 w->comm, w->listed, w->size, w->rank);
        break;
    case STOP_WHY_RUNNING:
        say_task(text, w, "does not stand still");
        break;
    case STOP_WHY_STANDING:
        say_task(text, w, "does not go on");
        break;
    case STOP_WHY_SLIPPING:
        snprintf(text, STOP_WHY_TEXT, "all could have been stopped, but never "
                 "at once");
        break;
    case STOP_WHY_UNHEARD:
        say_task(text, w, "has not got the order");
        break;
    case STOP_WHY_MESSAGE:
        say_message(text, w);
        break;
    case STOP_WHY_REQUEST:
        snprintf(text, STOP_WHY_TEXT, "task %" PRIu32 " has %s sends and "
                 "collectives that do not end", w->rank,
                 w->unfinished == STOP_UNKNOWN ? "not looked for" : "unfinished");
        break;
    case STOP_WHY_FINALIZED:
        snprintf(text, STOP_WHY_TEXT, "it is too late: task %" PRIu32
                 " has finalized MPI", w->rank);
        break;
    case STOP_WHY_GONE:
        snprintf(text, STOP_WHY_TEXT, "task %" PRIu32 " or its page is gone",
                 w->rank);
        break;
    case STOP_WHY_CROWDED:
        snprintf(text, STOP_WHY_TEXT, "task %" PRIu32 " has more communicators "
                 "than can be followed", w->rank);
        break;
    }
    return text;
}
