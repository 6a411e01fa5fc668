/* peek.h - whether tasks without a page are in MPI, from their stacks: of
 * programs that are linked statically, or whose LD_PRELOAD somebody has taken
 * away. As ParaStack does it, for C; the main thread speaks for the task.
 *
 * A peek stops a task for some microseconds, and is made of the tasks of a job
 * that is being looked at, once in PEEK_NS at most; between, what was found
 * last counts. The loop never waits: the stacks are read by a process of their
 * own (stacker.h), and what it finds is there at a later look. A task counts
 * when it has connected to PMIx, as MPI_Init does. */
#ifndef HECTOR_PEEK_H
#define HECTOR_PEEK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/tree/prefixtree.h"

#define PEEK_NS (400 * CLOCK_NS_PER_MS)         /* ParaStack's I */

struct peeked {                 /* of a task; {0}: nothing is known */
    uint32_t sample;            /* from 1: grows with each that has worked */
    uint32_t call;              /* in MPI, or before; 0: it has no name */
    bool in;
    pid_t pid;                  /* of the program */
    uint64_t at_ns;             /* when it was stopped, or just before */
};

struct launch_user;

struct peek_job {               /* of a job */
    const struct launch_user *user;     /* whose tasks they are; borrowed */
    uint64_t next_ns;           /* not before */
    bool under_way, told;
};

struct task;
struct node;
struct peek;
struct taskwalk;

/* Both are borrowed. */
struct peek *peek_create(struct node *node, const struct taskwalk *jobs);
void peek_destroy(struct peek *p);      /* NULL is fine */

/* The job was looked at: begin one if it is wanted and due. */
void peek_at(struct peek *p, uint64_t job);

/* What enum hct_life the task has that has no page. */
uint32_t peek_life(const struct task *t);

/* What the trace of this position says: is it in MPI, and in which function,
 * 0 without a name. False: there is no trace. */
bool peek_read(const struct prefixtree *t, uint32_t position, bool *in,
               uint32_t *call);

/* Is a function of this name, of this module, one of MPI? *call: which. */
bool peek_is_mpi(const char *function, const char *module, uint32_t *call);

#endif
