/* slicer.h - asks hector-slice(8) for the lines that decide that a task is where
 * it is.
 *
 * For the unwinder: it waits until that program has answered, which has limits
 * for time and memory. */
#ifndef HECTOR_SLICER_H
#define HECTOR_SLICER_H

#include <sys/types.h>

#include "proto/base/str.h"
#include "proto/tree/slicerows.h"
#include "slave/stacks/unwind.h"
#include "slave/stacks/unwinder_work.h"

/* Add the lines for this stack, innermost frame first, to the tree as
 * slicerows.h has them, more as the second one if it has a file; what is to be said
 * for a person goes to notes, a line each. -1: the tree has no room. */
int slicer_add(struct prefixtree *tree, struct str *notes,
               const struct unwinder_head *h, pid_t pid,
               const struct unwind_frame *v, unsigned n,
               const struct slicerow *more);

#endif
