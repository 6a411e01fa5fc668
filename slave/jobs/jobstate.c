/* jobstate.c - the table of a job's states on one node.
 *
 * Terminate is legal in every state until the job is forgotten, and repeats
 * are harmless: the master may order it while the facts that answer it are
 * still on their way. */
#include "slave/jobs/jobstate.h"

#include <errno.h>
#include <stddef.h>

static const struct {
    enum job_state from;
    enum job_event event;
    enum job_state to;
} edges[] = {
    { JOB_PREPARING,   JOB_EVENT_PREPARED,  JOB_PREPARED },
    { JOB_PREPARING,   JOB_EVENT_REFUSED,   JOB_DRAINED },
    { JOB_PREPARING,   JOB_EVENT_TERMINATE, JOB_DRAINING },
    { JOB_PREPARING,   JOB_EVENT_FORGET,    JOB_FORGOTTEN },
    { JOB_PREPARED,    JOB_EVENT_LAUNCH,    JOB_LAUNCHING },
    { JOB_PREPARED,    JOB_EVENT_TERMINATE, JOB_DRAINING },
    { JOB_PREPARED,    JOB_EVENT_FORGET,    JOB_FORGOTTEN },
    { JOB_LAUNCHING,   JOB_EVENT_LAUNCHED,  JOB_RUNNING },
    { JOB_LAUNCHING,   JOB_EVENT_TERMINATE, JOB_TERMINATING },
    { JOB_RUNNING,     JOB_EVENT_TERMINATE, JOB_TERMINATING },
    { JOB_RUNNING,     JOB_EVENT_EXITED,    JOB_DRAINING },
    { JOB_TERMINATING, JOB_EVENT_LAUNCHED,  JOB_TERMINATING },
    { JOB_TERMINATING, JOB_EVENT_TERMINATE, JOB_TERMINATING },
    { JOB_TERMINATING, JOB_EVENT_EXITED,    JOB_DRAINING },
    { JOB_DRAINING,    JOB_EVENT_TERMINATE, JOB_DRAINING },
    { JOB_DRAINING,    JOB_EVENT_FLUSHED,   JOB_DRAINED },
    { JOB_DRAINED,     JOB_EVENT_TERMINATE, JOB_DRAINED },
    { JOB_DRAINED,     JOB_EVENT_FORGET,    JOB_FORGOTTEN },
};

const char *jobstate_name(enum job_state s)
{
#define X(name, text) text,
    static const char *const names[] = { JOB_STATES(X) };
#undef X

    return s < JOB_STATE_COUNT ? names[s] : "?";
}

const char *jobstate_event_name(enum job_event e)
{
#define X(name, text) text,
    static const char *const names[] = { JOB_EVENTS(X) };
#undef X

    return e < JOB_EVENT_COUNT ? names[e] : "?";
}

int jobstate_next(enum job_state s, enum job_event e, enum job_state *next,
                  struct err *err)
{
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
        if (edges[i].from == s && edges[i].event == e)
            return *next = edges[i].to, 0;
    return err_set(err, EPROTO, "'%s' is not legal for a job that is %s",
                   jobstate_event_name(e), jobstate_name(s));
}
