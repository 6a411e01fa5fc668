/* gather.h - what this slave can gather in a reduction: one row a kind. */
#ifndef HECTOR_GATHER_H
#define HECTOR_GATHER_H

#include <sys/queue.h>

#include "slave/tree/reduce.h"

/* Their arg: whose tasks are asked, and what is being made of them. */
struct gather {
    struct jobs *jobs;          /* borrowed */
    LIST_HEAD(, gather_part) parts;     /* owned */
};
extern const struct reduce_kind gather_kinds[];
extern const size_t gather_nkinds;

#endif
