/* behind.h - hector why JOB --progress: the graph of who waits for whom, of the
 * last verdict of a job that has one. */
#ifndef HECTOR_BEHIND_H
#define HECTOR_BEHIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/hector/core/tool.h"
#include "master/store/store.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

struct behind_node {            /* tasks at the same point; texts are owned */
    uint32_t place, line;       /* line 0: not known */
    bool least, inside;
    char *ranks, *call, *function, *file, *decided_by;  /* "": not known */
    uint64_t waits_for, unsure; /* bit n - 1: place n */
};

struct behind {
    uint64_t at_ns;
    struct behind_node *node;   /* owned */
    size_t n, cap;
};

/* Empty where nothing is known. */
int behind_read(struct behind *b, struct store *st, uint64_t job,
                struct err *err);
void behind_fini(struct behind *b);

/* Is it known where any of them is? */
bool behind_placed(const struct behind *b);

/* "task 3", "tasks 0-2,4" */
void behind_tasks(const struct behind_node *n, struct str *to);
/* "in MPI_Barrier, solve (solver.c:88)" */
void behind_where(const struct behind_node *n, struct str *to);

#endif
