/* say.h - the graph of nodes as a verdict: a sentence, a line and a row for
 * each node, those that have made the least progress first. */
#ifndef HCT_PROGRESS_SAY_H
#define HCT_PROGRESS_SAY_H

#include "policies/progress/bymodel.h"

struct say {
    const struct nodes *g;      /* borrowed, all */
    const struct nodes_task *t;
    const struct hct_snapshot *in;
    struct bymodel *model;      /* NULL: there was no answer */
    uint32_t unplaced;          /* tasks that have not said where they are */
    uint64_t least;             /* the nodes that are named */
    uint64_t behind;            /* those that wait for them, also by way of
                                   others */
};

/* least_progressed() of the graph, without those that nobody waits for if
 * there are others. */
void say_find(struct say *s);

void say_verdict(const struct say *s, struct hct_out *out);

#endif
