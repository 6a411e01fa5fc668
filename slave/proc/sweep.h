/* sweep.h - finds and kills what a job has left behind.
 *
 * The slave is a child subreaper, so whatever a task has started and not
 * waited for is a descendant of the slave, also when it has made a session
 * of its own. It belongs to a job if it is in the process group of one of
 * the job's tasks, carries the job in its environment, or descends from
 * something that does. */
#ifndef HECTOR_SWEEP_H
#define HECTOR_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Become the one who inherits orphans. */
int sweep_init(void);

enum { SWEEP_SPARES = 3 };

struct sweep_job {
    const pid_t *groups;        /* process groups of the tasks */
    size_t ngroups;
    const uint32_t *ranks;      /* of these; or NULL: it does not matter */
    const char *marks[2];       /* variables that all its processes have */
    bool all;                   /* every descendant, whatever the rest says, */
    pid_t spares[SWEEP_SPARES]; /* but for these children and what they have
                                   started; 0: none */
};

/* Send sig to every living process of the job; returns how many there are.
 * sig 0 only counts. */
size_t sweep_signal(const struct sweep_job *job, int sig);

/* The same with a function. task: which of groups it belongs to, by its group,
 * its parent or its environment; SIZE_MAX: that is not known. */
void sweep_each(const struct sweep_job *job,
                void (*f)(void *arg, pid_t pid, size_t task), void *arg);

#endif
