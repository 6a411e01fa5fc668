/* remedy.h - what is done about a job that hangs, and when: by the strength of
 * the evidence and what --on-hang allows (proto/conf/onhang.h). Pure. */
#ifndef HECTOR_REMEDY_H
#define HECTOR_REMEDY_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "proto/base/str.h"
#include "proto/conf/onhang.h"

struct remedy {                 /* {0}: nothing is to be done */
    bool wanted;
    uint64_t due_ns;            /* not before; on the clock of snapshots */
};

/* About this verdict, found at now_ns. */
struct remedy remedy_decide(const struct onhang *h,
                            const struct hct_verdict *v, uint64_t now_ns);

/* A sentence that says so to a person. */
void remedy_say(struct str *to, const struct onhang *h,
                const struct hct_verdict *v, uint64_t now_ns);

/* How sure one may call it: certainty is for what is proven. */
double remedy_score(const struct hct_verdict *v);

#endif
