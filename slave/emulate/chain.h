/* chain.h - the model of a kernel that is not there: a semi-Markov chain over
 * call sites.
 *
 * A step computes and then calls MPI once, at its site. Seven steps of eight
 * lead to the next site, the last one leads to the first; the eighth leads to
 * the site 3 farther on. So all sites are visited equally often. How long a
 * step takes is the sum of four equal lots, with a mean of its site's own:
 * that of site i of n (from 0) is 2 (i + 1) / (n + 1) times the mean of all.
 *
 * All tasks of a job take the same steps, as those of a parallel program do.
 * Each computes for 32 to 48 per cent of a step, by a lot of its own, and
 * waits in MPI for the rest; a slow one computes twice as long at the last
 * site, and so waits less there. All lots are made of the seed, the number of
 * the step and the rank. */
#ifndef HECTOR_EMULATE_CHAIN_H
#define HECTOR_EMULATE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

struct chain {
    uint32_t sites;
    uint64_t seed, mean_ns;             /* of a step */
    /* The step that is taken: */
    uint64_t step, since_ns, until_ns;
    uint32_t site, calls;               /* calls: one that stands for many */
};

/* Before the first step, at 0 ns; sites and mean_ns at least 1. */
void chain_init(struct chain *c, uint32_t sites, uint64_t mean_ns,
                uint64_t seed);

/* Take the next step, from until_ns on. There are age_ns to catch up with:
 * when they are very many steps, each stands for several calls at its site. */
void chain_next(struct chain *c, uint64_t age_ns);

/* How long a task computes in this step. */
uint64_t chain_out_ns(const struct chain *c, uint32_t rank, bool slow);

#endif
