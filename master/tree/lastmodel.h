/* lastmodel.h - keeps models of jobs in the database, so that they can be
 * looked at when the job is gone. */
#ifndef HECTOR_LASTMODEL_H
#define HECTOR_LASTMODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "master/store/journal.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

/* Tasks on this node are not in the model, which is what merge_model has made:
 * it gets a note. */
void lastmodel_note(struct str *model, const struct taskset *ranks,
                    const char *node, const char *why);

/* One that is empty or too large is not kept. well: the job has ended well, so
 * that how long it stayed outside of MPI is kept, too, behind which places: later
 * runs of the program may stay as long. */
void lastmodel_keep(struct journal *jn, uint64_t job, const struct str *model,
                    bool well);

#endif
