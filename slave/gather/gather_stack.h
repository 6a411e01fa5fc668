/* gather_stack.h - this slave's part of a reduction of the kind "stack": the
 * call tree of its tasks of the job. */
#ifndef HECTOR_GATHER_STACK_H
#define HECTOR_GATHER_STACK_H

#include "slave/tree/reduce.h"

/* As reduce_kind has it; arg is the struct gather. gather_part_stop() stops it. */
void gather_stack_start(void *arg, struct reduction *r);

#endif
