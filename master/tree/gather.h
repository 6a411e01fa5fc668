/* gather.h - an operator's Gather: a reduction, and its result as Gathered. */
#ifndef HECTOR_GATHER_H
#define HECTOR_GATHER_H

#include "master/store/journal.h"
#include "master/tree/reduce.h"
#include "proto/link/conn.h"

struct gather;

/* Answers to c, always: at once with the reason if it cannot be done (then it
 * returns NULL), else later, and calls ended(arg), after which it is gone. The
 * call tree of all tasks of a job is kept, and so is their model. */
struct gather *gather_start(struct reducer *rd, struct jobs *jobs,
                            struct journal *jn, struct conn *c,
                            const Hct__Gather *m,
                            void (*ended)(void *arg), void *arg);

/* The operator is gone. */
void gather_cancel(struct gather *g);           /* NULL is fine */

#endif
