/* chain.c - a semi-Markov chain over call sites. */
#include "slave/emulate/chain.h"

#include "proto/base/idtable.h"

enum { LOTS = 4, FAR = 3, FAR_OF = 8, CATCH_UP = 2048 };

/* From 0 to just below 1. */
static double lot(uint64_t a, uint64_t b)
{
    return (double)(idtable_mix(a, b) >> 11) * 0x1p-53;
}

void chain_init(struct chain *c, uint32_t sites, uint64_t mean_ns,
                uint64_t seed)
{
    *c = (struct chain){ .sites = sites, .seed = idtable_mix(seed, sites) | 1,
                         .mean_ns = mean_ns };
    chain_next(c, 0);
}

static double length_ns(const struct chain *c)
{
    uint64_t seed = idtable_mix(c->seed, c->step);
    double sum = 0;

    for (uint64_t i = 1; i <= LOTS; i++)
        sum += lot(seed, i);
    return sum * 2 / LOTS * (double)c->mean_ns * 2 * (c->site + 1) /
           (c->sites + 1);
}

void chain_next(struct chain *c, uint64_t age_ns)
{
    uint64_t behind_ns = age_ns > c->until_ns ? age_ns - c->until_ns : 0;
    uint64_t many = behind_ns / c->mean_ns / CATCH_UP;
    bool far = idtable_mix(c->seed, c->step) % FAR_OF == 0;

    if (c->step)
        c->site = (c->site + (far ? FAR : 1)) % c->sites;
    c->step++;
    c->calls = 1 + (uint32_t)(many < UINT32_MAX ? many : UINT32_MAX - 1);
    c->since_ns = c->until_ns;
    c->until_ns += (uint64_t)(length_ns(c) * c->calls) + 1;
}

uint64_t chain_out_ns(const struct chain *c, uint32_t rank, bool slow)
{
    double share = 0.32 + 0.16 * lot(idtable_mix(c->seed, rank + 1ull),
                                     c->step);

    if (slow && c->site == c->sites - 1)
        share *= 2;
    return (uint64_t)(share * (double)(c->until_ns - c->since_ns));
}
