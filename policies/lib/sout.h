/* sout.h - ParaStack's model of one phase of a job: how S_out, the part of the
 * tasks that is outside of MPI, is distributed (SC17, sections 3.1 and 3.2);
 * and, from it, how many low values in a row are too many for chance. */
#ifndef HCT_SOUT_H
#define HCT_SOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SOUT_LEVELS = 256,          /* S_out is level / of, of at most this */
    SOUT_TEST = 16,             /* samples between two runs tests */
    SOUT_SERIES = 64,           /* kept while the interval is looked for */
};

struct sout {
    uint64_t interval_ns, interval_max_ns;      /* I */
    uint32_t of;                /* tasks that are looked at, or SOUT_LEVELS */
    uint32_t n;                 /* samples in the model */
    uint32_t fresh;             /* since the last runs test */
    uint16_t is_random;         /* the interval is found */
    uint16_t nseries;
    uint16_t series[SOUT_SERIES];
    uint32_t count[SOUT_LEVELS + 1];
};

void sout_init(struct sout *m, uint32_t of, uint64_t interval_ns,
               uint64_t interval_max_ns);

/* The level of out tasks outside of MPI, among all. */
uint32_t sout_level(const struct sout *m, uint32_t out, uint32_t all);

/* One sample. Until the series is random, the interval is doubled each time
 * it is found not to be, and every other sample is given up. */
void sout_add(struct sout *m, uint32_t level);

struct sout_limit {
    uint32_t level;             /* a suspicion: S_out is this or lower */
    double p, e, q;             /* q = p + e: how often that happens */
    unsigned k;                 /* so many in a row are a hang */
};

/* The limit is this level or a higher one. False: there are too few samples yet,
 * or low ones are too common. */
bool sout_limit(const struct sout *m, double alpha, uint32_t least,
                struct sout_limit *l);

/* Of section 3.2: the p that needs the fewest samples for tolerance e, and how
 * many these are. */
double sout_best(double e, unsigned *n);

/* How many suspicions in a row, if each has probability q. */
unsigned sout_times(double q, double alpha);

#endif
