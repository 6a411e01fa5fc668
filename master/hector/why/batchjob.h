/* batchjob.h - the job of a batch system that a job was in. */
#ifndef HECTOR_WHY_BATCHJOB_H
#define HECTOR_WHY_BATCHJOB_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* Append a line: which, how much is left of it, and the other jobs of this file
 * that were in it, as when it was requeued. Nothing, if there is none. */
void batchjob_of_job(struct str *to, struct store *st, uint64_t job);

#endif
