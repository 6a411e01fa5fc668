/* bocpd.h - since when is a series different? Bayesian on-line change points
 * (Adams and MacKay 2007, algorithm 1): how likely is it that the last so many
 * numbers belong together, for each length of such a run.
 *
 * Numbers of a run are normal, of a mean and a deviation that nobody knows: the
 * conjugate prior is normal-inverse-gamma, and the next number has Student's t
 * (Murphy, Conjugate Bayesian analysis of the Gaussian distribution, 2007,
 * section 3). The series is one of logarithms: factors are shifts. Of long runs
 * the oldest two are taken together, so a number costs the same for ever. */
#ifndef HCT_BOCPD_H
#define HCT_BOCPD_H

#include <stdbool.h>
#include <stdint.h>

enum { BOCPD_RUNS = 96 };       /* lengths that are told apart */

struct bocpd_run {
    double p;                   /* that this is the run */
    double mean, kappa, alpha, beta;    /* of the normal-inverse-gamma */
    uint32_t n;                 /* numbers in it */
};

struct bocpd {                  /* all zero: nothing seen */
    uint32_t n;                 /* numbers so far */
    uint32_t nruns;
    double hazard;              /* chance that a run ends with a number */
    double mean, spread;        /* prior: where a run is, how far it varies */
    struct bocpd_run run[BOCPD_RUNS];   /* the shortest first */
};

/* Runs are of length numbers in the mean, and vary by about spread. */
void bocpd_begin(struct bocpd *b, double length, double spread);

void bocpd_add(struct bocpd *b, double x);

/* How likely is it that the present run has from least to most numbers, and is
 * not all there is: twice least were before it. *since: how many, most likely;
 * 0 and false: there is none of that length. */
bool bocpd_change(const struct bocpd *b, uint32_t least, uint32_t most,
                  double *p, uint32_t *since);

#endif
