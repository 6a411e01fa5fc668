/* standing.h - which tasks of a job that runs stand still for a reason that is
 * not the program's, as the last recorded look had them: held by a debugger,
 * stopped, suspended, waiting for input, asleep in the kernel. */
#ifndef HECTOR_STANDING_H
#define HECTOR_STANDING_H

#include <stdint.h>

#include "master/store/store.h"
#include "policies/hct_policy.h"
#include "proto/base/str.h"

/* Lines; "" if nobody does. before: how long ago that look was, in words. */
void standing_text(struct str *to, const struct hct_snapshot *s,
                   const char *before);

/* The same of what is recorded; nothing is added where there is nothing. */
void standing_of_job(struct str *to, struct store *st, uint64_t job);

#endif
