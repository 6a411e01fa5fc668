/* habits.c - see habits.h. */
#include "policies/outlier/habits.h"

#include <math.h>

#include "policies/smm/polish.h"

bool habits_waits(const struct dictionary *d, const struct hct_snapshot *in,
                  uint32_t step)
{
    const struct hct_call *c = hct_call(in, d->call[d->step[step].from]);

    return (c->flags & (HCT_CALL_BLOCKING | HCT_CALL_ALL | HCT_CALL_POLL)) ||
           c->class_ == HCT_CLASS_INIT || c->class_ == HCT_CLASS_FINALIZE;
}

static double spent(uint64_t n, double mean)
{
    double ns = (double)n * mean;

    return n > 1 && ns > 0 ? ns : (double)NAN;
}

/* Of the tasks of that kind. Returns how many. */
static uint32_t fill(struct habits *h, const struct groups *g, uint32_t kind,
                     const struct dictionary *d, const struct hct_snapshot *in,
                     bool in_call)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->nsample; i++) {
        double *row = h->left + (size_t)n * d->nsteps;

        if (g->kinds.group[i] != kind)
            continue;
        dictionary_model(d, in, hct_model(in, g->sample[i]), h->edge, NULL);
        for (uint32_t s = 0; s < d->nsteps; s++) {
            const struct smm_edge *e = &h->edge[s];

            row[s] = in_call && habits_waits(d, in, s)
                         ? (double)NAN
                         : spent(e->n, in_call ? e->in.mean : e->out.mean);
        }
        n++;
    }
    return n;
}

static void polish_one(struct habits *h, const struct groups *g, uint32_t kind,
                       const struct dictionary *d,
                       const struct hct_snapshot *in, bool in_call)
{
    struct polish p = { .steps = d->nsteps, .left = h->left,
                        .normal = h->normal, .spread = h->spread,
                        .slow = h->slow };

    p.tasks = fill(h, g, kind, d, in, in_call);
    if (p.tasks >= HABITS_LEAST) {
        polish(&p, h->words);
        return;
    }
    for (uint32_t s = 0; s < d->nsteps; s++)
        h->normal[s] = (double)NAN;
}

void habits_of(struct habits *h, const struct groups *g, uint32_t kind,
               const struct dictionary *d, const struct hct_snapshot *in,
               struct hct_question_normal *v)
{
    polish_one(h, g, kind, d, in, false);
    for (uint32_t s = 0; s < d->nsteps; s++) {
        v[s].out = (float)h->normal[s];
        v[s].out_spread = (float)h->spread[s];
    }
    polish_one(h, g, kind, d, in, true);
    for (uint32_t s = 0; s < d->nsteps; s++) {
        v[s].in = (float)h->normal[s];
        v[s].in_spread = (float)h->spread[s];
    }
}
