/* ownerhold.h - tasks of a job that are suspended because the owner of a node is
 * there, and nobody else has said what is to be done with them: they go on when he
 * is gone. Kept with the job (j->owner_ranks). */
#ifndef HECTOR_OWNERHOLD_H
#define HECTOR_OWNERHOLD_H

#include <stdbool.h>

#include "master/state/job.h"
#include "proto/base/taskset.h"

/* -1: no memory, nothing has changed. */
int ownerhold_add(struct job *j, const struct taskset *ranks);
/* Somebody else decides about these. True: that has changed something. */
bool ownerhold_drop(struct job *j, const struct taskset *ranks);
/* Into *ranks, which is empty. False: there are none. */
bool ownerhold_get(const struct job *j, struct taskset *ranks);

#endif
