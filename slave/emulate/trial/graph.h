/* graph.h - a program, as the model of one of its tasks: states, which are
 * places that MPI is called from, and steps from one to the next, with how
 * often they are taken and how long both times are. From a file, a line of
 * words each:
 *
 *   state NUMBER CALL [waits]
 *   step FROM TO TIMES IN IN-SD IN-PART OUT OUT-SD OUT-PART
 *
 * States are numbered from 1 in their order; 0 is the beginning. waits: time
 * inside of the call is time of others. IN is the mean time inside of the call
 * that the step begins with, OUT that of the computation behind it, in ns; -SD
 * are their deviations from one time to the next, -PART those of the means from
 * task to task, as parts of them. Lines that begin with # say what it is. */
#ifndef HECTOR_EMULATE_GRAPH_H
#define HECTOR_EMULATE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum { GRAPH_STATES = 512, GRAPH_STEPS = 1024 };
#define GRAPH_NOWHERE UINT32_MAX
/* So long does it run: loops are gone through as often. */
#define GRAPH_RUN_NS 200e9

struct graph_time { double mean, sd, part; };
struct graph_step {
    uint32_t from, to;
    uint64_t n;
    struct graph_time in, out;
};
struct graph {
    bool waits[GRAPH_STATES];
    uint32_t nstates, nsteps;   /* the beginning is a state, too */
    struct graph_step step[GRAPH_STEPS];        /* by from, then to */
    double run_ns;              /* of one task */
};

/* The step that others wait in for one who is late behind this one: of the
 * first call that waits on the way that is taken mostly. GRAPH_NOWHERE: there
 * is none. */
uint32_t graph_waits_at(const struct graph *g, uint32_t step);

/* NULL: it cannot be read, or has no step that is taken twice. To be freed. */
struct graph *graph_read(const char *path, struct err *err);

#endif
