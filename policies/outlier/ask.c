/* ask.c - see ask.h. */
#include "policies/outlier/ask.h"

#include <string.h>

struct writing { uint8_t *out; size_t at, max; };

/* Where so many bytes go, aligned for all that a question has; NULL: beyond the
 * end. */
static void *room(struct writing *w, size_t bytes)
{
    void *p = w->out + w->at;

    if (bytes > w->max - w->at)
        return NULL;
    w->at += bytes;
    return memset(p, 0, bytes);
}

static bool put_steps(struct writing *w, const struct groups *g,
                      const struct dictionary *d, const struct hct_snapshot *in)
{
    struct hct_question_step *v = room(w, d->nsteps * sizeof(*v));

    if (!v)
        return false;
    for (uint32_t i = 0; i < d->nsteps; i++)
        v[i] = (struct hct_question_step){
            .from = dictionary_place(d, d->step[i].from),
            .to = dictionary_place(d, d->step[i].to), .chain = g->into[i],
            .first = g->first[g->into[i]] == i,
            .waits = habits_waits(d, in, i) };
    return true;
}

/* The number of the one that it is the medoid of. */
static uint32_t medoid_of(const struct medoids *m, uint32_t i)
{
    for (uint32_t k = 0; k < m->k; k++)
        if (m->medoid[k] == i)
            return k;
    return HCT_NO_MEDOID;
}

static bool put_models(struct writing *w, const struct groups *g,
                       const struct hct_snapshot *in)
{
    struct hct_question_model *v = room(w, g->nsample * sizeof(*v));

    if (!v)
        return false;
    for (uint32_t i = 0; i < g->nsample; i++)
        v[i] = (struct hct_question_model){
            .rank = hct_model(in, g->sample[i])->rank,
            .group = medoid_of(&g->medoids, i),
            .kind = medoid_of(&g->kinds, i) };
    return true;
}

static struct hct_question_edge edge_of(const struct smm_edge *e)
{
    return (struct hct_question_edge){
        .n = (float)e->n, .probability = (float)e->probability,
        .in_mean = (float)e->in.mean, .in_sd = (float)e->in.sd,
        .out_mean = (float)e->out.mean, .out_sd = (float)e->out.sd };
}

static bool put_edges(struct writing *w, const struct groups *g)
{
    size_t n = g->nchains;
    struct hct_question_edge *v = room(w, g->nsample * n * sizeof(*v));

    if (!v)
        return false;
    for (uint32_t i = 0; i < g->nsample; i++)
        for (size_t k = 0; k < n; k++)
            if (g->edge[i][k].n)
                v[i * n + k] = edge_of(&g->edge[i][k]);
    return true;
}

/* Of the medoids of groups, with all steps. */
static bool put_wholes(struct writing *w, const struct groups *g, size_t n)
{
    struct hct_question_edge *v = room(w, g->medoids.k * n * sizeof(*v));

    for (uint32_t i = 0; v && i < g->medoids.k; i++)
        for (size_t k = 0; k < n; k++)
            if (g->whole[g->medoids.medoid[i]][k].n)
                v[i * n + k] = edge_of(&g->whole[g->medoids.medoid[i]][k]);
    return v != NULL;
}

static bool put_habits(struct writing *w, struct habits *h,
                       const struct groups *g, const struct dictionary *d,
                       const struct hct_snapshot *in)
{
    size_t n = d->nsteps;
    struct hct_question_normal *v = room(w, g->kinds.k * n * sizeof(*v));

    for (uint32_t i = 0; v && i < g->kinds.k; i++)
        habits_of(h, g, i, d, in, v + i * n);
    return v != NULL;
}

static bool put_kinds(struct writing *w, struct habits *h,
                      const struct groups *g, const struct dictionary *d,
                      const struct hct_snapshot *in)
{
    struct hct_question_kind *v = room(w, g->kinds.k * sizeof(*v));

    for (uint32_t i = 0; v && i < g->kinds.k; i++)
        v[i] = habits_wait(h, g, i, d, in);
    return v != NULL;
}

/* FNV-1a, of 64 bits: RFC 9923. */
static uint64_t number_of(const uint8_t *p, size_t n)
{
    uint64_t x = 0xcbf29ce484222325u;

    while (n--)
        x = (x ^ *p++) * 0x100000001b3u;
    return x;
}

uint32_t ask_write(const struct ask *a, struct habits *h,
                   const struct groups *g, const struct dictionary *d,
                   const struct hct_snapshot *in, uint8_t *out, uint32_t max)
{
    struct writing w = { out, 0, max };
    struct hct_question *q = room(&w, sizeof(*q));

    if (!q)
        return 0;
    *q = (struct hct_question){
        .size = sizeof(*q), .top = a->top,
        .nsteps = d->nsteps, .nchains = (uint32_t)g->nchains,
        .nmodels = g->nsample, .nkinds = g->kinds.k, .ngroups = g->medoids.k,
        .nwholes = g->medoids.k,
        .score = a->score, .cost_ns = a->cost_ns, .share = a->share,
        .when = a->when };
    if (!put_steps(&w, g, d, in) || !put_models(&w, g, in) ||
        !put_edges(&w, g) || !put_habits(&w, h, g, d, in) ||
        !put_kinds(&w, h, g, d, in) || !put_wholes(&w, g, d->nsteps))
        return 0;
    q->number = number_of(out, w.at);
    return (uint32_t)w.at;
}
