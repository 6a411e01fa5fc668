/* found.h - what came out of one step of a policy: checked, and as bytes between
 * hector-judge, which runs the policy, and whoever asked. Pure. */
#ifndef HECTOR_FOUND_H
#define HECTOR_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

enum { FOUND_VERDICTS = 16, FOUND_LINES = 512, FOUND_PROPOSALS = 16, FOUND_ODDS = 256,
       FOUND_LEARNT = HCT_LEARNT_MAX, FOUND_INSTANCES = HCT_INSTANCES_MAX,
       FOUND_ROWS = HCT_ROWS_MAX,
       FOUND_TAG = sizeof(((struct hct_rank *)0)->tag_text) };

enum found_how {
    FOUND_FINE,
    FOUND_ODD,                  /* something was wrong: why says what; what
                                   was not is there */
    FOUND_OFF,                  /* the same, once too often: it is not to be
                                   asked any more */
};

/* Memory that is reused. */
struct found {
    enum found_how how;
    char why[200];
    uint64_t seq, now_ns;       /* of the look */
    struct hct_out out;         /* points to what follows */
    struct hct_verdict verdicts[FOUND_VERDICTS];
    struct hct_line lines[FOUND_LINES];
    struct hct_proposal proposals[FOUND_PROPOSALS];
    struct hct_row rows[FOUND_ROWS];
    uint32_t *ranks;            /* owned; as many as the job has, at least */
    uint32_t ranks_max;
    uint8_t *question;          /* owned: where a policy can ask; or NULL */
    struct hct_odd odds[FOUND_ODDS];
    struct hct_learnt learnt[FOUND_LEARNT];
    struct hct_instance instances[FOUND_INSTANCES];
    char tags[FOUND_LINES][FOUND_TAG];  /* of each line's rank, the last one */
    char *text[FOUND_VERDICTS];         /* owned: all there is of a verdict as
                                           lines (verdict.h), or NULL */
};
int found_init(struct found *f, uint32_t nranks);
/* For one who can ask: room for a question. -1: no memory. */
int found_init_asking(struct found *f, uint32_t nranks);
void found_fini(struct found *f);
/* As a step is to find it. */
void found_empty(struct found *f);

/* What makes no sense is not there any more; then it is said what, else
 * NULL. */
const char *found_check(struct found *f, uint32_t nranks);

/* Added to bytes, and back into one that found_init() has made. -1: these are
 * not what a step can find, in a job of so many ranks. */
void found_pack(const struct found *f, struct str *to);
int found_unpack(struct found *f, uint32_t nranks, const void *p, size_t n,
                 struct err *err);

const char *found_kind_name(uint32_t kind);     /* of the view verdicts */
const char *found_where_name(uint32_t where);   /* "" if not known */
/* "by the collective number"; "" if nothing decides. */
const char *found_decided_name(uint32_t decided);

#endif
