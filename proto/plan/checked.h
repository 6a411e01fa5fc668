/* checked.h - what is left of a plan when each step has been looked at: only
 * steps that can be done, in an order in which they can, one at a time.
 * Pure. */
#ifndef HECTOR_CHECKED_H
#define HECTOR_CHECKED_H

#include "policies/hct_optimizer.h"
#include "proto/base/err.h"

/* Why a step is refused. */
#define CHECKED_REASONS(X) \
    X(KIND, "is of no kind") \
    X(TASK, "is about a task or job that there is not") \
    X(NODE, "leads to a node that there is not") \
    X(FIGURES, "has a gain or cost that is no number") \
    X(TWICE, "is about what another step is about") \
    X(STATE, "does not go with the state of the job") \
    X(FIXED, "moves a job that cannot be moved") \
    X(HERE, "leads to where the task is already") \
    X(DRAINING, "leads to a node that is draining") \
    X(FEATURES, "leads to a node whose processors lack something") \
    X(FULL, "leads to a node that is full") \
    X(CYCLE, "is part of a cycle of moves") \
    X(PART, "places a part of a job")

#define X(name, text) CHECKED_##name,
enum checked_reason { CHECKED_REASONS(X) CHECKED_NREASONS };
#undef X

struct checked {
    struct hct_plan_step *steps;        /* owned */
    struct hct_plan_step *bad;  /* owned: the refused ones, and why each was: */
    uint8_t *bad_why;           /* owned: enum checked_reason */
    uint32_t nsteps, nrefused;
    uint32_t refused[CHECKED_NREASONS];
    char first[160];            /* a sentence about the first refused one */
};

/* {0} is empty. */
void checked_fini(struct checked *c);

/* "leads to a node that is full" */
const char *checked_reason(enum checked_reason why);

/* -1: no memory. */
int checked_plan(struct checked *c, const struct hct_system *in,
                 const struct hct_plan *plan, struct err *err);

#endif
