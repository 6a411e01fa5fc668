/* lastslice.h - keeps slices of tasks in the database, so that they can be
 * looked at later, when the job is gone. */
#ifndef HECTOR_LASTSLICE_H
#define HECTOR_LASTSLICE_H

#include <stdint.h>

#include "master/store/journal.h"
#include "proto/base/str.h"

/* tree: a CallTree whose traces are slices (slicerows.h). Tasks without lines
 * are not kept. */
void lastslice_keep(struct journal *jn, uint64_t job, const struct str *tree);

#endif
