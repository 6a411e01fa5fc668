/* gather_model.h - this slave's part of a reduction of the kind "model": the
 * models of its tasks of the job, as one. */
#ifndef HECTOR_GATHER_MODEL_H
#define HECTOR_GATHER_MODEL_H

#include "slave/tree/reduce.h"

/* As reduce_kind has them; arg is the struct gather. */
void gather_model_start(void *arg, struct reduction *r);
void gather_model_stop(void *arg, struct reduction *r);

#endif
