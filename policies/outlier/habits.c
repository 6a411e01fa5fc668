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

/* The root of the sum of the squares of deviations: of one time that is much
 * longer than the others, what it is longer. */
static double roughness(uint64_t n, double sd)
{
    return n > 1 && sd > 0 ? sd * sqrt((double)n) : (double)NAN;
}

static double median_of(struct habits *h, const double *v, uint32_t n)
{
    size_t m = 0;

    for (uint32_t i = 0; i < n; i++)
        if (!isnan(v[i]))
            h->words[m++] = v[i];
    return polish_median(h->words, m);
}

/* Of which time of a step, and what of it. */
struct aspect { bool in_call, rough; };

static double aspect_of(const struct smm_edge *e, struct aspect a)
{
    const struct normal *t = a.in_call ? &e->in : &e->out;

    return a.rough ? roughness(e->n, t->sd) : spent(e->n, t->mean);
}

/* Of the tasks of that kind. Returns how many. */
static uint32_t fill(struct habits *h, const struct groups *g, uint32_t kind,
                     const struct dictionary *d, const struct hct_snapshot *in,
                     struct aspect a)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->nsample; i++) {
        double *row = h->left + (size_t)n * d->nsteps;

        if (g->kinds.group[i] != kind)
            continue;
        for (uint32_t s = 0; s < d->nsteps; s++) {
            const struct smm_edge *e = &g->whole[i][s];

            row[s] = a.in_call && habits_waits(d, in, s) ? (double)NAN
                                                         : aspect_of(e, a);
        }
        n++;
    }
    return n;
}

/* Of so few that have taken it nobody is odd, however alike the others are. */
static void leave_out(struct habits *h, const struct polish *p)
{
    for (uint32_t s = 0; s < p->steps; s++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < p->tasks; i++)
            n += !isnan(h->left[(size_t)i * p->steps + s]);
        if (n < HABITS_LEAST)
            h->normal[s] = (double)NAN;
    }
}

static void polish_one(struct habits *h, const struct groups *g, uint32_t kind,
                       const struct dictionary *d,
                       const struct hct_snapshot *in, struct aspect a)
{
    struct polish p = { .steps = d->nsteps, .left = h->left,
                        .normal = h->normal, .spread = h->spread,
                        .slow = h->slow };

    p.tasks = fill(h, g, kind, d, in, a);
    if (p.tasks >= HABITS_LEAST) {
        polish(&p, h->words);
        leave_out(h, &p);
        return;
    }
    for (uint32_t s = 0; s < d->nsteps; s++)
        h->normal[s] = (double)NAN;
}

/* Bytes of each step's first call: the median of those that have it. */
static void bytes_of(struct habits *h, const struct groups *g, uint32_t kind,
                     const struct dictionary *d, struct hct_question_normal *v)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->nsample; i++) {
        if (g->kinds.group[i] != kind)
            continue;
        for (uint32_t s = 0; s < d->nsteps; s++) {
            const struct smm_edge *e = &g->whole[i][s];

            h->left[(size_t)s * GROUPS_SAMPLE + n] =
                e->n ? e->bytes / (double)e->n : (double)NAN;
        }
        n++;
    }
    for (uint32_t s = 0; s < d->nsteps; s++)
        v[s].bytes = (float)median_of(h, h->left + (size_t)s * GROUPS_SAMPLE, n);
}

static void put(struct hct_question_normal *v, struct aspect a, float normal,
                float spread)
{
    *(a.rough ? a.in_call ? &v->in_rough : &v->out_rough
              : a.in_call ? &v->in : &v->out) = normal;
    *(a.rough ? a.in_call ? &v->in_rough_spread : &v->out_rough_spread
              : a.in_call ? &v->in_spread : &v->out_spread) = spread;
}

void habits_of(struct habits *h, const struct groups *g, uint32_t kind,
               const struct dictionary *d, const struct hct_snapshot *in,
               struct hct_question_normal *v)
{
    for (unsigned k = 0; k < 4; k++) {
        struct aspect a = { .in_call = k & 1, .rough = k & 2 };

        polish_one(h, g, kind, d, in, a);
        for (uint32_t s = 0; s < d->nsteps; s++)
            put(&v[s], a, (float)h->normal[s], (float)h->spread[s]);
    }
    bytes_of(h, g, kind, d, v);
}

static double waited(const struct smm_edge *edge, const struct dictionary *d,
                     const struct hct_snapshot *in)
{
    double ns = 0;

    for (uint32_t s = 0; s < d->nsteps; s++)
        if (edge[s].n > 1 && habits_waits(d, in, s))
            ns += (double)edge[s].n * edge[s].in.mean;
    return ns;
}

double habits_waited(const struct groups *g, const struct dictionary *d,
                     const struct hct_snapshot *in)
{
    double wait_ns = 0, all_ns = 0;

    for (uint32_t i = 0; i < g->nsample; i++) {
        wait_ns += waited(g->whole[i], d, in);
        for (uint32_t s = 0; s < d->nsteps; s++)
            if (g->whole[i][s].n > 1)
                all_ns += (double)g->whole[i][s].n *
                          (g->whole[i][s].in.mean + g->whole[i][s].out.mean);
    }
    return all_ns > 0 ? wait_ns / all_ns : 0;
}

struct hct_question_kind habits_wait(struct habits *h, const struct groups *g,
                                     uint32_t kind, const struct dictionary *d,
                                     const struct hct_snapshot *in)
{
    uint32_t n = 0;
    double usual, spread;

    for (uint32_t i = 0; i < g->nsample; i++)
        if (g->kinds.group[i] == kind)
            h->slow[n++] = waited(g->whole[i], d, in);
    usual = median_of(h, h->slow, n);
    for (uint32_t i = 0; i < n; i++)
        h->slow[i] = fabs(h->slow[i] - usual);
    spread = POLISH_MAD * median_of(h, h->slow, n);
    if (n < HABITS_LEAST || !(usual > 0))
        return (struct hct_question_kind){ NAN, NAN };
    return (struct hct_question_kind){
        (float)usual, (float)hypot(spread, POLISH_LEAST * usual) };
}

double habits_share(double ran_ns, double delayed_ns)
{
    return ran_ns > 0 && delayed_ns > 0 ? ran_ns / (ran_ns + delayed_ns)
                                        : (double)NAN;
}

const struct hct_cluster *habits_cluster(const struct hct_snapshot *in,
                                         uint32_t what, uint32_t number)
{
    for (uint32_t i = 0; i < in->nclusters; i++) {
        const struct hct_cluster *c = hct_cluster(in, i);

        if (c->what == what && c->number == number)
            return c;
    }
    return NULL;
}

double habits_usual_share(const struct hct_snapshot *in,
                          const struct hct_score *o)
{
    const struct hct_cluster *c = habits_cluster(in, HCT_CLUSTER_KIND, o->kind);

    return c && c->tasks >= HABITS_LEAST
               ? habits_share(c->ran_ns - (double)o->ran_ns,
                              c->delayed_ns - (double)o->delayed_ns)
               : (double)NAN;
}

/* Those that wait in MPI for one that is kept ask for messages, and give way: they
 * have no larger share than it. But what takes longer than all that a task ran or
 * slept, it was kept from a processor for, the rest at least. */
bool habits_explain(const struct hct_score *o, double usual, uint64_t wall_ns)
{
    double took = o->times > 1 ? o->cost_ns / (1 - 1 / o->times) : 0;
    double had = habits_share((double)o->ran_ns, (double)o->delayed_ns);
    double free_ns = fmax((double)wall_ns - (double)o->delayed_ns,
                          (double)o->ran_ns);
    double kept = fmax(took * (1 - had / usual), took - free_ns);

    return !isnan(had) && kept >= o->cost_ns / 2;
}

bool habits_more_work(const struct hct_score *o)
{
    return o->bytes_times > 1.02 &&
           o->bytes_times * o->bytes_times >= 1 + (o->times - 1) / 2;
}
