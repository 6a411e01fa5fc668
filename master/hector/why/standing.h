/* standing.h - which tasks of a job that runs stand still for a reason that is
 * not the program's, as the last recorded look had them: held by a debugger,
 * stopped, suspended, waiting for input, asleep in the kernel. */
#ifndef HECTOR_STANDING_H
#define HECTOR_STANDING_H

#include <stdint.h>

#include "master/store/store.h"
#include "policies/hct_policy.h"
#include "proto/base/str.h"

/* Lines, of the last look that is recorded of the job; nothing is added where
 * nobody does, or nothing is recorded. */
void standing_of_job(struct str *to, struct store *st, uint64_t job);

#endif
