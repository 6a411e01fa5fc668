/* again.h - a job goes back to its last checkpoint: what is left of its tasks is
 * ended, it gets nodes anew, and there all tasks are made of their images. */
#ifndef HECTOR_AGAIN_H
#define HECTOR_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "master/state/job.h"
#include "proto/base/err.h"

/* A task or a node is gone, which no program can help: back to the checkpoint, or,
 * if it has none or has gone back often enough, a failure as flow_fail() has it. */
void again_or_fail(struct job *j, int exit_code, uint64_t at_ns,
                   const char *why);

/* Somebody wishes so. False: it cannot. */
bool again_if_can(struct job *j, const char *why);

/* All its tasks are in a checkpoint, and end until it is resumed. */
void again_store(struct job *j);
/* It gets nodes again: these, or none: as it was submitted. -1 with a sentence: it is
 * not stored, or does not know them. */
int again_resume(struct job *j, char *const *nodes, size_t n, struct err *err);

/* A task cannot be made of its image: back to the checkpoint before. */
void again_older_or_fail(struct job *j, int exit_code, uint64_t at_ns,
                         const char *why);

/* All that was left of its tasks has ended, and nothing of them is under way. */
void again_begin(struct job *j);

#endif
