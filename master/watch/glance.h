/* glance.h - a look at the stacks of all tasks of a job for a policy: on its
 * way through the tree of slaves, and what they do inside of MPI by it,
 * until the policy is shown that in a look. One at a time. */
#ifndef HECTOR_GLANCE_H
#define HECTOR_GLANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "master/tree/reduce.h"
#include "master/watch/incall.h"
#include "master/watch/looks.h"

struct judge;

struct glance {                 /* {.reducer, .job} is one without a look */
    struct reducer *reducer;    /* borrowed, as the job; NULL: nobody can be
                                   asked */
    struct job *job;
    uint64_t id;                /* of the reduction; 0: none is under way */
    const struct judge *asker;  /* who wants it, or did */
    struct incall *seen;        /* owned; NULL: nothing */
};

/* Not while one is under way: who asks meanwhile asks again. What nobody has
 * been shown is forgotten. */
void glance_start(struct glance *g, const struct judge *asker);
void glance_fini(struct glance *g);

bool glance_has(const struct glance *g, const struct judge *asker);
/* It becomes part of the look that is about to end. */
void glance_show(struct glance *g, struct looks *l);

#endif
