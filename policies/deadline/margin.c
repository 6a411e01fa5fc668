/* margin.c - see margin.h. */
#include "policies/deadline/margin.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = MARGIN_POINTS * (MARGIN_POINTS - 1) / 2, EVERY = 8, LIKELY = 2 };
static const uint64_t at_least_ns = 200000000;
static const double likely = 1e-4;

void margin_add(struct margin *m, double x)
{
    double apart = x - m->mean;

    m->mean += apart / (double)++m->n;
    m->m2 += apart * (x - m->mean);
}

/* Welford's step back, and one forward. */
void margin_replace(struct margin *m, double was, double x)
{
    double apart = was - m->mean;

    for (uint32_t i = 0; i < MARGIN_POINTS; i++)
        if (!(m->point[i].margin < was) && !(m->point[i].margin > was)) {
            m->point[i].margin = x;
            break;
        }
    if (m->n < 2) {
        m->n = 0;
        m->mean = m->m2 = 0;
    } else {
        m->mean -= apart / (double)--m->n;
        m->m2 = fmax(0, m->m2 - apart * (was - m->mean));
    }
    margin_add(m, x);
}

double margin_deviation(const struct margin *m)
{
    return m->n > 1 ? sqrt(m->m2 / (double)(m->n - 1)) : 0;
}

bool margin_collect(struct margin *m, double x, uint32_t rank, uint32_t ranks)
{
    if (m->has == 0) {
        m->of = ranks ? ranks : 1;
        m->lowest = (struct margin_point){ .margin = x, .rank = rank };
    } else if (x < m->lowest.margin) {
        m->lowest = (struct margin_point){ .margin = x, .rank = rank };
    }
    if (++m->has < m->of)
        return false;
    m->point[m->npoints++ % MARGIN_POINTS] = m->lowest;
    m->has = 0;
    m->fresh++;
    return true;
}

uint32_t margin_points(const struct margin *m, double v[MARGIN_POINTS])
{
    uint32_t n = m->npoints < MARGIN_POINTS ? (uint32_t)m->npoints
                                            : MARGIN_POINTS;

    for (uint32_t i = 0; i < n; i++)
        v[i] = m->point[(m->npoints - n + i) % MARGIN_POINTS].margin;
    return n;
}

const struct margin_point *margin_last(const struct margin *m, uint32_t back)
{
    return back < m->npoints && back < MARGIN_POINTS
               ? &m->point[(m->npoints - 1 - back) % MARGIN_POINTS] : NULL;
}

uint32_t margin_worst(const struct margin *m, uint32_t last)
{
    uint32_t best = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < last && margin_last(m, i); i++) {
        uint32_t n = 0;

        for (uint32_t j = 0; j < last && margin_last(m, j); j++)
            n += margin_last(m, j)->rank == margin_last(m, i)->rank;
        if (n > most) {
            most = n;
            best = margin_last(m, i)->rank;
        }
    }
    return best;
}

/* The kth of n by size, from 0, with no larger ones before it: Hoare's Find
 * (CACM 4, 1961). */
static double kth(double *v, int n, int k)
{
    int low = 0, high = n - 1;

    while (low < high) {
        double pivot = v[k];
        int i = low, j = high;

        do {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                double x = v[i];

                v[i++] = v[j];
                v[j--] = x;
            }
        } while (i <= j);
        if (j < k)
            low = i;
        if (k < i)
            high = j;
    }
    return v[k];
}

/* Turns v about. */
static double median(double *v, uint32_t n)
{
    double high = kth(v, (int)n, (int)n / 2), low;

    if (n % 2)
        return high;
    low = v[0];
    for (uint32_t i = 1; i < n / 2; i++)
        low = fmax(low, v[i]);
    return (low + high) / 2;
}

struct margin_slope margin_slope(const double *v, uint32_t n)
{
    double slope[PAIRS], part[MARGIN_POINTS], z;
    struct margin_slope is = { .slope = 0 };
    uint32_t pairs = 0;
    int s = 0;

    if (n < 2 || n > MARGIN_POINTS)
        return is;
    for (uint32_t i = 1; i < n; i++)
        part[i] = 1.0 / i;
    for (uint32_t i = 0; i + 1 < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            slope[pairs++] = (v[j] - v[i]) * part[j - i];
            s += (v[j] > v[i]) - (v[j] < v[i]);
        }
    is.slope = median(slope, pairs);
    /* Kendall's S is nearly normal from ten points on, and not far from that with
       eight; less 1 for continuity. */
    z = (abs(s) - 1) / sqrt(n * (n - 1.0) * (2.0 * n + 5) / 18);
    is.falls = s < 0 && z > 2.326;
    is.rises = s > 0 && z > 2.326;
    return is;
}

/* The model: a point is level + slope times its number, and noise around that,
 * as normal as the errors of a task that does the same each time mostly are,
 * each independent of the others. A slope that may be chance is none. The
 * spread of the noise is that of what is left of the points, by the median of
 * its absolute value (Hampel, JASA 69, 1974), which is 1 / 1.4826 of a normal
 * one's deviation: an outlier counts as any other. All are in time with the
 * product of the chances of each. */
double margin_chance(const double *v, uint32_t n, struct margin_slope slope,
                     uint32_t h)
{
    double rest[MARGIN_POINTS], level, spread, all = 1;
    double by = slope.falls || slope.rises ? slope.slope : 0;

    for (uint32_t i = 0; i < n; i++)
        rest[i] = v[i] - by * i;
    level = median(rest, n);
    for (uint32_t i = 0; i < n; i++)
        rest[i] = fabs(v[i] - by * i - level);
    spread = fmax(1.4826 * median(rest, n), 1e-9);
    for (uint32_t k = 0; k < h && all > 0; k++)
        all *= erfc(-(level + by * (n + k)) / spread / sqrt(2)) / 2;
    return 1 - all;
}

void margin_fit(struct margin *m, uint32_t h, uint64_t now_ns)
{
    double v[MARGIN_POINTS];
    uint32_t n = margin_points(m, v);
    struct margin_slope slope;

    if (!m->fresh || n < MARGIN_LEAST ||
        (m->known && m->fresh < (m->chance < likely ? EVERY : LIKELY) &&
         now_ns - m->fitted_ns < at_least_ns))
        return;
    m->fresh = 0;
    m->known = 1;
    m->fitted_ns = now_ns;
    slope = margin_slope(v, n);
    m->slope = slope.slope;
    m->falls = slope.falls;
    m->chance = margin_chance(v, n, slope, h);
}

bool margin_is_known(const struct margin *m)
{
    return m->known;
}
