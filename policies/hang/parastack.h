/* parastack.h - ParaStack (SC17) as it was published: S_crout of two random
 * sets of tasks, or S_out of all, sampled at random steps. A streak of low
 * values that is too long for chance is a hang, unless somebody steps on
 * slowly. Also its table 1: a fixed number of low values. */
#ifndef HCT_PARASTACK_H
#define HCT_PARASTACK_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/lib/phasebook.h"
#include "policies/lib/sout.h"

enum {
    PARASTACK_C = 10,           /* tasks in a set (section 3.3) */
    PARASTACK_SWAP = 30,        /* observations of one set, then the other */
    PARASTACK_CHECKS = 5,       /* looks at all, to find who is to blame */
};

enum parastack_mode { PARASTACK_SOME, PARASTACK_ALL, PARASTACK_FIXED };

struct parastack_options {
    double alpha;
    uint64_t interval_ns, interval_max_ns;
    uint32_t fixed;             /* low values in a row, PARASTACK_FIXED */
    uint32_t mode;
    /* Not of the paper. Not 0: where tasks on several nodes all wait in MPI it
     * may be the network that stands still: a notice after so long, or twice as
     * long as it has been so before, and no hang. */
    uint64_t patience_ns;
};

struct parastack_rank {         /* one for each rank, the caller's */
    uint32_t call;
    uint8_t in, out_always, pad[2];
    uint32_t sample;            /* of its stack: the one that was counted */
};

/* Low values in a row. */
struct parastack_streak {
    uint32_t n, pad;
    uint64_t began_ns;
    uint64_t longest_ns;        /* of those that were over */
    double q;                   /* how often one is as low */
};

/* What is low: what the model says; and, of all tasks, one that is out where
 * that is nobody (section 3.3, the corner case: who computes for ever would
 * hide that the others hang; the paper looks at two sets for that). */
enum parastack_low { PARASTACK_LOW, PARASTACK_ONE, PARASTACK_LOWS };

struct parastack {
    struct parastack_options options;
    uint64_t random;
    uint32_t set[2][PARASTACK_C];
    uint32_t nset;              /* in each */
    uint32_t uses, observed;    /* which set, how often so far */
    struct phasebook phases;
    struct sout model[PHASEBOOK_MAX];   /* of each */
    uint64_t next_ns;           /* sample, or check */
    struct parastack_streak streak[PARASTACK_LOWS];     /* the second one has
                                   all of the first, and begins no later */
    uint16_t low[SOUT_LEVELS];  /* its values: part of the model if it ends */
    uint32_t nlow;
    uint32_t checks;            /* of a hang that is suspected */
    uint64_t noticed_ns;        /* age of the stand-still when it was last asked
                                   whether it is more than a notice */
    uint8_t reported;           /* enum hct_kind: a hang, or only a notice, and
                                   a hang may follow */
    uint8_t slow;
    uint8_t low_by;             /* enum parastack_low: what is suspected by */
    uint8_t pad[5];
};

/* ParaStack's step: rand(I) + I/2. */
uint64_t parastack_step(uint64_t *state, uint64_t interval_ns);

/* Is the task in MPI, as section 6 says for its threads? A loop of
 * MPI_Test counts as in. */
bool parastack_in(const struct hct_snapshot *in, const struct hct_rank *k);

void parastack_init(struct parastack *p, const struct hct_job *job,
                    const struct parastack_options *options);

/* Are there tasks that are known by their stacks? How many. */
uint32_t parastack_stacks(const struct hct_snapshot *in);

/* One look; sets out->wake_ns. What tasks do that are known by their stacks
 * counts once: until there is something new of all of them it waits. */
void parastack_look(struct parastack *p, struct parastack_rank *ranks,
                    const struct hct_snapshot *in, struct hct_out *out);

#endif
