/* jobdrain.h - the end of a job on this node: tasks whose grace is over,
 * left-over processes, last output, last records. For job.c. */
#ifndef HECTOR_JOBDRAIN_H
#define HECTOR_JOBDRAIN_H

#include <event2/event.h>

#include "slave/jobs/job.h"

/* on_look(.., j) is called when it is time to look whether all is gone. NULL:
 * out of memory. */
struct jobdrain *jobdrain_create(struct job *j, event_callback_fn on_look);
void jobdrain_destroy(struct jobdrain *d);      /* NULL is fine */

/* Kill the tasks whose grace is over, and come back for the others. */
void jobdrain_kill(struct job *j);

/* No task lives any more: look until nothing is left. */
void jobdrain_begin(struct job *j);

/* Is nothing left? What is, is killed, read and sent on meanwhile. */
bool jobdrain_is_over(struct job *j);

/* Look at once, as something has changed; soon; not any more. */
void jobdrain_look(struct job *j);
void jobdrain_look_again(struct job *j);
void jobdrain_look_no_more(struct job *j);

#endif
