/* scores.h - what comes of a question to all tasks (struct hct_question): how many
 * are in each cluster and how far from its medoid, and those that are furthest.
 * Of many tasks it is as large as of a hundred. */
#ifndef HECTOR_SCORES_H
#define HECTOR_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "policies/hct_policy.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

enum { SCORES_CLUSTERS = 2 * HCT_CLUSTERS_MAX,
       SCORES_MAX = (HCT_CLUSTERS_MAX + 2) * HCT_TOP_MAX };

/* Where it says rank, a part has a position. */
struct scores {
    uint32_t width;             /* positions */
    uint32_t top;               /* of each method, and of HCT_METHOD_CLUSTER of
                                   each group: not more; 0: nothing is in it */
    uint64_t number;            /* of the question */
    struct hct_cluster cluster[SCORES_CLUSTERS];        /* by what, number */
    uint32_t nclusters;
    struct hct_score score[SCORES_MAX];         /* by method, group of the first
                                                   one, and then the furthest */
    uint32_t nscores;
    struct hct_stretch stretch; /* what time they are of */
};

/* One more task, whose model of that time began so long ago; 0: it has none. */
void scores_task(struct scores *s, uint64_t ago_ns);
/* One more in a cluster. */
void scores_count(struct scores *s, enum hct_cluster_what what, uint32_t number,
                  double distance);
/* A task of a kind, which was counted, has had a processor so long, and was kept from
 * one. */
void scores_ran(struct scores *s, uint32_t kind, uint64_t ran_ns,
                uint64_t delayed_ns);
/* One that is among the furthest, perhaps. */
void scores_put(struct scores *s, const struct hct_score *x);
/* Would it be kept? Its step does not count. */
bool scores_wants(const struct scores *s, const struct hct_score *x);

/* The part of others, whose position 0 is ours at. */
void scores_merge(struct scores *s, const struct scores *part, uint32_t at);

/* rank_of: of each position, or NULL. -1: no memory. */
int scores_write(const struct scores *s, const uint32_t *rank_of,
                 struct str *out, struct err *err);
/* -1: it makes no sense; ranks are below width. */
int scores_read(struct scores *s, const uint8_t *bytes, size_t n,
                uint32_t width, struct err *err);

#endif
