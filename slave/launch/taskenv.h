/* taskenv.h - the environment a task gets: the user's, without what another
 * launcher left in it, with what PMIx, Open MPI and Hector need.
 *
 * The user's own OMPI_MCA_* settings win over Hector's defaults. */
#ifndef HECTOR_TASKENV_H
#define HECTOR_TASKENV_H

#include <stdbool.h>
#include <stdint.h>

#include "slave/launch/env.h"
#include "slave/launch/plan.h"

struct taskenv {                /* all borrowed */
    const struct plan *plan;
    const char *tasks_socket;   /* where tasks register */
    const char *preload;        /* libhector.so, "" for none */
    const char *inject;         /* libhector-inject.so, which stands behind it
                                   where HECTOR_INJECT is set */
    const char *yield;          /* libhector-yield.so, for tasks of class
                                   realtime; "" for none */
    const char *layer;          /* libmpi.so.40 of ours, for tasks that can be
                                   moved; "" for none */
    const char *shm;            /* for files shared in memory, "" default */
    const struct cpu_set *cpu;  /* that the processor has */
    bool fast_fabric;
};

/* The user's part, before PMIx adds its own. 0, or -1 without memory. */
int taskenv_begin(struct env *e, const struct plan_app *app);

/* Hector's and Open MPI's part, after PMIx's. */
int taskenv_finish(struct env *e, const struct taskenv *t, uint32_t rank);

/* How the standard output that fd is the task's end of is to be buffered; see
 * mpi-wrappers/record/output.h. */
int taskenv_output(struct env *e, int fd);

/* "NAME=VALUE" that only processes of this job have; for sweep.h. */
int taskenv_marks(const struct taskenv *t, char *job, size_t job_size,
                  char *slave, size_t slave_size);

#endif
