/* jobkeep.h - work on the files of a job's checkpoints, which may take long: done by
 * hector-keep, a process of its own and of the job's user. */
#ifndef HECTOR_JOBKEEP_H
#define HECTOR_JOBKEEP_H

#include <stdbool.h>
#include <sys/types.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"

/* Begins it; Kept says how it went, also if it cannot begin. */
int jobkeep_order(struct job *j, const Hct__Keep *m, struct err *err);
/* A process has ended: was it one of those? */
bool jobkeep_reaped(struct job *j, pid_t pid, int status);
/* Nobody wants to know any more. */
void jobkeep_drop(struct job *j);

#endif
