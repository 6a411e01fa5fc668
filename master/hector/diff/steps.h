/* steps.h - the models of several runs side by side: each call site and each
 * step once, with what it was in each of the runs.
 *
 * Sites of the same build are the same where call and frames are, a frame
 * being its file, by build id, and where it is in there (AutomaDeD, SC11, 3.1,
 * told by addresses; never by names). Of different builds nothing but names is
 * left: then sites are the same whose call and functions are, and of several
 * of these the first one of one run is the first one of the other, and so on. */
#ifndef HECTOR_DIFF_STEPS_H
#define HECTOR_DIFF_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/model/jobmodel.h"

enum { STEPS_RUNS = 12 };       /* that can stand side by side */
#define STEPS_NONE UINT32_MAX

struct steps_site {             /* where MPI is called from */
    uint64_t key;
    uint32_t call;
    uint32_t state[STEPS_RUNS]; /* its number in the model of the run, or
                                   STEPS_NONE */
    uint64_t visits[STEPS_RUNS];        /* calls, of all tasks */
    uint32_t tasks[STEPS_RUNS]; /* that have called */
    double ns[STEPS_RUNS];      /* in these calls, and before them */
};

struct steps_cell {             /* a step in a run, all phases together */
    uint64_t n;                 /* 0: the run has not made it */
    double in_ns, out_ns;       /* of all tasks */
    struct spread in, out;
};

struct steps_row {
    uint32_t from, to;          /* numbers of sites */
    struct steps_cell of[STEPS_RUNS];
};

struct steps {
    struct steps_site *site;    /* owned, like the next; of both kinds the first
                                   two are JOBMODEL_START and JOBMODEL_OTHER */
    struct steps_row *row;
    size_t nsites, nrows, sites_cap, rows_cap;
    unsigned nruns;
    bool by_name;               /* the runs are of different builds */
};

/* At most STEPS_RUNS models. -1: out of memory. */
int steps_init(struct steps *s, const struct jobmodel *const *models,
               unsigned n, struct err *err);
void steps_fini(struct steps *s);       /* {0} is empty */

#endif
