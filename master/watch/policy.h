/* policy.h - one policy: its shared object found, loaded and checked, its
 * parameters read by its own table, and its steps called so that whatever it
 * does harms nobody else.
 *
 * "hang", "hang:alpha=0.01,detail=1", "/path/to/mine.so:every=2": a name is
 * looked for in ../lib/hector/policies and ../lib/policies, seen from the
 * running program. */
#ifndef HECTOR_POLICY_H
#define HECTOR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "proto/base/err.h"

/* Slow steps are forgiven after so many in a row that are not. */
enum { POLICY_FORGIVEN = 1000 };

struct policy {
    void *object;               /* owned: of dlopen() */
    const struct hct_policy *p; /* borrowed from it */
    char name[48];
    char *spec;                 /* owned: as the user wrote it */
    double params[HCT_PARAMS_MAX];
    void *state;                /* owned; NULL until policy_begin() */
    size_t state_bytes;
    uint64_t wake_ns;           /* not stepped before; on the snapshot's clock */
    unsigned slow, wrong;       /* steps that were, and are not forgiven */
    unsigned quick;             /* in a row, since the last slow one */
    uint64_t steps, lost;
    bool off;                   /* misbehaved too often */
};

/* A sentence in err says what is wrong: no such policy, no such parameter, a
 * value out of bounds, another version. *p is empty then. */
int policy_open(struct policy *p, const char *spec, struct err *err);
void policy_close(struct policy *p);

/* State for this job. -1: the policy refuses, or there is no memory. */
int policy_begin(struct policy *p, const struct hct_job *job,
                 struct err *err);

/* What came out of a step: checked, in memory that is reused. */
struct policy_out {
    struct hct_out out;
    struct hct_verdict verdicts[16];
    struct hct_line lines[512];
    struct hct_proposal proposals[16];
    uint32_t *ranks;            /* owned; as many as the job has, at least */
    uint32_t ranks_max;
};
int policy_out_init(struct policy_out *o, uint32_t nranks);
void policy_out_fini(struct policy_out *o);

/* Is it to be asked at a snapshot of this time? */
bool policy_due(const struct policy *p, uint64_t now_ns);

enum policy_result {
    POLICY_FINE,
    POLICY_ODD,                 /* something was wrong: why says what; what
                                   was not is in o */
    POLICY_OFF,                 /* the same, once too often: it is off now */
};
enum policy_result policy_step(struct policy *p,
                               const struct hct_snapshot *in,
                               struct policy_out *o, char *why, size_t size);

const char *policy_kind_name(uint32_t kind);    /* of the view verdicts */
const char *policy_where_name(uint32_t where);  /* "" if not known */

#endif
