/* jobdrain.h - the end of a job on this node: left-over processes, last
 * output, last records. For job.c. */
#ifndef HECTOR_JOBDRAIN_H
#define HECTOR_JOBDRAIN_H

#include <event2/event.h>

#include "slave/jobs/job.h"

/* No task lives any more: the drain timer looks until nothing is left. */
void jobdrain_begin(struct job *j);

/* Is nothing left? What is, is killed, read and sent on meanwhile. */
bool jobdrain_is_over(struct job *j);
void jobdrain_look_again(struct job *j);        /* soon */

/* Of the kill timer; arg is the job. Kills the tasks whose grace is over, and
 * comes back for the others. */
void jobdrain_on_kill(evutil_socket_t fd, short what, void *arg);

#endif
