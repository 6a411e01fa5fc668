/* runs.c - the runs test, see runs.h. */
#include "policies/lib/runs.h"

#include <limits.h>

struct runs runs_count(const uint16_t *v, unsigned n)
{
    struct runs r = { 0 };
    bool was = false;

    for (unsigned i = 0; i < n; i++)
        r.boundary += v[i];
    r.boundary = n ? r.boundary / n : 0;
    for (unsigned i = 0; i < n; i++) {
        bool positive = v[i] >= r.boundary;

        r.n1 += positive;
        r.n0 += !positive;
        r.r += i == 0 || positive != was;
        was = positive;
    }
    return r;
}

static double choose(unsigned n, unsigned k)
{
    double c = 1;

    if (k > n)
        return 0;
    for (unsigned i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

/* Of all orders of n1 and n0 signs, the part that has exactly r runs. */
static double part(unsigned n1, unsigned n0, unsigned r)
{
    unsigned k = r / 2;
    double orders = choose(n1 + n0, n1);

    if (r < 2)
        return 0;
    if (r % 2 == 0)
        return 2 * choose(n1 - 1, k - 1) * choose(n0 - 1, k - 1) / orders;
    return (choose(n1 - 1, k) * choose(n0 - 1, k - 1) +
            choose(n1 - 1, k - 1) * choose(n0 - 1, k)) / orders;
}

bool runs_range(unsigned n1, unsigned n0, unsigned *low, unsigned *high)
{
    double sum = 0;

    *low = 0;
    *high = UINT_MAX;
    if (n1 < 2 || n0 < 2 || n1 > RUNS_MAX || n0 > RUNS_MAX)
        return false;
    for (unsigned r = 2; (sum += part(n1, n0, r)) <= 0.025; r++)
        *low = r;
    sum = 0;
    for (unsigned r = n1 + n0; (sum += part(n1, n0, r)) <= 0.025; r--)
        if (part(n1, n0, r) > 0)
            *high = r;
    return true;
}

bool runs_random(const uint16_t *v, unsigned n)
{
    struct runs r = runs_count(v, n);
    unsigned low, high;

    return runs_range(r.n1, r.n0, &low, &high) && r.r > low && r.r < high;
}
