/* jobfreeze.h - holds the tasks of a job by control groups where that can be
 * done (freezer.h), instead of by signals. */
#ifndef HECTOR_JOBFREEZE_H
#define HECTOR_JOBFREEZE_H

#include "proto/taskset.h"
#include "slave/job.h"

/* Those of the set that have just been stopped by a signal: they are frozen and
 * need it no more, or it stays with the signal. */
void jobfreeze_hold(struct job *j, const struct taskset *set);
void jobfreeze_release(struct job *j, const struct taskset *set);  /* NULL: all */

#endif
