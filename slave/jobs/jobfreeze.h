/* jobfreeze.h - holds the tasks of a job by control groups where that can be
 * done (freezer.h), besides by signals. */
#ifndef HECTOR_JOBFREEZE_H
#define HECTOR_JOBFREEZE_H

#include "proto/base/taskset.h"
#include "slave/jobs/job.h"

/* Those of the set that have just been stopped by a signal, so that everybody
 * sees them stopped. Whose group cannot be frozen stays with the signal alone. */
void jobfreeze_hold(struct job *j, const struct taskset *set);
void jobfreeze_release(struct job *j, const struct taskset *set);  /* NULL: all */

#endif
