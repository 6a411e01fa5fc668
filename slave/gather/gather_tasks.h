/* gather_tasks.h - this node's tasks of a job, whoever has started it, for what
 * gathers something of them. */
#ifndef HECTOR_GATHER_TASKS_H
#define HECTOR_GATHER_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "slave/jobs/jobs.h"

/* All that belongs to the job; borrowed, until the loop turns. */
struct gather_job {
    struct account *account;
    const struct launch_user *user;
};

/* Are n tasks of the job here? To be asked before there is room made for them: a
 * peer has sent the number. -1, and why, if not. */
int gather_check(struct jobs *jobs, uint64_t job, uint32_t n, struct err *err);

/* The first n tasks of the job that are here, by rank; -1 if there are not so
 * many. */
int gather_tasks(struct jobs *jobs, uint64_t job, struct task **tasks,
                 uint32_t n, struct gather_job *of, struct err *err);

/* One of them; NULL if it is not here. */
struct task *gather_task(struct jobs *jobs, uint64_t job, uint32_t rank);

#endif
