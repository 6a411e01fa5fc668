/* iterations.c - see iterations.h. */
#include "policies/pace/iterations.h"

#include <stddef.h>

/* Visits between two looks: fewer do not tell how many calls lie between. */
enum { VISITS = 3 };

/* A place that was not seen before takes that of the one seen least. */
static struct iterations_site *find(struct iterations *t, uint32_t site)
{
    struct iterations_site *least = &t->site[0];

    for (size_t i = 0; i < ITERATIONS_SITES; i++) {
        if (t->site[i].seen && t->site[i].site == site)
            return &t->site[i];
        if (t->site[i].seen < least->seen)
            least = &t->site[i];
    }
    *least = (struct iterations_site){ .site = site };
    return least;
}

static void see(struct iterations_site *s, const struct hct_rank *k)
{
    uint64_t calls = iterations_calls(k);

    if (!s->seen || k->site_calls < s->visits) {
        s->calls = calls;
        s->visits = k->site_calls;
    }
    s->seen++;
    if (k->site_calls >= s->visits + VISITS)
        s->each = (double)(calls - s->calls) /
                  (double)(k->site_calls - s->visits);
    if ((k->flags & HCT_IN_MPI) && k->bytes)
        s->bytes = (double)k->bytes;
}

/* What was usual long ago counts less and less, so that a program that goes on
 * to its next loop is followed. */
static void fade(struct iterations *t)
{
    for (size_t i = 0; i < ITERATIONS_SITES; i++)
        if (t->site[i].seen > 1)
            t->site[i].seen -= t->site[i].seen / 8;
}

void iterations_look(struct iterations *t, const struct hct_rank *k)
{
    struct iterations_site *s;

    if (k->site_calls == 0)
        return;
    s = find(t, k->site);
    see(s, k);
    if (s->each > 0 && (s->seen >= t->site[t->at].seen ||
                        t->site[t->at].each <= 0))
        t->at = (uint32_t)(s - t->site);
    if (s->seen >= 256)
        fade(t);
}

double iterations_each(const struct iterations *t)
{
    const struct iterations_site *s = &t->site[t->at];

    return s->seen && s->each > 0 ? (s->each > 1 ? s->each : 1)
                                  : ITERATIONS_CALLS;
}

double iterations_bytes(const struct iterations *t)
{
    return t->site[t->at].seen ? t->site[t->at].bytes : 0;
}
