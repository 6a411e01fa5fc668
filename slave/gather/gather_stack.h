/* gather_stack.h - this slave's part of a reduction of the kind "stack": the
 * call tree of its tasks of the job. */
#ifndef HECTOR_GATHER_STACK_H
#define HECTOR_GATHER_STACK_H

#include "slave/tree/reduce.h"

/* As reduce_kind has them; arg is the struct gather. */
void gather_stack_start(void *arg, struct reduction *r);
void gather_stack_stop(void *arg, struct reduction *r);

#endif
