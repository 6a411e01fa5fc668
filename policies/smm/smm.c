/* smm.c - see smm.h. */
#include "policies/smm/smm.h"

#include <math.h>

struct normal smm_time(uint64_t n, double mean, double m2)
{
    double known = hypot(SMM_TICK_NS, SMM_PART * mean);
    double sd = n > 1 ? sqrt(m2 / (double)(n - 1)) : SMM_ONCE * mean;

    return (struct normal){ .mean = mean, .sd = hypot(sd, known) };
}

/* Two samples as one: Chan, Golub and LeVeque 1979, (2.1). As long as times are
 * being added up, sd is m2. */
static void join(struct normal *to, double n, struct moments b, double n_b)
{
    double apart = b.mean - to->mean, all = n + n_b;

    to->sd += b.m2 + apart * apart * n * n_b / all;
    to->mean += apart * n_b / all;
}

void smm_add(struct smm_edge *to, uint64_t n, struct moments in,
             struct moments out)
{
    if (n == 0)
        return;
    join(&to->in, (double)to->n, in, (double)n);
    join(&to->out, (double)to->n, out, (double)n);
    to->n += n;
}

static void set_probabilities(struct smm *m, const struct smm_step *step)
{
    for (size_t i = 0; i < m->nedges;) {
        uint64_t all = 0;
        size_t end = i;

        for (; end < m->nedges && step[end].from == step[i].from; end++)
            all += m->edge[end].n;
        for (; i < end; i++)
            m->edge[i].probability =
                all ? (double)m->edge[i].n / (double)all : 0;
    }
}

void smm_finish(struct smm *m, const struct smm_step *step)
{
    for (size_t i = 0; i < m->nedges; i++) {
        struct smm_edge *e = &m->edge[i];

        if (e->n == 0)
            continue;
        e->in = smm_time(e->n, e->in.mean, e->in.sd);
        e->out = smm_time(e->n, e->out.mean, e->out.sd);
    }
    set_probabilities(m, step);
}

static double differ_in_structure(const struct smm_edge *a,
                                  const struct smm_edge *b)
{
    return (a->n == 0) != (b->n == 0) ? SMM_ALONE
                                      : fabs(a->probability - b->probability);
}

double smm_differ(const struct lknorm *t, const struct smm_edge *a,
                  const struct smm_edge *b)
{
    double differ = differ_in_structure(a, b);

    if (a->n == 0 || b->n == 0)
        return differ;
    return differ + lknorm(t, a->in, b->in) + lknorm(t, a->out, b->out);
}

double smm_distance_below(const struct lknorm *t, const struct smm *a,
                          const struct smm *b, double limit)
{
    double sum = 0;

    for (size_t i = 0; i < a->nedges && sum < limit; i++)
        sum += smm_differ(t, &a->edge[i], &b->edge[i]);
    return sum;
}

double smm_distance(const struct lknorm *t, const struct smm *a,
                    const struct smm *b)
{
    return smm_distance_below(t, a, b, HUGE_VAL);
}

double smm_structure(const struct smm *a, const struct smm *b)
{
    double sum = 0;

    for (size_t i = 0; i < a->nedges; i++)
        sum += differ_in_structure(&a->edge[i], &b->edge[i]);
    return sum;
}
