/* job_state.c - the edges drawn in job_state.h, as a table. */
#include "master/state/job_state.h"

static const char *const states[] = { JOB_STATES(MACHINE_WORD) };
static const char *const events[] = { JOB_EVENTS(MACHINE_WORD) };
static const struct machine_edge edges[] = {
    MACHINE_EDGE(JOB_SUBMITTED, JOB_EVENT_WAIT, JOB_WAITING),
    MACHINE_EDGE(JOB_SUBMITTED, JOB_EVENT_PLACE, JOB_PREPARING),
    MACHINE_EDGE(JOB_SUBMITTED, JOB_EVENT_FAIL, JOB_FAILED),
    MACHINE_EDGE(JOB_SUBMITTED, JOB_EVENT_KILL, JOB_KILLED),
    MACHINE_EDGE(JOB_WAITING, JOB_EVENT_PLACE, JOB_PREPARING),
    MACHINE_EDGE(JOB_WAITING, JOB_EVENT_FAIL, JOB_FAILED),
    MACHINE_EDGE(JOB_WAITING, JOB_EVENT_KILL, JOB_KILLED),
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_PREPARED, JOB_STARTING),
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_FAIL, JOB_FAILED),
    MACHINE_EDGE(JOB_PREPARING, JOB_EVENT_KILL, JOB_KILLED),
    MACHINE_EDGE(JOB_STARTING, JOB_EVENT_LAUNCHED, JOB_RUNNING),
    MACHINE_EDGE(JOB_STARTING, JOB_EVENT_FAIL, JOB_ENDING),
    MACHINE_EDGE(JOB_STARTING, JOB_EVENT_KILL, JOB_ENDING),
    MACHINE_EDGE(JOB_STARTING, JOB_EVENT_ENDED, JOB_DONE),
    MACHINE_EDGE(JOB_RUNNING, JOB_EVENT_FAIL, JOB_ENDING),
    MACHINE_EDGE(JOB_RUNNING, JOB_EVENT_KILL, JOB_ENDING),
    MACHINE_EDGE(JOB_RUNNING, JOB_EVENT_ENDED, JOB_DONE),
    MACHINE_EDGE(JOB_ENDING, JOB_EVENT_LAUNCHED, JOB_ENDING),
    MACHINE_EDGE(JOB_ENDING, JOB_EVENT_FAIL, JOB_ENDING),
    MACHINE_EDGE(JOB_ENDING, JOB_EVENT_KILL, JOB_ENDING),
    MACHINE_EDGE(JOB_ENDING, JOB_EVENT_ENDED_FAILED, JOB_FAILED),
    MACHINE_EDGE(JOB_ENDING, JOB_EVENT_ENDED_KILLED, JOB_KILLED),
};

const struct machine job_state_machine = {
    "job", "a job", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

int job_state_next(enum job_state s, enum job_event e, enum job_state *next,
                   struct err *err)
{
    int to = machine_next(&job_state_machine, s, e, err);

    if (to < 0)
        return -1;
    *next = (enum job_state)to;
    return 0;
}

bool job_state_final(enum job_state s)
{
    return s == JOB_DONE || s == JOB_FAILED || s == JOB_KILLED;
}

const char *job_state_name(enum job_state s)
{
    return machine_state(&job_state_machine, s);
}
