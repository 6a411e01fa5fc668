/* slicerows.h - the lines that decide that a task is where it is, as the trace of
 * a call tree: the nearest line is its outermost frame, the next one is called by
 * it, and the module of each frame is the reason in words. The offset of the first
 * frame is, where it is known, who sends the message that the task waits for. */
#ifndef HECTOR_SLICEROWS_H
#define HECTOR_SLICEROWS_H

#include <stdbool.h>

#include "proto/tree/prefixtree.h"

enum { SLICEROWS_MAX = 512 };   /* lines; those that are farther are left out */

/* Of all lines a remark says how many there are where the task is: this, and a
 * number. */
#define SLICEROWS_ON_PATH "the functions on the path have "

struct slicerow {
    const char *function, *file, *reason;
    uint32_t line;
    uint64_t awaits;            /* of the first one: rank + 1; 0: not known */
};

/* The first one says where the task is. */
bool slicerows_is_head(const struct slicerow *row);

/* One more behind the n that there are, in frames. -1: there is no room. */
int slicerows_frame(struct prefixtree *t, const struct slicerow *row,
                    uint32_t *frames, size_t n);

/* Calls each() for the lines of the task at this position, in order; how many
 * there are. Texts are the tree's. each may be NULL. */
size_t slicerows_each(const struct prefixtree *t, uint32_t position,
                      void (*each)(void *arg, const struct slicerow *row),
                      void *arg);

#endif
