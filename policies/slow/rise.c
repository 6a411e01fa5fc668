/* rise.c - see rise.h. */
#include "policies/slow/rise.h"

#include <math.h>

#include "policies/pace/onset.h"
#include "policies/slow/alike.h"

enum { AT_ONCE = 4 };           /* windows that say how it was at first */
enum { EARLIER = 5 };           /* ... from which on it is known how it became so */

void rise_agree(struct speed *s, uint32_t phase, struct odd_found *f,
                const struct odd_task *worst)
{
    double half = (worst ? s->shift[worst->rank] : log(f->alike)) / 2;
    uint32_t n = 0;

    f->windows = f->earlier = 0;
    if (!worst && 2 * half < speed_finest)
        return;                 /* mostly so, and each window costs much */
    for (uint64_t w = s->windows; w > speed_oldest(s); w--) {
        struct speed_span one = speed_span(s, phase, w - 1, w);
        double x;

        if (one.n == 0)
            continue;
        x = alike_about(s, phase, &one);
        if (worst)
            x = speed_shift(s, worst->rank, phase, &one) - x;
        if (!(x > half))
            break;
        n++;
    }
    f->windows = n < f->of ? n : f->of;
    f->earlier = n - f->windows;
}

static struct speed_span last_of(const struct speed_span *span)
{
    struct speed_span last = { .n = span->n < AT_ONCE ? span->n : AT_ONCE };

    for (uint32_t i = 0; i < last.n; i++)
        last.at[i] = span->at[span->n - last.n + i];
    return last;
}

/* What the worst one, or all, are slower by in some windows. */
static double slower(struct speed *s, uint32_t phase,
                     const struct speed_span *span,
                     const struct odd_task *worst)
{
    double all = alike_about(s, phase, span);

    return worst ? speed_shift(s, worst->rank, phase, span) - all : all;
}

/* From two windows to the two behind the next one, in which it may begin; *at: the
 * first of these. */
static double highest_step(const double *v, uint32_t n, uint32_t *at)
{
    double most = 0;

    *at = n;
    for (uint32_t i = 3; i + 1 < n; i++) {
        double step = (v[i] + v[i + 1] - v[i - 3] - v[i - 2]) / 2;

        if (step > most)
            *at = i;
        most = fmax(most, step);
    }
    return most;
}

/* From the two windows behind the step to the last two. */
static double grown(const double *v, uint32_t n, uint32_t at)
{
    if (at + 4 > n)
        return (double)NAN;
    return (v[n - 1] + v[n - 2] - v[at] - v[at + 1]) / 2;
}

struct rise rise_of(struct speed *s, uint32_t phase, uint64_t since,
                    const struct odd_found *f, const struct odd_task *worst)
{
    struct speed_span span = speed_span(s, phase, since, s->windows);
    struct speed_span last = last_of(&span);
    double was = worst ? speed_was(s, worst->rank, phase, log(f->was))
                       : log(f->was);
    double v[SPEED_NEWS + 3];
    uint32_t n = 0, at;
    struct rise rise;

    was = fmax(was, 0);
    for (; since >= speed_oldest(s) && n < 3; n++)
        v[n] = was;
    for (uint32_t i = 0; i < span.n; i++) {
        struct speed_span one = { .n = 1, .at = { span.at[i] } };

        v[n] = slower(s, phase, &one, worst);
        n += !isnan(v[n]);
    }
    rise.step = highest_step(v, n, &at);
    rise.now = slower(s, phase, &last, worst) - was;
    rise.grown = grown(v, n, at);
    return rise;
}

double rise_gain(struct speed *s, uint32_t phase, uint64_t since,
                 const struct odd_task *worst, bool *known)
{
    double v[SPEED_RING], noise = speed_finest;
    uint32_t n = 0, earlier = 0;
    struct onset o;

    if (worst)
        noise = fmax(noise, (double)s->task[worst->rank].phase[phase].noise);
    for (uint64_t w = speed_first(s); w < s->windows; w++) {
        struct speed_span one = speed_one(s, phase, w);

        if (one.n == 0)
            continue;
        v[n] = alike_about(s, phase, &one);
        if (worst)
            v[n] = speed_shift(s, worst->rank, phase, &one) - v[n];
        earlier += !isnan(v[n]) && w < since;
        n += !isnan(v[n]);
    }
    *known = earlier >= EARLIER && onset_find(v, n, noise, &o);
    return *known ? o.gain : 0;
}

/* What all are slower by in the last windows before *to, which goes to the first of
 * these; NaN: there are too few. */
static double last_before(struct speed *s, uint32_t phase, uint64_t *to)
{
    double sum = 0;
    uint32_t n = 0;

    while (n < AT_ONCE && *to > speed_first(s)) {
        struct speed_span one = speed_one(s, phase, --*to);
        double x = one.n ? alike_about(s, phase, &one) : (double)NAN;

        if (isnan(x))
            continue;
        sum += x;
        n++;
    }
    return n < AT_ONCE ? (double)NAN : sum / n;
}

double rise_trend(struct speed *s, uint32_t phase, uint64_t since)
{
    double last = last_before(s, phase, &since);

    return last - last_before(s, phase, &since);
}
