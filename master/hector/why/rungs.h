/* rungs.h - what was done for deadlines of a job, and to it for those of
 * others. */
#ifndef HECTOR_WHY_RUNGS_H
#define HECTOR_WHY_RUNGS_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* A line each; none if nothing was done. */
void rungs_of_job(struct str *to, struct store *st, uint64_t job);

#endif
