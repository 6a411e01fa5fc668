/* jobkeep.h - work on the files of a job's checkpoints, which may take long: done by
 * hector-keep, a process of its own and of the job's user, one at a time, in the order
 * in which it was asked for. */
#ifndef HECTOR_JOBKEEP_H
#define HECTOR_JOBKEEP_H

#include <stdbool.h>
#include <sys/types.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"

/* Begins it, now or when its turn has come; Kept says how it went, also if it cannot
 * begin. -1: no memory. */
int jobkeep_order(struct job *j, const Hct__Keep *m, struct err *err);
/* A process has ended: was it one of those? */
bool jobkeep_reaped(struct job *j, pid_t pid, int status);
/* The process that is at work; 0: nothing is to be done. */
pid_t jobkeep_works(const struct job *j);
/* The checkpoint that was begun last comes to nothing, unless it is one already: what
 * there is of it is removed. */
void jobkeep_give_up(struct job *j);
/* Nobody wants to know any more. */
void jobkeep_destroy(struct job *j);

#endif
