/* lastslice.h - keeps slices of tasks in the database, so that they can be
 * looked at later, when the job is gone. */
#ifndef HECTOR_LASTSLICE_H
#define HECTOR_LASTSLICE_H

#include <stdint.h>

#include "master/store/journal.h"
#include "proto/base/str.h"

/* tree: a CallTree, of which the trace of this rank is a slice (slicerows.h); if it
 * has none, or one of something else, nothing is kept. sent: the same of the task
 * whose message it awaits, where that has sent to it last; NULL: not known. */
void lastslice_keep(struct journal *jn, uint64_t job, uint32_t rank,
                    const struct str *tree, const struct str *sent);

/* Whose message the task awaits: rank + 1; 0: nobody's, or anybody's, or not
 * known. */
uint64_t lastslice_awaits(const struct str *tree, uint32_t rank);

#endif
