/* job_state.h - the states of a job, and which event leads where.
 *
 *   submitted --wait--> waiting           hosts that have not joined yet
 *       |                  |
 *       +------place-------+
 *                v
 *            preparing                    slaves register the job with PMIx
 *                | prepared
 *                v
 *            starting                     slaves fork the tasks
 *                | launched
 *                v
 *             running ------ended-------> done
 *                | fail, kill             (also from starting: tasks may be
 *                v                         faster than the word of them)
 *             ending  ---ended_failed---> failed
 *                     ---ended_killed---> killed
 *
 *             running, starting --return--> returning --again--> waiting
 *                                               | store          ^
 *                                               v                | again
 *                                             stored ------------+
 *
 * In returning what is left of its tasks is ended, as it goes back to a
 * checkpoint; a kill leads from there to ending, a failure changes nothing. Stored
 * has no tasks and no nodes; fail and kill lead from there to failed and killed.
 * Before starting there is nothing to end: fail and kill lead from there
 * straight to failed and killed; or ask leads to ending, where a batch system is
 * asked first whether it is to be blamed. In ending further failures and kills change
 * nothing. done, failed and killed are final. */
#ifndef HECTOR_JOB_STATE_H
#define HECTOR_JOB_STATE_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "proto/base/machine.h"

/*  NAME, word of the jobs view */
#define JOB_STATES(X)               \
    X(SUBMITTED, "submitted")       \
    X(WAITING, "waiting")           \
    X(STORED, "stored")             \
    X(PREPARING, "preparing")       \
    X(STARTING, "starting")         \
    X(RUNNING, "running")           \
    X(RETURNING, "returning")       \
    X(ENDING, "ending")             \
    X(DONE, "done")                 \
    X(FAILED, "failed")             \
    X(KILLED, "killed")

#define JOB_EVENTS(X)                                               \
    X(WAIT, "wait")                 /* a host has not joined */     \
    X(PLACE, "place")               /* every rank has a node */     \
    X(PREPARED, "prepared")         /* by all its slaves */         \
    X(LAUNCHED, "launched")         /* by all its slaves */         \
    X(FAIL, "fail")                 /* a task, a slave, a limit */  \
    X(KILL, "kill")                 /* somebody wants it */         \
    X(ASK, "ask")                   /* why, before it has begun */  \
    X(RETURN, "return")             /* to its checkpoint */         \
    X(AGAIN, "again")               /* all slaves drained */        \
    X(STORE, "store")               /* the same, to be resumed */   \
    X(ENDED, "ended")               /* all slaves drained */        \
    X(ENDED_FAILED, "ended_failed")                                 \
    X(ENDED_KILLED, "ended_killed")

enum job_state {
#define X(n, word) JOB_##n,
    JOB_STATES(X)
#undef X
    JOB_STATE_COUNT
};

enum job_event {
#define X(n, word) JOB_EVENT_##n,
    JOB_EVENTS(X)
#undef X
    JOB_EVENT_COUNT
};

extern const struct machine job_state_machine;
/* An edge that is not drawn above is an error that names both halves. */
int job_state_next(enum job_state s, enum job_event e, enum job_state *next,
                   struct err *err);
bool job_state_final(enum job_state s);
const char *job_state_name(enum job_state s);

#endif
