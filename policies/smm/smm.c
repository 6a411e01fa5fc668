/* smm.c - see smm.h. */
#include "policies/smm/smm.h"

#include <math.h>

struct normal smm_time(uint64_t n, double mean, double m2)
{
    double known = hypot(SMM_TICK_NS, SMM_PART * mean);
    double sd = n > 1 ? sqrt(m2 / (double)(n - 1)) : SMM_ONCE * mean;

    return (struct normal){ .mean = mean, .sd = hypot(sd, known) };
}

void smm_probabilities(struct smm *m, const struct smm_step *step)
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

double smm_distance(const struct lknorm *t, const struct smm *a,
                    const struct smm *b)
{
    double sum = 0;

    for (size_t i = 0; i < a->nedges; i++)
        sum += smm_differ(t, &a->edge[i], &b->edge[i]);
    return sum;
}

double smm_structure(const struct smm *a, const struct smm *b)
{
    double sum = 0;

    for (size_t i = 0; i < a->nedges; i++)
        sum += differ_in_structure(&a->edge[i], &b->edge[i]);
    return sum;
}
