/* survey.h - the nodes and jobs of a master as an optimizer is shown them.
 *
 * Only what a job itself or its user's words forbid is a feature there: nodes
 * that a job may come to have a bit that it needs, so that an optimizer need not
 * know of processors' features, of names behind -H, or of whoever may be where. */
#ifndef HECTOR_SURVEY_H
#define HECTOR_SURVEY_H

#include <stdbool.h>

#include "master/move/mover.h"
#include "master/state/job.h"
#include "policies/hct_optimizer.h"
#include "proto/base/err.h"

struct survey_by {              /* borrowed */
    const struct nodes *nodes;
    struct jobs *jobs;
    const struct movers *movers;
    /* By whoever places jobs. May its tasks be there, as far as its user has
     * said? Tasks on one node at most, 0: no limit. */
    bool (*may)(const struct job *j, const struct node *n);
    uint32_t (*per_node)(const struct job *j);
};

struct survey {
    struct hct_system in;       /* its arrays are owned */
    struct node **nodes;        /* owned: of its hosts */
    char **names;               /* owned: theirs */
};

/* now_ns is monotonic. -1: no memory; *s is empty then. */
int survey_take(struct survey *s, const struct survey_by *by, uint64_t seq,
                uint64_t now_ns, struct err *err);
void survey_fini(struct survey *s);

#endif
