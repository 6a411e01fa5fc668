/* gather_scores.h - this slave's part of a reduction of the kind "scores": its
 * tasks of the job against the models of a question. */
#ifndef HECTOR_GATHER_SCORES_H
#define HECTOR_GATHER_SCORES_H

#include "slave/tree/reduce.h"

/* As reduce_kind has it; arg is the struct gather. gather_part_stop() stops it. */
void gather_scores_start(void *arg, struct reduction *r);

#endif
