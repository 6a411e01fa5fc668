/* speeds.c - see speeds.h.
 *
 * The system is solved by Jacobi's iteration, at half of each step: its matrix
 * is symmetric and diagonally dominant, as each node is held by its loop. */
#include "master/optimize/speeds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Variances of logarithms: how far the loop is from what programs get; what a
 * task takes at a site varies by itself; tasks of one job differ if nothing is
 * known of that; tasks of one job on a node may differ from those on another,
 * however many they are. */
static const double loop_var = 0.2 * 0.2, noise_var = 0.05 * 0.05,
                    unknown_var = 0.5 * 0.5, part_var = 0.15 * 0.15;
/* What counts as known of tasks on the same node before any is: so many of them
 * that differ by so much. */
static const double before_n = 2, before_var = 0.2 * 0.2;
enum { SWEEPS = 200 };

struct one {                    /* a task at a site */
    uint32_t node, group;
    double y, weight;
};
struct pair {                   /* one that was elsewhere before */
    uint32_t from, to;
    double faster, weight;      /* by so much is to, in logarithms */
};

struct solver {
    const struct speeds_seen *seen;     /* borrowed, sorted */
    size_t nseen;
    double *v, *loop;           /* owned, like the rest: of nodes */
    double *sum, *weight;       /* scratch, of nodes */
    double *mean;               /* of a group */
    uint32_t *count;            /* scratch, of nodes */
    struct one *ones;
    struct pair *pairs;
    size_t nones, npairs;
    uint32_t nnodes, ngroups;
};

static int in_order(const void *a, const void *b)
{
    const struct speeds_seen *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->gone != y->gone)
        return x->gone < y->gone ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* ------------------------------------------------------------ one job's sites */

/* How much tasks that are on the same node differ. */
static double spread(struct solver *s, size_t from, size_t to)
{
    double squares = 0, known = 0;

    for (size_t i = from; i < to; i++)
        s->sum[s->seen[i].node] = s->count[s->seen[i].node] = 0;
    for (size_t i = from; i < to; i++)
        if (!s->seen[i].gone) {
            s->sum[s->seen[i].node] += log(s->seen[i].s);
            s->count[s->seen[i].node]++;
        }
    for (size_t i = from; i < to; i++) {
        uint32_t n = s->count[s->seen[i].node];
        double d = n ? log(s->seen[i].s) - s->sum[s->seen[i].node] / n : 0;

        if (s->seen[i].gone)
            continue;
        squares += d * d;
        known += n > 1 ? 1 - 1.0 / n : 0;
    }
    return known > 0 ? (squares + before_n * before_var) / (known + before_n)
                     : unknown_var;
}

/* On one node only they say nothing of it. */
static bool compares(const struct solver *s, size_t from, size_t to)
{
    uint32_t node = UINT32_MAX;

    for (size_t i = from; i < to; i++) {
        if (s->seen[i].gone)
            continue;
        if (node != UINT32_MAX && s->seen[i].node != node)
            return true;
        node = s->seen[i].node;
    }
    return false;
}

static void add_pairs(struct solver *s, size_t from, size_t to)
{
    for (size_t i = from; i + 1 < to; i++) {
        const struct speeds_seen *now = &s->seen[i], *was = now + 1;

        if (now->gone || !was->gone || now->rank != was->rank ||
            now->node == was->node)
            continue;
        s->pairs[s->npairs++] = (struct pair){
            .from = was->node, .to = now->node, .faster = log(was->s / now->s),
            .weight = 1 / (2 * noise_var) };
    }
}

static void add_group(struct solver *s, size_t from, size_t to)
{
    double var = spread(s, from, to);

    add_pairs(s, from, to);
    if (!compares(s, from, to))
        return;
    for (size_t i = from; i < to; i++)
        if (!s->seen[i].gone)
            s->ones[s->nones++] = (struct one){
                .node = s->seen[i].node, .group = s->ngroups,
                .y = log(s->seen[i].s), .weight = 1 / (var + noise_var) };
    s->ngroups++;
}

/* Tasks that a job has on a node are no more than one part of it, in whatever
 * number of sites. */
static void bound_ones(struct solver *s, size_t from)
{
    for (size_t i = from; i < s->nones; i++)
        s->weight[s->ones[i].node] = 0;
    for (size_t i = from; i < s->nones; i++)
        s->weight[s->ones[i].node] += s->ones[i].weight;
    for (size_t i = from; i < s->nones; i++) {
        double all = s->weight[s->ones[i].node];

        s->ones[i].weight *= 1 / part_var / (all + 1 / part_var);
    }
}

static void add_all(struct solver *s)
{
    size_t job_at = 0;

    for (size_t i = 0, to; i < s->nseen; i = to) {
        const struct speeds_seen *x = &s->seen[i];

        if (i && x->job != x[-1].job) {
            bound_ones(s, job_at);
            job_at = s->nones;
        }
        for (to = i + 1; to < s->nseen && s->seen[to].job == x->job &&
                         s->seen[to].site == x->site; to++) {}
        add_group(s, i, to);
    }
    bound_ones(s, job_at);
}

/* ------------------------------------------------------------------ solving */

static void find_means(struct solver *s, double *weight)
{
    memset(s->mean, 0, s->ngroups * sizeof(*s->mean));
    memset(weight, 0, s->ngroups * sizeof(*weight));
    for (size_t i = 0; i < s->nones; i++) {
        const struct one *o = &s->ones[i];

        s->mean[o->group] += o->weight * (o->y + s->v[o->node]);
        weight[o->group] += o->weight;
    }
    for (uint32_t g = 0; g < s->ngroups; g++)
        s->mean[g] /= weight[g];
}

/* Returns by how much the one that changed most did. */
static double sweep(struct solver *s, double *weight)
{
    double most = 0;

    find_means(s, weight);
    for (uint32_t h = 0; h < s->nnodes; h++) {
        s->sum[h] = s->loop[h] / loop_var;
        s->weight[h] = 1 / loop_var;
    }
    for (size_t i = 0; i < s->nones; i++) {
        const struct one *o = &s->ones[i];

        s->sum[o->node] += o->weight * (s->mean[o->group] - o->y);
        s->weight[o->node] += o->weight;
    }
    for (size_t i = 0; i < s->npairs; i++) {
        const struct pair *p = &s->pairs[i];

        s->sum[p->to] += p->weight * (s->v[p->from] + p->faster);
        s->sum[p->from] += p->weight * (s->v[p->to] - p->faster);
        s->weight[p->to] += p->weight;
        s->weight[p->from] += p->weight;
    }
    for (uint32_t h = 0; h < s->nnodes; h++) {
        double step = (s->sum[h] / s->weight[h] - s->v[h]) / 2;

        s->v[h] += step;
        most = fabs(step) > most ? fabs(step) : most;
    }
    return most;
}

static int solve(struct solver *s, double *speed)
{
    double *weight = calloc(s->ngroups + 1, sizeof(*weight));
    bool ok = weight && (s->mean = calloc(s->ngroups + 1, sizeof(*s->mean)));

    for (int i = 0; ok && i < SWEEPS; i++)
        if (sweep(s, weight) < 1e-4)
            break;
    for (uint32_t h = 0; ok && h < s->nnodes; h++)
        speed[h] = exp(s->v[h]);
    free(weight);
    return ok ? 0 : -1;
}

int speeds_of(double *speed, uint32_t nnodes, struct speeds_seen *v, size_t n)
{
    struct solver s = { .seen = v, .nseen = n, .nnodes = nnodes };
    int rc = -1;

    if (n == 0)
        return 0;
    qsort(v, n, sizeof(*v), in_order);
    s.v = calloc(nnodes + 1, sizeof(*s.v));
    s.loop = calloc(nnodes + 1, sizeof(*s.loop));
    s.sum = calloc(nnodes + 1, sizeof(*s.sum));
    s.weight = calloc(nnodes + 1, sizeof(*s.weight));
    s.count = calloc(nnodes + 1, sizeof(*s.count));
    s.ones = calloc(n, sizeof(*s.ones));
    s.pairs = calloc(n, sizeof(*s.pairs));
    if (s.v && s.loop && s.sum && s.weight && s.count && s.ones && s.pairs) {
        for (uint32_t h = 0; h < nnodes; h++)
            s.v[h] = s.loop[h] = log(speed[h]);
        add_all(&s);
        rc = solve(&s, speed);
    }
    free(s.v);
    free(s.loop);
    free(s.sum);
    free(s.weight);
    free(s.count);
    free(s.ones);
    free(s.pairs);
    free(s.mean);
    return rc;
}

double speeds_settled(double was, double is)
{
    static const double steps = 4, enough = 0.75;
    double by = log2(is / was) * steps;

    return fabs(by) > enough ? exp2(round(log2(is) * steps) / steps) : was;
}
