/* earlier.c - see earlier.h. */
#include "policies/outlier/earlier.h"

#include <math.h>
#include <stddef.h>

#include "policies/smm/polish.h"

/* How much a program varies from run to run one or two of them do not say. */
enum { FEW_RUNS = 3 };
#define FEW_TIMES 2.0
#define MANY_TIMES 1.25
/* More bytes in its call are more work. */
#define SAME_BYTES 1.02

void earlier_take(struct earlier *e, const struct hct_snapshot *in)
{
    *e = (struct earlier){ .known = true, .runs = in->runs };
    for (; e->n < in->nearlier && e->n < HCT_STEPS_MAX; e->n++)
        e->v[e->n] = *hct_earlier(in, e->n);
}

const struct hct_earlier *earlier_find(const struct earlier *e, uint64_t from,
                                       uint64_t to)
{
    uint32_t low = 0, high = e->n;

    while (low < high) {
        uint32_t at = low + (high - low) / 2;
        const struct hct_earlier *s = &e->v[at];

        if (s->from == from && s->to == to)
            return s;
        if (s->from < from || (s->from == from && s->to < to))
            low = at + 1;
        else
            high = at;
    }
    return NULL;
}

const struct hct_earlier *earlier_step(const struct earlier *e,
                                       const struct dictionary *d,
                                       uint32_t step)
{
    return earlier_find(e, dictionary_place(d, d->step[step].from),
                        dictionary_place(d, d->step[step].to));
}

double earlier_most(const struct hct_earlier *s, bool in_call)
{
    return in_call ? s->in_most : s->out_most;
}

double earlier_limit(const struct hct_earlier *s, bool in_call)
{
    return earlier_most(s, in_call) *
           (s->runs < FEW_RUNS ? FEW_TIMES : MANY_TIMES);
}

/* ---------------------------------------------------------------- all tasks */

struct taken {                  /* by the sample's tasks, for one step */
    uint32_t n;                 /* of them */
    uint32_t longer;            /* ... than the limit */
    double each_ns, times;      /* medians */
};

static struct taken take(struct habits *h, const struct groups *g, uint32_t step,
                         bool in_call, const struct hct_earlier *was)
{
    double limit = earlier_limit(was, in_call), *each = h->words, *n = h->normal;
    struct taken t = { 0 };

    for (uint32_t i = 0; i < g->nsample; i++) {
        const struct smm_edge *e = &g->whole[i][step];

        if (e->n < 2 || e->bytes > SAME_BYTES * was->bytes_mean * (double)e->n)
            continue;
        each[t.n] = in_call ? e->in.mean : e->out.mean;
        n[t.n] = (double)e->n;
        t.longer += each[t.n++] > limit;
    }
    t.each_ns = polish_median(each, t.n);
    t.times = polish_median(n, t.n);
    return t;
}

static double total_of(struct habits *h, const struct groups *g, uint32_t nsteps)
{
    for (uint32_t i = 0; i < g->nsample; i++) {
        h->words[i] = 0;
        for (uint32_t s = 0; s < nsteps; s++)
            h->words[i] += (double)g->whole[i][s].n *
                           (g->whole[i][s].in.mean + g->whole[i][s].out.mean);
    }
    return polish_median(h->words, g->nsample);
}

/* Of time that nobody knows it of: 0. */
static double delayed(struct habits *h, const struct groups *g,
                      const struct hct_snapshot *in)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->nsample; i++) {
        uint32_t rank = hct_model(in, g->sample[i])->rank;

        if (rank < in->nranks)
            h->words[n++] = (double)hct_rank(in, rank)->delayed_ns;
    }
    return n ? polish_median(h->words, n) : 0;
}

static struct earlier_longer compare(struct habits *h, const struct groups *g,
                                     uint32_t step, bool in_call,
                                     const struct hct_earlier *was)
{
    struct taken t = take(h, g, step, in_call, was);
    double most = earlier_most(was, in_call);

    if (t.n < HABITS_LEAST || 4 * t.longer < 3 * t.n)
        return (struct earlier_longer){ .runs = 0 };
    return (struct earlier_longer){
        .step = step, .in_call = in_call, .runs = was->runs,
        .each_ns = t.each_ns, .most_ns = most,
        .cost_ns = t.times * (t.each_ns - most) };
}

struct earlier_longer earlier_compare(const struct earlier *e, struct habits *h,
                                      const struct groups *g,
                                      const struct dictionary *d,
                                      const struct hct_snapshot *in)
{
    struct earlier_longer is = { .runs = 0 }, one;

    for (uint32_t i = 0; e->n && i < 2 * d->nsteps; i++) {
        const struct hct_earlier *was =
            i % 2 && habits_waits(d, in, i / 2) ? NULL
                                                : earlier_step(e, d, i / 2);

        if (!was)
            continue;
        one = compare(h, g, i / 2, i % 2, was);
        if (one.runs && one.cost_ns > is.cost_ns)
            is = one;
    }
    if (is.runs && is.cost_ns < 2 * delayed(h, g, in))
        is.runs = 0;
    if (is.runs)
        is.share = is.cost_ns / total_of(h, g, d->nsteps);
    return is;
}
