/* models.h - the models of some tasks: asked for, and kept as they come. Of six at
 * most, however large the job is. */
#ifndef HCT_SLOW_MODELS_H
#define HCT_SLOW_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/slow/region.h"

enum { MODELS_MAX = 6 };

struct models {                 /* all zero: none asked for, and none there */
    uint32_t wants;             /* HCT_NEED_MODEL as long as they are asked for */
    uint32_t nwanted, wanted[MODELS_MAX];       /* the ranks, ascending */
    uint32_t n;
    struct region kept[MODELS_MAX];     /* those that have come */
};

/* Asks for that one, too, if there is room. */
void models_want(struct models *m, uint32_t rank);

/* Asks for none any more; those that are there stay. */
void models_want_none(struct models *m);

/* What is asked for, into the step's output. */
void models_ask(const struct models *m, struct hct_out *out);

/* Keeps those that are asked for, and no others, of a snapshot that has them. */
void models_keep(struct models *m, const struct hct_snapshot *in);

/* NULL: it is not kept. */
const struct region *models_of(const struct models *m, uint32_t rank);

#endif
