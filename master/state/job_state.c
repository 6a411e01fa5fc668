/* job_state.c - the edges drawn in job_state.h, as a table. */
#include "master/state/job_state.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
    enum job_state from;
    enum job_event event;
    enum job_state to;
} edges[] = {
    { JOB_SUBMITTED, JOB_EVENT_WAIT, JOB_WAITING },
    { JOB_SUBMITTED, JOB_EVENT_PLACE, JOB_PREPARING },
    { JOB_SUBMITTED, JOB_EVENT_FAIL, JOB_FAILED },
    { JOB_SUBMITTED, JOB_EVENT_KILL, JOB_KILLED },
    { JOB_WAITING, JOB_EVENT_PLACE, JOB_PREPARING },
    { JOB_WAITING, JOB_EVENT_FAIL, JOB_FAILED },
    { JOB_WAITING, JOB_EVENT_KILL, JOB_KILLED },
    { JOB_PREPARING, JOB_EVENT_PREPARED, JOB_STARTING },
    { JOB_PREPARING, JOB_EVENT_FAIL, JOB_FAILED },
    { JOB_PREPARING, JOB_EVENT_KILL, JOB_KILLED },
    { JOB_STARTING, JOB_EVENT_LAUNCHED, JOB_RUNNING },
    { JOB_STARTING, JOB_EVENT_FAIL, JOB_ENDING },
    { JOB_STARTING, JOB_EVENT_KILL, JOB_ENDING },
    { JOB_STARTING, JOB_EVENT_ENDED, JOB_DONE },
    { JOB_RUNNING, JOB_EVENT_FAIL, JOB_ENDING },
    { JOB_RUNNING, JOB_EVENT_KILL, JOB_ENDING },
    { JOB_RUNNING, JOB_EVENT_ENDED, JOB_DONE },
    { JOB_ENDING, JOB_EVENT_LAUNCHED, JOB_ENDING },
    { JOB_ENDING, JOB_EVENT_FAIL, JOB_ENDING },
    { JOB_ENDING, JOB_EVENT_KILL, JOB_ENDING },
    { JOB_ENDING, JOB_EVENT_ENDED_FAILED, JOB_FAILED },
    { JOB_ENDING, JOB_EVENT_ENDED_KILLED, JOB_KILLED },
};

int job_state_next(enum job_state s, enum job_event e, enum job_state *next,
                   struct err *err)
{
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
        if (edges[i].from == s && edges[i].event == e) {
            *next = edges[i].to;
            return 0;
        }
    return err_set(err, EPROTO, "%s is not legal for a job that is %s",
                   job_event_name(e), job_state_name(s));
}

bool job_state_final(enum job_state s)
{
    return s == JOB_DONE || s == JOB_FAILED || s == JOB_KILLED;
}

const char *job_state_name(enum job_state s)
{
    static const char *const names[] = {
#define X(n, word) [JOB_##n] = word,
        JOB_STATES(X)
#undef X
    };

    return (unsigned)s < JOB_STATE_COUNT ? names[s] : "?";
}

enum job_state job_state_find(const char *name)
{
    unsigned s = 0;

    while (s < JOB_STATE_COUNT && strcmp(job_state_name(s), name) != 0)
        s++;
    return s;
}

const char *job_event_name(enum job_event e)
{
    static const char *const names[] = {
#define X(n, word) [JOB_EVENT_##n] = word,
        JOB_EVENTS(X)
#undef X
    };

    return (unsigned)e < JOB_EVENT_COUNT ? names[e] : "?";
}
