/* odd.h - which task takes longer than its like, in which step: median polish
 * (smm/polish.h) over the tasks of a kind.
 *
 * Time in calls that wait for others is an effect: what counts is the
 * computation between two calls, and time in calls that do not wait. A step
 * that a task has taken once only is no habit: setting up, reading input.
 *
 * Nor is a task odd that was kept from a processor: then it is its node that has
 * too much to do, and any task would be slow there. */
#ifndef HCT_ODD_H
#define HCT_ODD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/outlier/groups.h"
#include "policies/smm/polish.h"

/* Of so many that are like each other at least, or who is odd is a matter of
 * taste. */
enum { ODD_GROUP = 4 };

struct odd {
    uint32_t model;             /* number of the task's model in the snapshot */
    uint32_t step;              /* of the dictionary */
    bool in_call;               /* inside the call that it begins with; else in
                                   the computation behind that */
    uint32_t like;              /* how many others do the same */
    double score;               /* deviations from what is normal there */
    double times;               /* as long as normal */
    double cost_ns;             /* so much longer, in all */
    double share;               /* of the time that the task has been at it */
    double had, usual;          /* of the time that it wanted a processor it had
                                   one for this share, and its like for that; NaN:
                                   not known */
};

struct odd_list {
    struct odd *v;              /* borrowed; the most costly first */
    size_t n, most;
};

struct odd_limit {
    double score, share, cost_ns;       /* at least, all three */
};

/* Memory of the caller's. */
struct odd_room {
    double *left[2];            /* tasks x DICTIONARY_STEPS: of computations,
                                   of calls */
    double *slow, *total;       /* of tasks; total: ns in all steps */
    double *words;              /* the larger of tasks and DICTIONARY_STEPS */
    double *normal, *spread;    /* DICTIONARY_STEPS */
    struct smm_edge *edge;      /* DICTIONARY_STEPS */
    uint32_t *member;           /* of tasks */
};

/* The most costly ones: of those that are odd, and of those that would be if
 * they had not been kept from a processor, for half of what it costs at least. */
void odd_find(const struct odd_room *r, const struct dictionary *d,
              const struct hct_snapshot *in, const struct groups *g,
              const struct groups_task *t, const struct odd_limit *limit,
              struct odd_list *odd, struct odd_list *kept);

#endif
