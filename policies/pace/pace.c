/* pace.c - see pace.h. */
#include "policies/pace/pace.h"

#include <math.h>
#include <string.h>

#include "policies/smm/polish.h"

/* A pace lasts for so many windows in the mean, and varies by some per cent. */
static const double length = 200, spread = 0.05;

void pace_add(struct pace *p, double ns, double bytes)
{
    if (!(ns > 0) || !isfinite(ns))
        return;
    if (p->n == 0)
        bocpd_begin(&p->bocpd, length, spread);
    p->log_ns[p->n % PACE_KEPT] = log(ns);
    p->bytes[p->n % PACE_KEPT] = bytes;
    p->n++;
    bocpd_add(&p->bocpd, log(ns));
}

void pace_restart(struct pace *p, uint32_t keep)
{
    struct pace old = *p;

    memset(p, 0, sizeof(*p));
    if (keep > PACE_KEPT)
        keep = PACE_KEPT;
    for (uint32_t i = old.n > keep ? old.n - keep : 0; i < old.n; i++)
        pace_add(p, exp(old.log_ns[i % PACE_KEPT]), old.bytes[i % PACE_KEPT]);
}

/* The middle of those from one up to another, of the ones that are kept. */
static double middle(const struct pace *p, const double *v, uint32_t from,
                     uint32_t to)
{
    double words[PACE_KEPT];
    uint32_t oldest = p->n > PACE_KEPT ? p->n - PACE_KEPT : 0, n = 0;

    for (uint32_t i = from > oldest ? from : oldest; i < to; i++)
        words[n++] = v[i % PACE_KEPT];
    return polish_median(words, n);
}

bool pace_change(const struct pace *p, uint32_t least, uint32_t most,
                 struct pace_change *c)
{
    double was, is;
    uint32_t at;

    memset(c, 0, sizeof(*c));
    if (!bocpd_change(&p->bocpd, least, most, &c->p, &c->since))
        return false;
    at = p->n - c->since;
    c->times = exp(middle(p, p->log_ns, at, p->n) -
                   middle(p, p->log_ns, 0, at));
    was = middle(p, p->bytes, 0, at);
    is = middle(p, p->bytes, at, p->n);
    c->other_bytes = was > 0 && is > 0 && fabs(log(is / was)) > 0.1;
    return !isnan(c->times);
}

double pace_trend(const struct pace *p, uint32_t since, uint32_t windows)
{
    uint32_t to = p->n > since ? p->n - since : 0;
    uint32_t from = to > windows ? to - windows : 0;

    return middle(p, p->log_ns, from, to) -
           middle(p, p->log_ns, from > windows ? from - windows : 0, from);
}

double pace_times(const struct pace *p, uint32_t windows)
{
    uint32_t at = p->n > windows ? p->n - windows : 0;

    return exp(middle(p, p->log_ns, at, p->n) -
               middle(p, p->log_ns, at > windows ? at - windows : 0, at));
}
