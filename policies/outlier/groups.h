/* groups.h - who is like whom in a sample of tasks: their models in groups (SC11,
 * section 3.3.1), after chains are merged (3.2).
 *
 * Tasks that do the same are of one kind, however long they take for it: one
 * that is slow stays among its like, to be compared with them. Groups are by all
 * that differs, as in the paper. */
#ifndef HCT_GROUPS_H
#define HCT_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/lib/lot.h"
#include "policies/smm/chains.h"
#include "policies/smm/dictionary.h"
#include "policies/smm/medoids.h"

enum { GROUPS_SAMPLE = LOT_SAMPLE };

struct groups {
    bool unmerged;              /* chains are left as they are */
    uint32_t nsample;
    uint32_t sample[GROUPS_SAMPLE];     /* numbers of models in the snapshot */
    struct medoids medoids, kinds;      /* by all that differs; by what they
                                           do. Numbers in sample */
    uint32_t free;
    size_t nchains;
    uint32_t into[DICTIONARY_STEPS], first[DICTIONARY_STEPS];
    uint32_t words[CHAINS_WORDS(DICTIONARY_STATES)];
    struct smm_edge whole[GROUPS_SAMPLE][DICTIONARY_STEPS]; /* their models, */
    struct smm_edge edge[GROUPS_SAMPLE][DICTIONARY_STEPS];  /* chains merged */
    double distance[GROUPS_SAMPLE * GROUPS_SAMPLE];
    double structure[GROUPS_SAMPLE * GROUPS_SAMPLE];
};

struct groups_most {
    uint32_t groups, kinds;
    uint32_t normal;            /* groups, as was learnt (learnt.h); 0: not known */
};

/* Of g->sample, one at least, which the dictionary is made of. In no more groups and
 * kinds than most; g->free of them there would be, did nobody know what is normal. */
void groups_make(struct groups *g, const struct lknorm *table,
                 const struct dictionary *d, const struct hct_snapshot *in,
                 const struct groups_most *most);

#endif
