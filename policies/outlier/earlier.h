/* earlier.h - what earlier runs of the program, which ended well, have taken
 * for its steps: the model that all tasks are compared with, besides each
 * other. A fault that all have is seen by nothing else; and a task that always
 * takes longer is not odd for that. */
#ifndef HCT_EARLIER_H
#define HCT_EARLIER_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/outlier/habits.h"

struct earlier {                /* all zero: nothing was heard yet */
    bool known;
    uint32_t runs, n;
    struct hct_earlier v[HCT_STEPS_MAX];        /* as in the snapshot */
};

/* A look that has HCT_NEED_EARLIER. */
void earlier_take(struct earlier *e, const struct hct_snapshot *in);
/* NULL: they did not have that step. */
const struct hct_earlier *earlier_find(const struct earlier *e, uint64_t from,
                                       uint64_t to);
/* The same of a step of the dictionary. */
const struct hct_earlier *earlier_step(const struct earlier *e,
                                       const struct dictionary *d,
                                       uint32_t step);
/* No task of theirs has taken longer, each time on an average. */
double earlier_most(const struct hct_earlier *s, bool in_call);
/* One of the next run is expected to take no longer than that. */
double earlier_limit(const struct hct_earlier *s, bool in_call);

struct earlier_longer {         /* most of the sample's tasks take longer in a step */
    uint32_t step;              /* of the dictionary */
    bool in_call;
    uint32_t runs;              /* 0: in none */
    double each_ns, most_ns;    /* each time, the median; and then */
    double cost_ns, share;      /* in all, of a task; of its time */
};

/* The one that costs most, unless it is time that they wanted a processor
 * in. */
struct earlier_longer earlier_compare(const struct earlier *e, struct habits *h,
                                      const struct groups *g,
                                      const struct dictionary *d,
                                      const struct hct_snapshot *in);

#endif
