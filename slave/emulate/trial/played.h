/* played.h - one run of a program of many tasks, by its number: what its fault
 * is, and what the model of each task has come to.
 *
 * The fault strikes one task once, at one of its calls by lot, each as likely
 * as it is frequent: in the call, or behind it (SC11, section 4.1). Its task
 * takes so much longer there, and all others wait as long in the next call that
 * waits: in the same call, where that is one. A hang has not ended: the run is
 * what was there before it, and only who is where says anything.
 *
 * Loads differ from task to task in all they compute; who has less to do waits
 * for those that have most. Besides, the mean of each time differs from task to
 * task by as much as the graph says. */
#ifndef HECTOR_EMULATE_PLAYED_H
#define HECTOR_EMULATE_PLAYED_H

#include "policies/smm/score.h"
#include "slave/emulate/trial/graph.h"

enum played_fault { PLAYED_NONE, PLAYED_CPU, PLAYED_MEM, PLAYED_STALL,
                    PLAYED_HANG };

struct played_conf {            /* of all runs */
    const struct graph *graph;  /* borrowed; NULL: nothing is played */
    uint64_t seed;
    uint32_t ntasks;
    double spread;              /* of loads: so far from 1, both ways */
    bool clean;                 /* there is no fault */
};

struct played {
    const struct graph *graph;  /* borrowed */
    uint64_t seed;              /* of this run */
    uint32_t ntasks;
    double spread;
    enum played_fault fault;
    bool after;                 /* behind the call, not in it */
    uint32_t rank, step;        /* that it strikes */
    double cost_ns, part;       /* so long; and so much of the run is over */
    uint32_t waits;             /* step that others wait in; GRAPH_NOWHERE */
    double late_ns[GRAPH_STEPS];        /* of work that a load of 1 has more,
                                           when this is waited in */
};

/* Faults come in turn, in and behind the call; what they cost, 0.2 to 5 % of
 * the run, the task and the call are drawn. */
void played_make(struct played *p, const struct played_conf *conf,
                 uint32_t number);

/* Is the fault in a call that waits, where all others wait for it? */
bool played_is_hidden(const struct played *p);

/* "none", or as tests/eval calls it: "cpu", "cpu-after" and so on. */
const char *played_name(const struct played *p);

/* The steps of that task, in the order of the graph's: v has room for them. The
 * place of state i is i + 1, but of the beginning, whose is 0. */
void played_model(const struct played *p, uint32_t rank, struct score_edge *v);

#endif
