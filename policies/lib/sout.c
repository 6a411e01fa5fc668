/* sout.c - the distribution of S_out, see sout.h. */
#include "policies/lib/sout.h"

#include <math.h>
#include <string.h>

#include "policies/lib/runs.h"

static const double tolerances[] = { 0.3, 0.2, 0.1, 0.05 };

void sout_init(struct sout *m, uint32_t of, uint64_t interval_ns,
               uint64_t interval_max_ns)
{
    memset(m, 0, sizeof(*m));
    m->of = of < 1 ? 1 : of > SOUT_LEVELS ? SOUT_LEVELS : of;
    m->interval_ns = interval_ns;
    m->interval_max_ns = interval_max_ns;
}

uint32_t sout_level(const struct sout *m, uint32_t out, uint32_t all)
{
    if (out == 0 || all == 0)
        return 0;
    if (out >= all)
        return m->of;
    if (all == m->of)
        return out;
    /* Only nobody is level 0, and only all of them the highest one. */
    return 1 + (uint32_t)((uint64_t)(out - 1) * (m->of - 1) / all);
}

/* Section 3.1: a model for an interval of 2 I has half as many samples. */
static void halve(struct sout *m)
{
    unsigned n = 0;

    memset(m->count, 0, sizeof(m->count));
    for (unsigned i = 1; i < m->nseries; i += 2) {
        m->series[n++] = m->series[i];
        m->count[m->series[i]]++;
    }
    m->nseries = (uint16_t)n;
    m->n = n;
    m->interval_ns *= 2;
    if (m->interval_ns > m->interval_max_ns)
        m->interval_ns = m->interval_max_ns;
}

void sout_add(struct sout *m, uint32_t level)
{
    if (level > m->of)
        level = m->of;
    m->count[level]++;
    m->n++;
    if (m->is_random)
        return;
    m->series[m->nseries++] = (uint16_t)level;
    if (++m->fresh < SOUT_TEST)
        return;
    m->fresh = 0;
    m->is_random = runs_random(m->series + m->nseries - SOUT_TEST, SOUT_TEST);
    if (m->is_random)
        return;
    if (m->interval_ns < m->interval_max_ns) {
        halve(m);
    } else if (m->nseries > SOUT_SERIES - SOUT_TEST) {
        m->nseries = SOUT_TEST;         /* the counts stay */
        memmove(m->series, m->series + SOUT_SERIES - 2 * SOUT_TEST,
                SOUT_TEST * sizeof(m->series[0]));
    }
}

/* f_max of section 3.2, before it is restricted to (0, 0.5]. */
static double samples_for(double p, double e)
{
    double n;

    if (p <= 0 || p >= 1)
        return INFINITY;
    n = 3.8416 / (e * e) * p * (1 - p);
    n = fmax(n, 5 / p);
    return fmax(n, 5 / (1 - p));
}

double sout_best(double e, unsigned *n)
{
    double low = 1e-9, high = 0.5;

    /* 5/p falls and the other term grows: the best is where they meet. */
    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;

        if (5 / p > 3.8416 / (e * e) * p * (1 - p))
            low = p;
        else
            high = p;
    }
    *n = (unsigned)ceil(samples_for(high, e) - 1e-6);
    return high;
}

unsigned sout_times(double q, double alpha)
{
    double k = ceil(log(alpha) / log(q) - 1e-9);

    return k < 1 ? 1 : (unsigned)k;
}

/* The sub-optimal p near the best one: of the two values that the empirical
 * distribution takes around it, the one that needs fewer samples; of those that
 * it takes from level least on. */
static bool nearest(const struct sout *m, double e, uint32_t least,
                    struct sout_limit *l, double *needed)
{
    unsigned at_least;
    double best = sout_best(e, &at_least), below = 0, f = 0;
    uint32_t sum = 0, level_below = 0, level;

    for (level = 0; level <= m->of; level++) {
        sum += m->count[level];
        f = (double)sum / m->n;
        if (f >= best && level >= least)
            break;
        below = f;
        level_below = level;
    }
    l->e = e;
    l->p = f;
    l->level = level;
    *needed = samples_for(f, e);
    if (level > least && samples_for(below, e) < *needed) {
        l->p = below;
        l->level = level_below;
        *needed = samples_for(below, e);
    }
    return isfinite(*needed);
}

bool sout_limit(const struct sout *m, double alpha, uint32_t least,
                struct sout_limit *l)
{
    bool found = false;

    if (m->n == 0)
        return false;
    for (unsigned i = 0; i < sizeof(tolerances) / sizeof(tolerances[0]); i++) {
        struct sout_limit at;
        double needed;

        if (!nearest(m, tolerances[i], least, &at, &needed) || m->n < needed ||
            at.p + at.e >= 1)
            continue;
        at.q = at.p + at.e;
        at.k = sout_times(at.q, alpha);
        *l = at;
        found = true;
    }
    return found;
}
