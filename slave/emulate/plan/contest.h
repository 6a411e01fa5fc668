/* contest.h - a fleet under one optimizer, in virtual time, from the first
 * arrival to the end of the last job. */
#ifndef HECTOR_EMULATE_CONTEST_H
#define HECTOR_EMULATE_CONTEST_H

#include "proto/plan/optimizer.h"
#include "slave/emulate/plan/fleet.h"

struct contest {
    double makespan_s;
    double slowdown;            /* mean of time over time alone */
    uint64_t moves, plans, refused;
    uint64_t median_ns, max_ns; /* of a plan; real time */
    char why[200];              /* of the last plan that was refused steps, or
                                   since when the optimizer is off; "" */
    uint32_t left;              /* jobs that were not done */
};

int contest_run(struct contest *c, const struct fleet *f, struct optimizer *o,
                struct err *err);

#endif
