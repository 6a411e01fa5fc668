/* modelview.h - the models of a job as they are shown: of one phase or of all,
 * the steps that take the most time first. What the renderers (model_text.c and
 * others) draw. */
#ifndef HECTOR_MODELVIEW_H
#define HECTOR_MODELVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/model/jobmodel.h"

struct modelview {
    const Hct__Model *m;        /* borrowed; for its notes */
    const char *title;          /* borrowed: "job 7" */
    struct jobmodel model;
    struct jobmodel steps;      /* its edges are those that are shown, whatever
                                   their phases are; it has nothing else */
    uint32_t *order;            /* owned: numbers of edges, by time */
    size_t norder;              /* how many are shown */
    double total_ns;            /* of all that could be shown */
    uint64_t count;             /* steps of these */
    uint32_t *number;           /* owned: of states, as people see them: from 1
                                   on in the order of steps; 0: not shown */
    uint32_t *state;            /* owned: and back */
    uint32_t nstates;
    uint32_t *phases;           /* owned: indices of phases, in their order */
    int64_t phase;              /* index of the one that is shown; -1: all */
};

/* Of a phase: its number, MODELVIEW_ALL or MODELVIEW_EARLIER; most: so many
 * steps, 0: all. by_phase: the same step in another phase is another row. */
enum { MODELVIEW_ALL = -1, MODELVIEW_EARLIER = -2 };
int modelview_init(struct modelview *v, const Hct__Model *m, int64_t phase,
                   uint64_t most, bool by_phase, struct err *err);
void modelview_fini(struct modelview *v);

/* Time of an edge, all of it; standard deviation of a sample, or -1 if there is
 * none. */
double modelview_time_ns(const struct jobmodel_edge *e);
double modelview_deviation(const struct jobmodel_times *t, uint64_t n);

/* Append the name of a state's function, without MPI_; and where it is called
 * from: "sum ring.c:12 < main ring.c:40", at most so many callers of it. */
void modelview_call(const struct modelview *v, uint32_t state,
                    struct str *out);
void modelview_place(const struct modelview *v, uint32_t state,
                     unsigned callers, struct str *out);

/* Is it what calls main, which is of no use? */
bool modelview_is_start(const struct jobmodel_frame *f);

/* Append "0-3,7". */
void modelview_ranks(const struct taskset *s, struct str *out);

/* What an edge of this phase has cost in all, and how many steps it were. */
struct modelview_sum { uint64_t n; double in_ns, out_ns; };
struct modelview_sum modelview_phase(const struct modelview *v,
                                     uint32_t phase);

#endif
