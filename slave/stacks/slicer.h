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

struct unwinder_remark;

struct slicer_task {            /* all of it borrowed */
    pid_t pid;
    const char *maps;           /* the text of /proc/PID/maps */
    struct unwind *unwind;      /* of it */
    const struct unwinder_remark *remark;       /* what it has loaded, and done
                                   last */
    const struct slicerow *more;        /* the second line, if it has a file */
};

/* Add the lines for this stack, innermost frame first, to the tree as
 * slicerows.h has them; what is to be said for a person goes to notes, a line each:
 * also that the file is not what the task runs, then there are no lines. -1: the
 * tree has no room. */
int slicer_add(struct prefixtree *tree, struct str *notes,
               const struct unwinder_head *h, const struct slicer_task *t,
               const struct unwind_frame *v, unsigned n);

#endif
