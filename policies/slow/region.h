/* region.h - where in the program is a task slower than it was? From two
 * readings of its model (HCT_NEED_MODEL): one of when it was first suspected,
 * whose means are those of before, and one of when it is certain. What lies
 * between is the stretch in which it was slow: counts and sums can be
 * subtracted.
 *
 * The same work are the same steps from call to call, that move the same bytes.
 * What these take longer for each time they are taken, summed up, explains how
 * much longer the task took; if it does not, the task did something else. */
#ifndef HCT_REGION_H
#define HCT_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/pace/load.h"

enum { REGION_STEPS = 128 };    /* of a task, those that cost most */

struct region_sum {
    double n, out_ns;           /* times; outside of MPI behind its first call */
    double bytes;               /* of that call */
};

struct region_step {
    uint64_t from, to;          /* places, the same in all readings */
    uint32_t call, to_call;     /* functions of MPI */
    uint32_t site;              /* of the first call, for the host */
    struct region_sum all, here;        /* here: in the phase of the reading */
};

struct region {                 /* a reading */
    uint32_t rank, phase, nsteps;
    uint64_t at_ns;
    uint64_t delayed_ns, ran_ns, in_ns; /* as in hct_rank, of that look */
    struct region_step step[REGION_STEPS];
};

/* From a snapshot with models. False: that task has none. */
bool region_keep(struct region *r, const struct hct_snapshot *in, uint32_t rank);

struct region_grown {
    struct region_step step;    /* the one that costs so much more */
    double times;               /* as long as before */
    double step_ns, each_ns;    /* longer, in all of the stretch; each time */
    double all_ns;              /* ... all steps that were known before; of work,
                                   what it had of a processor for that */
    double calls, out_ns;       /* of the stretch */
    /* For a call, longer than before; NaN: not known. */
    double kept_ns;             /* it wanted a processor, and had none */
    double starved_ns;          /* ... more than it was for as long that it had
                                   one, before */
    double takes_ns;            /* what it had one for and was kept, as it was
                                   before; 0: not known */
    double part;                /* so many times as long as it had one it was
                                   kept, before; 0: not known */
    double asleep_ns;           /* it had none, and wanted none */
    bool sleeps;                /* it was asleep for as long as it was outside
                                   of MPI, and not for as long as inside, before
                                   and in what is longer now: it can be kept
                                   from a processor in MPI alone */
};

/* What has grown between two readings, of something that began at since_ns.
 * False: nothing has. */
bool region_find(const struct region *before, const struct region *now,
                 uint64_t since_ns, struct region_grown *g);

/* The same of the work, where others use the machine: a step takes longer as the
 * load leaves the task less of its processor (load.h), and that is not counted.
 * others: what another one of its node has had meanwhile. */
bool region_find_work(const struct region *before, const struct region *now,
                      uint64_t since_ns, const struct load *others,
                      struct region_grown *g);

/* It began behind the first reading, and only so many of the stretch's calls,
 * or all of them, were made since: what it took longer, it did in these. */
void region_narrow(struct region_grown *g, double calls);

#endif
