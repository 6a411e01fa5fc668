/* incall.h - what tasks do inside of calls of MPI, by one call tree of all:
 * struct hct_inside.
 *
 * Frames of a stack are, from the call inwards: what stands between the
 * program and MPI's library, if anything does (the tools of MPI's profiling
 * interface); the library; and what this calls back. Who is in one of the
 * library's loops that ask for messages (their functions have progress,
 * wait, poll or the like in their names, in all that are known) waits,
 * wherever the stack ends below it, unless that is called back. What
 * libraries of the system do counts for who has called them; and what
 * Hector's own library records, is nothing. Pure. */
#ifndef HECTOR_INCALL_H
#define HECTOR_INCALL_H

#include <stdint.h>

#include "policies/hct_policy.h"
#include "proto/base/err.h"
#include "proto/tree/prefixtree.h"

struct incall {
    uint32_t stacks, waiting;   /* as in hct_snapshot */
    uint32_t n;
    struct hct_inside v[HCT_INSIDE_MAX];
};

/* Of a tree over ranks, of one sample. -1: no memory. */
int incall_of(struct incall *c, const struct prefixtree *t, struct err *err);

#endif
