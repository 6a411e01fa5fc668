/* traces.h - stack traces that nobody has: STATBench's generator.
 *
 * The rank modulo the number of classes seeds the random choice of functions,
 * so all tasks of a class have the same traces. Below _start and main each
 * call chooses one of so many functions. */
#ifndef HECTOR_TRACES_H
#define HECTOR_TRACES_H

#include <stdint.h>

#include "proto/tree/prefixtree.h"

struct traces {
    uint32_t depth, breadth, classes, traces;   /* classes 0: all differ */
};

/* Initialise the tree of these ranks: position i is the i-th of them. */
int traces_tree(const struct traces *p, const struct taskset *ranks,
                struct prefixtree *t, struct err *err);

/* The words of one trace: numbers of functions below breadth, depth of them. */
void traces_choose(const struct traces *p, uint32_t rank, uint32_t trace,
                   uint32_t *functions);

#endif
