/* smm.h - the semi-Markov model of a task, as it is compared with others (SC11,
 * section 2): a graph whose edges are the steps from one call to the next, each
 * with the probability that it is taken, the time inside the first call, and
 * that of the computation between the two.
 *
 * Edges of all tasks have one numbering: an edge is the place of its step in a
 * list of all that any task has, the dictionary; to find its like is to look
 * there. */
#ifndef HCT_SMM_H
#define HCT_SMM_H

#include <stddef.h>
#include <stdint.h>

#include "policies/smm/lknorm.h"

/* A time is known no better than this: to a clock's tick, and to a part of
 * itself. Two that differ by less are the same, however regular both are. */
#define SMM_TICK_NS 1000.0
#define SMM_PART    0.01
/* Of one that was seen once it is not known how much it varies: as much as what
 * has no memory (an exponential distribution) does. */
#define SMM_ONCE 1.0

/* What one has that the other has not: twice what a step of both can differ by,
 * 1 in probability and 2 in each time (the paper: "a high weight"). */
#define SMM_ALONE 10.0

struct smm_edge {
    uint64_t n;                 /* times taken; 0: the task does not have it */
    double probability;         /* of its steps from there */
    struct normal in, out;      /* ns: communication P, computation Q */
    double bytes;               /* of the first call, all times together */
};

struct smm {                    /* of one task, or of many */
    struct smm_edge *edge;      /* borrowed: nedges of them, by the
                                   dictionary */
    size_t nedges;
};

struct smm_step {               /* an entry of the dictionary */
    uint32_t from, to;          /* numbers of states */
    uint32_t support;           /* tasks that have it */
};

/* A time of n, with Welford's mean and m2: its deviation is no less than can be
 * known of it. n > 0. */
struct normal smm_time(uint64_t n, double mean, double m2);

struct moments {                /* of times, as in struct hct_edge */
    double mean, m2;
};
/* Into edges that begin as zeros, in any order: the same step in another phase,
 * or of another thread. */
void smm_add(struct smm_edge *to, uint64_t n, struct moments in,
             struct moments out);
/* When all is in: deviations, and the probabilities, from n of all steps from
 * the same state, which follow each other. */
void smm_finish(struct smm *m, const struct smm_step *step);

/* What two tasks differ by in one step; 0 if neither has it. */
double smm_differ(const struct lknorm *t, const struct smm_edge *a,
                  const struct smm_edge *b);
/* In all: the distance of clustering and nearest neighbour. Of the same
 * nedges. */
double smm_distance(const struct lknorm *t, const struct smm *a,
                    const struct smm *b);
/* The same; or of what is not less than limit, anything that is not. */
double smm_distance_below(const struct lknorm *t, const struct smm *a,
                          const struct smm *b, double limit);

/* The same by what they do alone, however long that takes: who has which steps,
 * and takes them how often. */
double smm_structure(const struct smm *a, const struct smm *b);

#endif
