/* gather_progress.h - this slave's part of a reduction of the kind "progress": where
 * its tasks of the job are, and what their models say of where others are. */
#ifndef HECTOR_GATHER_PROGRESS_H
#define HECTOR_GATHER_PROGRESS_H

#include "slave/tree/reduce.h"

/* As reduce_kind has it; arg is the struct gather. gather_part_stop() stops it. */
void gather_progress_start(void *arg, struct reduction *r);

#endif
