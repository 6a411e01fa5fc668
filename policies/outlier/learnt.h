/* learnt.h - in how many groups tasks are, if nobody is odd: k of the
 * clustering, as learnt "from clusters of previous phases in the same run
 * (before a fault is manifested)", or "from traces of previous normal runs"
 * (SC11, section 2). Who is odd then is far from all of these groups, and makes
 * none of his own.
 *
 * Each comparison in which nobody was odd says in how many groups its tasks
 * were, by the Bayesian information criterion alone: what was learnt before
 * does not limit what is learnt. The most of all that are of a kind is what is
 * normal. One may be chance: two at least have to say so. Earlier phases of the
 * job come first, as they have the same input; then good runs. */
#ifndef HCT_LEARNT_H
#define HCT_LEARNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"

enum { LEARNT_KINDS = 32 };     /* that are told apart; of others nothing is known */

/* What a comparison is about: phases with this id (struct hct_rank), or 0, all
 * time; with steps merged or not, which are other distances. */
struct learnt_about {
    uint64_t program;           /* of learnt_program() */
    uint32_t phase_id;
    bool unmerged;
};

/* A number of the program that the models are of, another one for each build:
 * the place that it begins MPI at; 0: not known. */
uint64_t learnt_program(const struct hct_snapshot *in);

struct learnt_groups {
    uint32_t groups;            /* the most; 0: not known */
    uint32_t times;             /* so often they were compared */
    uint32_t runs;              /* in so many good runs; 0: in this one */
};

struct learnt {                 /* all zero: nothing is known */
    uint32_t most;              /* groups that are looked for */
    uint32_t n;
    struct learnt_kind {
        uint64_t what;
        struct learnt_groups here, runs;        /* in this run, in earlier ones */
    } kind[LEARNT_KINDS];
};

/* A look that has HCT_NEED_EARLIER. */
void learnt_take(struct learnt *l, const struct hct_snapshot *in);

/* Tasks were compared, and nobody was odd: they were in so many groups. True:
 * later runs are to be told of it; of what changes nothing now and then. Of all
 * time the last comparison counts, which has all that was before. */
bool learnt_add(struct learnt *l, const struct learnt_about *a, uint32_t groups);

/* What is normal. */
struct learnt_groups learnt_find(const struct learnt *l,
                                 const struct learnt_about *a);

/* For later runs: what there is to be told of it now. */
void learnt_tell(const struct learnt *l, const struct learnt_about *a,
                 struct hct_out *out);

/* One sentence about k, groups, that tasks were put in; of: "phases 'solve'",
 * or "" of all time. */
void learnt_say(const struct learnt_groups *g, uint32_t groups, const char *of,
                char *buf, size_t size);

#endif
