/* former.h - runs that the job of a batch system which we are in had before, as it
 * was requeued: whose checkpoints are they that are there? */
#ifndef HECTOR_FORMER_H
#define HECTOR_FORMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/link/message.h"

/* "Slurm 42", the job that we are in; false, and "": none. */
enum { FORMER_NAME = 100 };
bool former_name(char name[FORMER_NAME]);

/* It was begun so often before; 1 where that is not counted; 0: not, or the batch
 * system does not say. */
uint32_t former_runs(void);
/* Where it is not counted: when this run began, as in Submit; else 0. */
uint64_t former_run_ns(void);
/* It may have been begun before. */
bool former_may_be(void);

/* "Slurm 42 was begun 2 times before". */
void former_text(char *to, size_t size);

/* Is the job with this Submit one of those runs? */
bool former_is(const Hct__Submit *m);

/* There are no checkpoints in dir: say so. */
void former_say_none(const char *dir);
/* The job goes on from this one: say so, how old it is, and what it saves. */
void former_say(const Hct__Checkpoint *c);

#endif
