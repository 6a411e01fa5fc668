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
    enum onhang_action does;
    uint64_t due_ns;            /* not before; on the clock of snapshots */
};

/* About this verdict, found at now_ns, for which its policy proposes that
 * (enum hct_action; 0: nothing, and then what --on-hang says is done). No more
 * is done than is proposed, nor than --on-hang allows. */
struct remedy remedy_decide(const struct onhang *h,
                            const struct hct_verdict *v, uint32_t proposed,
                            uint64_t now_ns);

/* A sentence that says so to a person. */
void remedy_say(struct str *to, const struct onhang *h,
                const struct hct_verdict *v, uint32_t proposed,
                uint64_t now_ns);

/* "not done: --on-hang report", for the record: why a remedy is not wanted. */
void remedy_why_not(struct str *to, const struct onhang *h,
                    const struct hct_verdict *v);

/* How sure one may call it: certainty is for what is proven. */
double remedy_score(const struct hct_verdict *v);

#endif
