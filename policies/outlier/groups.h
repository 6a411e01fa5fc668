/* groups.h - who is like whom: the models of a sample of tasks in groups, all
 * tasks assigned, and how far each is from its like (SC11, section 3.3).
 *
 * Tasks that do the same are in one group of a kind (alike), however long they
 * take for it: one that is slow stays among its like, to be compared with them.
 *
 * Two ways to be unlike, as there: far from the medoid of the nearest group, in
 * units of that group's deviation (3.3.1), and far from the nearest of the
 * sample (3.3.2). Both on models whose chains are merged (3.2). */
#ifndef HCT_GROUPS_H
#define HCT_GROUPS_H

#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/smm/chains.h"
#include "policies/smm/dictionary.h"
#include "policies/smm/medoids.h"

/* Of the sample: so many draw a picture of any number of tasks (SC11, 3.3.2: a
 * constant number). */
enum { GROUPS_SAMPLE = 60 };

struct groups {
    uint32_t sample[GROUPS_SAMPLE], nsample;    /* numbers of models,
                                                   ascending */
    struct medoids medoids, alike;      /* by all that differs; by what they
                                           do */
    size_t nchains;
    uint32_t into[DICTIONARY_STEPS], first[DICTIONARY_STEPS];
    uint32_t words[CHAINS_WORDS(DICTIONARY_STATES)];
    struct smm_edge edge[GROUPS_SAMPLE][DICTIONARY_STEPS]; /* of the sample */
    struct smm_edge one[DICTIONARY_STEPS], merged[DICTIONARY_STEPS];
    double distance[GROUPS_SAMPLE * GROUPS_SAMPLE];
    double structure[GROUPS_SAMPLE * GROUPS_SAMPLE];
};

struct groups_task {            /* of each model */
    uint32_t group, alike;      /* numbers of medoids */
    double far;                 /* from the medoid, in deviations of its group */
    double near;                /* from the nearest of the sample but itself */
};

/* nmodels is more than 0; at most k groups. t is as long as there are
 * models. */
void groups_make(struct groups *g, struct groups_task *t,
                 const struct lknorm *table, const struct dictionary *d,
                 const struct hct_snapshot *in, uint32_t k);

#endif
