/* jobkeep.h - work on the files of a job's checkpoints, which may take long: done
 * by hector-keep, a process of its own and of the job's user, one at a time, in
 * the order in which it was asked for. Images are written by such processes, too,
 * one for each task, which a file system that hangs holds up in place of the
 * task; they come before all that waits. */
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
/* The image that comes through a pipe, whose end that does not block is the
 * caller's, is put into a file in the directory of that path. What fails is said
 * of the next work that is to read images. -1 with err. */
int jobkeep_write(struct job *j, uint32_t rank, const char *path, int *to,
                  struct err *err);
/* That one was given up: its writer goes, and what it has said stands in why,
 * which else stays. */
void jobkeep_unwritten(struct job *j, uint32_t rank, char *why, size_t size);
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
