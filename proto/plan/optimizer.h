/* optimizer.h - one optimizer: its shared object found, loaded and asked, what
 * it plans checked, and it switched off when that makes no sense several times
 * in a row.
 *
 * "balance", "balance:margin=3", "/path/to/mine.so:every=2": see plugin.h. It
 * runs in this process. */
#ifndef HECTOR_OPTIMIZER_H
#define HECTOR_OPTIMIZER_H

#include <stdbool.h>

#include "policies/hct_optimizer.h"
#include "proto/base/err.h"
#include "proto/plan/checked.h"

enum { OPTIMIZER_WRONG_MAX = 3 };       /* plans in a row */

struct optimizer {
    void *object;               /* owned: of dlopen() */
    const struct hct_optimizer *o;      /* borrowed from it */
    char name[48];
    double params[HCT_PARAMS_MAX];
    struct checked plan;        /* the last one */
    uint64_t plans, lost;       /* asked for; steps that found no room */
    uint64_t refused[CHECKED_NREASONS]; /* steps, of all plans */
    unsigned wrong;             /* plans with such steps, since one of steps that
                                   were all taken */
    bool off;                   /* ... too many, or it cannot go on */
    char why[200];              /* a sentence, then; else of the last plan that
                                   had steps that were refused, or "" */
};

/* A sentence in err says what is wrong. *o is empty then. */
int optimizer_open(struct optimizer *o, const char *spec, struct err *err);
void optimizer_close(struct optimizer *o);

/* What it has said, unchecked: its steps are to be freed. */
struct optimizer_answer {
    struct hct_plan plan;
    int rc;                     /* of its function */
    bool greedy;                /* it wants more memory than it gets */
};

/* Ask it: of an open one. The parameters in *in are not looked at. -1: no
 * memory. */
int optimizer_ask(const struct optimizer *o, const struct hct_system *in,
                  struct optimizer_answer *a, struct err *err);
/* Its answer, also from another process, where *o need not be open: what is left
 * is in o->plan, nothing if it is off. -1: no memory. */
int optimizer_take(struct optimizer *o, const struct hct_system *in,
                   const struct optimizer_answer *a, struct err *err);
/* Both. */
int optimizer_plan(struct optimizer *o, const struct hct_system *in,
                   struct err *err);

#endif
