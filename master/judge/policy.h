/* policy.h - one policy: its shared object found, loaded and checked, its
 * parameters read by its own table, its steps called and what they find
 * checked. Whatever it does, it does to this process.
 *
 * "hang", "hang:alpha=0.01,detail=1", "/path/to/mine.so:every=2": a name is
 * looked for in ../lib/hector/policies and ../lib/policies, seen from the
 * running program. */
#ifndef HECTOR_POLICY_H
#define HECTOR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/watch/found.h"
#include "policies/hct_policy.h"
#include "proto/base/err.h"

struct policy {
    void *object;               /* owned: of dlopen() */
    const struct hct_policy *p; /* borrowed from it */
    char name[48];
    char *spec;                 /* owned: as the user wrote it */
    double params[HCT_PARAMS_MAX];
    void *state;                /* owned; NULL until policy_begin() */
    size_t state_bytes;
    uint64_t wake_ns;           /* not stepped before; on the snapshot's clock */
    uint32_t asked;             /* enum hct_need: for what it waits */
    unsigned wrong;             /* steps that gave what makes no sense */
    bool off;                   /* ... too often, or it cannot go on */
};

/* A sentence in err says what is wrong: no such policy, no such parameter, a
 * value out of bounds, another version. *p is empty then. */
int policy_open(struct policy *p, const char *spec, struct err *err);
void policy_close(struct policy *p);

/* State for this job. -1: the policy refuses, or there is no memory. */
int policy_begin(struct policy *p, const struct hct_job *job,
                 struct err *err);

/* Sets of enum hct_need: what a snapshot has to have, and what it may. */
uint32_t policy_needs(const struct policy *p);
uint32_t policy_may_need(const struct policy *p);
/* Set of enum hct_asked: looks that it wants to see, whenever they are. */
uint32_t policy_hears(const struct policy *p);

/* Is it to be asked at this snapshot? */
bool policy_due(const struct policy *p, const struct hct_snapshot *in);

/* What it finds, checked, in what it is given of the snapshot. */
void policy_step(struct policy *p, const struct hct_snapshot *in,
                 struct found *f);

#endif
