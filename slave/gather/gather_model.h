/* gather_model.h - this slave's part of a reduction of the kind "model": the
 * models of its tasks of the job, as one. */
#ifndef HECTOR_GATHER_MODEL_H
#define HECTOR_GATHER_MODEL_H

#include "slave/tree/reduce.h"

/* As reduce_kind has it; arg is the struct gather. gather_part_stop() stops it. */
void gather_model_start(void *arg, struct reduction *r);

#endif
