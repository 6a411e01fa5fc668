/* gather.h - what this slave can gather in a reduction: one row a kind. */
#ifndef HECTOR_GATHER_H
#define HECTOR_GATHER_H

#include "slave/tree/reduce.h"

/* Their arg is the struct jobs. */
extern const struct reduce_kind gather_kinds[];
extern const size_t gather_nkinds;

#endif
