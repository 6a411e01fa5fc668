/* jobdrain.h - the end of a job on this node: left-over processes, last
 * output, last records. For job.c. */
#ifndef HECTOR_JOBDRAIN_H
#define HECTOR_JOBDRAIN_H

#include <event2/event.h>

#include "slave/jobs/job.h"

int job_apply(struct job *j, enum job_event e, struct err *err);

/* No task lives any more: look until nothing is left, then be drained. */
void jobdrain_begin(struct job *j);

/* Timer callbacks; arg is the job. on_kill kills the tasks whose grace is
 * over, and comes back for the others. */
void jobdrain_on_timer(evutil_socket_t fd, short what, void *arg);
void jobdrain_on_kill(evutil_socket_t fd, short what, void *arg);

#endif
