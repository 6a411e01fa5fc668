/* jobstate.c - the table of a job's states on one node.
 *
 * Terminate is legal in every state until the job is forgotten, and repeats
 * are harmless: the master may order it while the facts that answer it are
 * still on their way. */
#include "slave/jobs/jobstate.h"

static const char *const states[] = { JOB_STATES(MACHINE_WORD) };
static const char *const events[] = { JOB_EVENTS(MACHINE_WORD) };
static const struct machine_edge edges[] = {
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_PREPARED, JOB_PREPARED),
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_REFUSED, JOB_DRAINED),
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_TERMINATE, JOB_DRAINING),
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_FORGET, JOB_FORGOTTEN),
    MACHINE_EDGE(JOB_PREPARED, JOB_EVENT_LAUNCH, JOB_LAUNCHING),
    MACHINE_EDGE(JOB_PREPARED, JOB_EVENT_TERMINATE, JOB_DRAINING),
    MACHINE_EDGE(JOB_PREPARED, JOB_EVENT_FORGET, JOB_FORGOTTEN),
    MACHINE_EDGE(JOB_LAUNCHING, JOB_EVENT_LAUNCHED, JOB_RUNNING),
    MACHINE_EDGE(JOB_LAUNCHING, JOB_EVENT_TERMINATE, JOB_TERMINATING),
    MACHINE_EDGE(JOB_RUNNING, JOB_EVENT_TERMINATE, JOB_TERMINATING),
    MACHINE_EDGE(JOB_RUNNING, JOB_EVENT_EXITED, JOB_DRAINING),
    MACHINE_EDGE(JOB_TERMINATING, JOB_EVENT_LAUNCHED, JOB_TERMINATING),
    MACHINE_EDGE(JOB_TERMINATING, JOB_EVENT_TERMINATE, JOB_TERMINATING),
    MACHINE_EDGE(JOB_TERMINATING, JOB_EVENT_EXITED, JOB_DRAINING),
    MACHINE_EDGE(JOB_DRAINING, JOB_EVENT_TERMINATE, JOB_DRAINING),
    MACHINE_EDGE(JOB_DRAINING, JOB_EVENT_FLUSHED, JOB_DRAINED),
    MACHINE_EDGE(JOB_DRAINED, JOB_EVENT_TERMINATE, JOB_DRAINED),
    MACHINE_EDGE(JOB_DRAINED, JOB_EVENT_FORGET, JOB_FORGOTTEN),
};

const struct machine jobstate_machine = {
    "job", "a job", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

const char *jobstate_name(enum job_state s)
{
    return machine_state(&jobstate_machine, s);
}

int jobstate_next(enum job_state s, enum job_event e, enum job_state *next,
                  struct err *err)
{
    int to = machine_next(&jobstate_machine, s, e, err);

    if (to < 0)
        return -1;
    *next = (enum job_state)to;
    return 0;
}
