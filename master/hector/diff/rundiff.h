/* rundiff.h - in what one run differs from another: what costs a share of the
 * run that matters, and is more than the program varies from run to run. Pure.
 *
 * Run 0 is the one that is asked about, run 1 what it is compared with; all
 * from 1 on have gone well, and show how much the program varies: a value of
 * run 0 is another one if it is outside of what the next run would be in, by
 * their mean and deviation, and by a floor, which is higher where few of them
 * are known. Of one alone the variation between its tasks stands for that
 * between runs.
 *
 * Time that a task was ready and had no processor is no property of the
 * program: it is taken out of its computation before anything is compared, and
 * what others then waited is not spoken of. Nor is waiting that the
 * computation of others explains: it is an effect. */
#ifndef HECTOR_RUNDIFF_H
#define HECTOR_RUNDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/hector/diff/steps.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"

struct rundiff_task {           /* times in ns */
    double in_ns, out_ns;       /* inside and outside of MPI */
    double cpu_ns;              /* on a processor */
    double cpu_out_ns;          /* ... outside of MPI, as sampled */
    double waited_ns;           /* for one; 0: not known */
    uint32_t node;              /* number of its own */
};

struct rundiff_run {
    const struct jobmodel *model;
    double wall_ns;             /* 0: not known */
    uint32_t ntasks;
    const struct rundiff_task *task;    /* by rank; or NULL */
};

enum rundiff_kind {
    RUNDIFF_ONLY,               /* calls from a site that only one has */
    RUNDIFF_CALLS,              /* more of them, or fewer */
    RUNDIFF_TASK,               /* tasks compute longer than the others do, and
                                   not so in the other run */
    RUNDIFF_NODE,               /* ... and are all that are on their nodes */
    RUNDIFF_COMPUTE,            /* longer, or shorter, between two calls */
    RUNDIFF_CALL,               /* in a call */
    RUNDIFF_ORDER,              /* a step that only one makes, between sites
                                   that both have */
};

struct rundiff_item {
    enum rundiff_kind kind;
    double cost_ns;             /* of the time of a task; less than 0: run 1
                                   takes it */
    uint32_t site;              /* ONLY, CALLS: number of steps */
    uint32_t row;               /* TASK, NODE, COMPUTE, CALL, ORDER; or
                                   STEPS_NONE: no place was found */
    unsigned run;               /* ONLY, ORDER: who has it; TASK, NODE: whose
                                   tasks they are */
    double was_ns, is_ns;       /* COMPUTE, CALL: of one step, in run 1 and 0 */
    bool inside;                /* TASK: in the first call of row */
    struct taskset tasks;       /* owned: TASK, NODE */
};

struct rundiff {
    struct steps steps;
    struct rundiff_item *item;  /* owned: the most costly first */
    size_t n, cap;
    double starved[2];          /* share of their time that tasks of run 0 and 1
                                   had no processor, though they were ready */
    bool blind;                 /* so much of it that no time in calls that wait
                                   for others is compared */
};

int rundiff_init(struct rundiff *d, const struct rundiff_run *runs, unsigned n,
                 struct err *err);
void rundiff_fini(struct rundiff *d);   /* {0} is empty */

#endif
