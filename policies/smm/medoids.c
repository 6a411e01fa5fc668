/* medoids.c - see medoids.h. */
#include "policies/smm/medoids.h"

#include <math.h>
#include <stdbool.h>

/* How much better has to be what counts as better: sums differ in their last
 * bits with the order of what is added. */
#define BETTER 1e-9

static double at(const double *distance, uint32_t n, uint32_t i, uint32_t j)
{
    return distance[(size_t)i * n + j];
}

static uint32_t nearest(const struct medoids *m, const double *distance,
                        uint32_t n, uint32_t task, uint32_t k)
{
    uint32_t best = 0;

    for (uint32_t g = 1; g < k; g++)
        if (at(distance, n, task, m->medoid[g]) <
            at(distance, n, task, m->medoid[best]))
            best = g;
    return best;
}

static double total(const struct medoids *m, const double *distance, uint32_t n,
                    uint32_t k)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += at(distance, n, i, m->medoid[nearest(m, distance, n, i, k)]);
    return sum;
}

static bool is_medoid(const struct medoids *m, uint32_t task, uint32_t k)
{
    for (uint32_t g = 0; g < k; g++)
        if (m->medoid[g] == task)
            return true;
    return false;
}

/* The task which, as the medoid of that number among k, makes the total least;
 * less than least, or nobody: -1. */
static int64_t best_for(struct medoids *m, const double *distance, uint32_t n,
                        uint32_t number, uint32_t k, double *least)
{
    uint32_t was = m->medoid[number];
    int64_t best = -1;

    for (uint32_t i = 0; i < n; i++) {
        double sum;

        m->medoid[number] = was;
        if (is_medoid(m, i, k))
            continue;
        m->medoid[number] = i;
        sum = total(m, distance, n, k);
        if (sum < *least - BETTER * fabs(*least)) {
            *least = sum;
            best = i;
        }
    }
    m->medoid[number] = was;
    return best;
}

/* BUILD: one medoid after the other, each the best that can be added. */
static void build(struct medoids *m, const double *distance, uint32_t n)
{
    for (uint32_t k = 1; k <= m->k; k++) {
        uint32_t any = 0;
        int64_t best;

        while (is_medoid(m, any, k - 1))
            any++;
        m->medoid[k - 1] = any;
        m->total = total(m, distance, n, k);
        best = best_for(m, distance, n, k - 1, k, &m->total);
        if (best >= 0)
            m->medoid[k - 1] = (uint32_t)best;
    }
}

/* SWAP: whichever exchange of a medoid for another task is best, as long as one
 * is. */
static void swap(struct medoids *m, const double *distance, uint32_t n)
{
    for (;;) {
        double least = m->total;
        int64_t to = -1;
        uint32_t from = 0;

        for (uint32_t g = 0; g < m->k; g++) {
            int64_t best = best_for(m, distance, n, g, m->k, &least);

            if (best >= 0) {
                to = best;
                from = g;
            }
        }
        if (to < 0)
            return;
        m->medoid[from] = (uint32_t)to;
        m->total = least;
    }
}

static void sort(struct medoids *m)
{
    for (uint32_t i = 1; i < m->k; i++)
        for (uint32_t j = i; j > 0 && m->medoid[j] < m->medoid[j - 1]; j--) {
            uint32_t less = m->medoid[j];

            m->medoid[j] = m->medoid[j - 1];
            m->medoid[j - 1] = less;
        }
}

void medoids_find(struct medoids *m, const double *distance, uint32_t n,
                  uint32_t k)
{
    m->k = k;
    build(m, distance, n);
    swap(m, distance, n);
    sort(m);
    for (uint32_t i = 0; i < n; i++)
        m->group[i] = nearest(m, distance, n, i, k);
}

/* The log-likelihood of the groups as spherical normal distributions of one
 * variance around their medoids, in one dimension, less half of the parameters
 * (k - 1 sizes, k places, the variance) times ln n. */
static double bic(const struct medoids *m, const double *distance, uint32_t n,
                  double same)
{
    uint32_t size[MEDOIDS_MAX] = { 0 };
    double squares = 0, spread, likely = 0;

    for (uint32_t i = 0; i < n; i++) {
        double d = at(distance, n, i, m->medoid[m->group[i]]);

        size[m->group[i]]++;
        squares += d * d;
    }
    spread = fmax(squares / (n - m->k), same * same);
    for (uint32_t g = 0; g < m->k; g++)
        likely += size[g] * log((double)size[g] / n);
    likely -= 0.5 * n * log(2 * M_PI * spread) + 0.5 * squares / spread;
    return likely - 0.5 * (2.0 * m->k) * log(n);
}

void medoids_best(struct medoids *m, const double *distance, uint32_t n,
                  uint32_t k, double same)
{
    struct medoids more;

    medoids_find(m, distance, n, 1);
    if (n < 2)
        return;
    m->bic = bic(m, distance, n, same);
    for (uint32_t i = 2; i <= k && i < n; i++) {
        medoids_find(&more, distance, n, i);
        more.bic = bic(&more, distance, n, same);
        if (more.bic > m->bic)
            *m = more;
    }
}
