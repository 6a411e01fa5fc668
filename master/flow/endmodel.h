/* endmodel.h - the models of a job's tasks as they are in the end: each slave
 * tells its part with Drained, the whole is kept in the database. */
#ifndef HECTOR_ENDMODEL_H
#define HECTOR_ENDMODEL_H

#include <stddef.h>
#include <stdint.h>

#include "master/state/job.h"

/* The part of this node, once. One that makes no sense is left out, and named
 * in the log; who is not in the whole has a note in it. */
void endmodel_take(struct job *j, const struct job_node *jn,
                   const uint8_t *part, size_t n);

/* All that will come is there. */
void endmodel_keep(struct job *j);

void endmodel_fini(struct job *j);

#endif
