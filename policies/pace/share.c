/* share.c - see share.h. */
#include "policies/pace/share.h"

#include <math.h>

enum { KNOWN = 4, MEMORY = 16 };        /* windows */
/* Work may vary by so much more than time, until time counts again; on a machine
 * of which so much is theirs. */
static const double plainly = 1.3, theirs = 0.9;
/* Nobody else is there. */
static const double alone = 0.97;

double share_log(double had_ns, double wanted_ns)
{
    return had_ns > 0 && wanted_ns > 0 ? log(had_ns / (had_ns + wanted_ns)) : 0;
}

bool share_is_of_others(double had_ns, double wanted_ns)
{
    return had_ns < alone * (had_ns + wanted_ns);
}

static void learn(double *mean, double x, uint32_t n)
{
    *mean += (x - *mean) / (n < MEMORY ? n : MEMORY);
}

void share_add(struct share *h, double time, double work, double part)
{
    if (!isfinite(time) || !isfinite(work) || !isfinite(part))
        return;
    h->n++;
    learn(&h->time, time, h->n);
    learn(&h->work, work, h->n);
    learn(&h->part, part, h->n);
}

/* Does the part tell how much they compute? */
static bool tells(const struct share *h)
{
    return h->part < theirs && h->part * (1 + share_most_kept) > 1;
}

bool share_turns(const struct share *h)
{
    if (h->n < KNOWN)
        return false;
    return h->used ? h->part > alone || h->part * (1 + share_most_kept) <= 1 ||
                         h->work > plainly * h->time
                   : tells(h) && h->work <= h->time;
}

void share_turn(struct share *h)
{
    *h = (struct share){ .used = !h->used };
}
