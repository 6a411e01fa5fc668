/* fleet.h - nodes of some speeds, and jobs that come one after the other, drawn
 * by a seed: the same for each optimizer. */
#ifndef HECTOR_EMULATE_FLEET_H
#define HECTOR_EMULATE_FLEET_H

#include <stdbool.h>

#include "policies/hct_optimizer.h"
#include "proto/base/err.h"

struct fleet_conf {
    uint32_t nodes, jobs, speeds;
    double load;                /* part of all processors that the jobs need */
    uint64_t seed;
};

struct fleet_job {
    double arrives_s;
    double work_s;              /* of each task, on a processor of speed 1 */
    double alone_s;             /* the job, with all nodes for itself */
    struct hct_work as;         /* first: in a row of all tasks of all jobs */
    double bytes_s;             /* from each task to the next; 0: none */
};

struct fleet {
    struct fleet_conf conf;
    struct hct_host *hosts;     /* owned, like the rest: idle */
    struct fleet_job *jobs;     /* as they arrive */
    uint32_t ntasks;            /* of all */
    double capacity;            /* of all processors, by their speeds */
};

enum { FLEET_FEATURE = 1 };     /* what some jobs need, and most nodes have */

/* {0} is empty. */
int fleet_draw(struct fleet *f, const struct fleet_conf *conf, struct err *err);
void fleet_fini(struct fleet *f);

/* Processors of a node that others use at that time. */
double fleet_load(const struct fleet *f, uint32_t host, double now_s);

/* ... and it is its owner. */
bool fleet_owned(const struct fleet *f, uint32_t host, double now_s);

/* No schedule ends before. */
double fleet_bound(const struct fleet *f);

#endif
