/* onset.c - see onset.h. */
#include "policies/pace/onset.h"

#include <math.h>

enum {
    ONSET_MAX = 64,             /* numbers, the last ones */
    ONSET_LEAST = 6,
    STEP = 2, RAMP = 4,         /* a rise lasts for so many: at most, at least */
    SURE = 3,                   /* numbers that noise is worth */
};

/* How far has a rise that begins behind number at - 1 and lasts for so many come
 * at number i? */
static double risen(uint32_t i, uint32_t at, uint32_t lasts)
{
    return i < at ? 0 : i - at >= lasts ? 1
                      : (double)(i - at + 1) / (double)(lasts + 1);
}

/* What that line leaves of the numbers, squared; *by: how high it rises. */
static double rest_of(const double *v, uint32_t n, uint32_t at, uint32_t lasts,
                      double *by)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, all = (double)n;

    for (uint32_t i = 0; i < n; i++) {
        double r = risen(i, at, lasts);

        x += r;
        xx += r * r;
        xy += r * v[i];
        y += v[i];
        yy += v[i] * v[i];
    }
    xx -= x * x / all;
    xy -= x * y / all;
    yy -= y * y / all;
    *by = xx > 0 ? xy / xx : 0;
    return *by > 0 ? fmax(yy - xy * *by, 0) : yy;
}

/* The line that leaves least, of those that rise for so long; its rest. */
static double best_of(const double *v, uint32_t n, uint32_t least, uint32_t most,
                      struct onset *o)
{
    double best = INFINITY;

    for (uint32_t at = 1; at < n; at++)
        for (uint32_t lasts = least; lasts <= most; lasts++) {
            double by, rest = rest_of(v, n, at, lasts, &by);

            if (rest >= best)
                continue;
            best = rest;
            o->by = by;
            o->at = at;
        }
    return best;
}

/* What lies between two numbers, less its mean, squared: sums of all up to each
 * are known. */
static double apart(const double *sum, const double *sum2, uint32_t from,
                    uint32_t to)
{
    double x = sum[to] - sum[from];

    return sum2[to] - sum2[from] - x * x / (to - from);
}

static double mean_of(const double *sum, uint32_t from, uint32_t to)
{
    return (sum[to] - sum[from]) / (to - from);
}

/* Two steps up, each of two numbers at least: what they leave. */
static double two_steps(const double *v, uint32_t n)
{
    double sum[ONSET_MAX + 1] = { 0 }, sum2[ONSET_MAX + 1] = { 0 };
    double best = INFINITY;

    for (uint32_t i = 0; i < n; i++) {
        sum[i + 1] = sum[i] + v[i];
        sum2[i + 1] = sum2[i] + v[i] * v[i];
    }
    for (uint32_t a = 2; a + 4 <= n; a++)
        for (uint32_t b = a + 2; b + 2 <= n; b++) {
            double low = mean_of(sum, 0, a), high = mean_of(sum, b, n);
            double between = mean_of(sum, a, b);

            if (low < between && between < high)
                best = fmin(best, apart(sum, sum2, 0, a) +
                                  apart(sum, sum2, a, b) +
                                  apart(sum, sum2, b, n));
        }
    return fmax(best, 0);
}

/* Between its neighbours, but for twice the noise. */
static double near(const double *v, uint32_t n, uint32_t i, double noise)
{
    double low = v[i ? i - 1 : i + 1], high = v[i + 1 < n ? i + 1 : i - 1];

    return fmin(fmax(v[i], fmin(low, high) - 2 * noise),
                fmax(low, high) + 2 * noise);
}

bool onset_find(const double *v, uint32_t n, double noise, struct onset *o)
{
    double words[ONSET_MAX], step, ramp, known = SURE * noise * noise;
    struct onset slow = { 0 };

    *o = (struct onset){ 0 };
    if (n > ONSET_MAX) {
        v += n - ONSET_MAX;
        n = ONSET_MAX;
    }
    if (n < ONSET_LEAST)
        return false;
    for (uint32_t i = 0; i < n; i++)
        words[i] = near(v, n, i, noise);
    step = best_of(words, n, 0, STEP, o) + known;
    ramp = best_of(words, n, RAMP, n, &slow) + known;
    o->gain = fmax(n * log(ramp / step) + log(n),
                   n * log(ramp / (two_steps(words, n) + known)) - log(n));
    if (o->gain < 0) {
        o->by = slow.by;
        o->at = slow.at;
    }
    return o->by > 0;
}
