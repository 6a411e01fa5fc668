/* medoids.h - groups of tasks that are alike, each with the one that stands for
 * it: k-medoids on a sample, as CAPEK does (SC11, section 3.3.1; Gamblin and
 * others, ICS 2010), by Partitioning Around Medoids (Kaufman and Rousseeuw,
 * 1990).
 *
 * Distances are those of a sample of n tasks, a matrix n x n with zeros in its
 * diagonal. Equal ones are settled by the lower number: the same sample has the
 * same groups everywhere. */
#ifndef HCT_MEDOIDS_H
#define HCT_MEDOIDS_H

#include <stddef.h>
#include <stdint.h>

enum { MEDOIDS_MAX = 10, MEDOIDS_SAMPLE_MAX = 128 };

struct medoids {
    uint32_t k;                 /* groups */
    uint32_t medoid[MEDOIDS_MAX];       /* numbers in the sample, ascending */
    uint32_t group[MEDOIDS_SAMPLE_MAX]; /* of each: the number of its medoid in
                                           medoid */
    double total;               /* sum of the distances to the medoids */
    double bic;                 /* of medoids_best(); more is better */
};

/* Into k groups, 1 <= k <= n. */
void medoids_find(struct medoids *m, const double *distance, uint32_t n,
                  uint32_t k);

/* Into as many, at most k, as the Bayesian information criterion says (Pelleg
 * and Moore, ICML 2000, section 3.2, with distances in place of differences).
 * That knows no unit: what is nearer than same is the same, and no group is
 * made for it. */
void medoids_best(struct medoids *m, const double *distance, uint32_t n,
                  uint32_t k, double same);

#endif
