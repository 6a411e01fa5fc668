/* jobstate.h - the states of a job on one node.
 *
 *   preparing -prepared-> prepared -launch-> launching -launched-> running
 *      |                      |                 |                    |  |
 *   terminate             terminate         terminate         terminate exited
 *      |                      |                 +----> terminating <-+  |
 *      |                      |                             | exited     |
 *      +----------------------+---------> draining <--------+------------+
 *                                            | flushed
 *      refused (from preparing) ---------> drained -forget-> forgotten
 *
 * preparing: the namespace is being registered and the stream link opened.
 * launching: the tasks are forked, not all have reported their exec yet.
 * draining: no task lives; output, records and left-over processes remain.
 * A job that could not be prepared goes to drained by "refused". One that has no
 * tasks yet is forgotten from preparing and prepared as well: it was ended
 * before its start, or another node has refused it. Only the master's orders and
 * the world's facts are events: nothing here decides. */
#ifndef HECTOR_JOBSTATE_H
#define HECTOR_JOBSTATE_H

#include "proto/base/err.h"
#include "proto/base/machine.h"

#define JOB_STATES(X) X(PREPARING, "preparing") X(PREPARED, "prepared")     \
    X(LAUNCHING, "launching") X(RUNNING, "running")                         \
    X(TERMINATING, "terminating") X(DRAINING, "draining")                   \
    X(DRAINED, "drained") X(FORGOTTEN, "forgotten")
#define JOB_EVENTS(X) X(PREPARED, "prepared") X(REFUSED, "refused")         \
    X(LAUNCH, "launch") X(LAUNCHED, "launched") X(TERMINATE, "terminate")   \
    X(EXITED, "exited") X(FLUSHED, "flushed") X(FORGET, "forget")

#define X(name, text) JOB_##name,
enum job_state { JOB_STATES(X) JOB_STATE_COUNT };
#undef X
#define X(name, text) JOB_EVENT_##name,
enum job_event { JOB_EVENTS(X) JOB_EVENT_COUNT };
#undef X

extern const struct machine jobstate_machine;
const char *jobstate_name(enum job_state s);

/* The state that follows; -1 and a sentence that names both if e is not
 * legal in s. */
int jobstate_next(enum job_state s, enum job_event e, enum job_state *next,
                  struct err *err);

#endif
