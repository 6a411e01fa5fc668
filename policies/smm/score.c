/* score.c - see score.h. */
#include "policies/smm/score.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "policies/smm/chains.h"
#include "policies/smm/polish.h"
#include "policies/smm/smm.h"

#define NONE UINT32_MAX

enum { SLOTS = 4 * HCT_STEPS_MAX };

struct score {
    const struct hct_question *q;       /* borrowed, as the next six */
    const struct hct_question_step *step;
    const struct hct_question_model *model;
    const struct hct_question_normal *normal;
    const struct hct_question_kind *kind;
    const struct hct_question_edge *whole;
    const struct lknorm *table;
    uint32_t slot[SLOTS];       /* number of a step + 1; 0: free */
    struct smm_step by[HCT_STEPS_MAX];  /* steps from one place together */
    uint32_t into[HCT_STEPS_MAX], first[HCT_STEPS_MAX];
    struct smm_edge own[HCT_STEPS_MAX], merged[HCT_STEPS_MAX];
    uint32_t site[HCT_STEPS_MAX], site_to[HCT_STEPS_MAX];
    double left[2][HCT_STEPS_MAX], words[HCT_STEPS_MAX];
    double rough[2][HCT_STEPS_MAX];     /* what is left of the same of that */
    double often[HCT_STEPS_MAX];        /* log of how many times as often as
                                           its like; 0: no more often */
    double slow[2];
    double piece_ns;            /* in which it was kept; NaN: not asked yet */
    double others_ns;           /* in steps that the question does not have */
    struct smm_edge edge[];     /* nmodels times nchains */
};

/* ----------------------------------------------------------------- reading */

struct layout {                 /* of the bytes of a question: where is what */
    size_t steps, models, edges, normals, kinds, wholes, end;
};

static struct layout layout_of(const struct hct_question *q)
{
    struct layout l = { .steps = sizeof(*q) };

    l.models = l.steps + q->nsteps * sizeof(struct hct_question_step);
    l.edges = l.models + q->nmodels * sizeof(struct hct_question_model);
    l.normals = l.edges + (size_t)q->nmodels * q->nchains *
                              sizeof(struct hct_question_edge);
    l.kinds = l.normals + (size_t)q->nkinds * q->nsteps *
                              sizeof(struct hct_question_normal);
    l.wholes = l.kinds + q->nkinds * sizeof(struct hct_question_kind);
    l.end = l.wholes + (size_t)q->nwholes * q->nsteps *
                           sizeof(struct hct_question_edge);
    return l;
}

static bool counts_fit(const struct hct_question *q)
{
    return q->size == sizeof(*q) && q->when.window <= HCT_WINDOW_LAST &&
           q->nsteps && q->nsteps <= HCT_STEPS_MAX &&
           q->nchains && q->nchains <= q->nsteps && q->nmodels &&
           q->nmodels <= HCT_MODELS_MAX && q->nkinds &&
           q->nkinds <= HCT_CLUSTERS_MAX && q->ngroups &&
           q->ngroups <= HCT_CLUSTERS_MAX &&
           (!q->nwholes || q->nwholes == q->ngroups) && q->top && q->top <= HCT_TOP_MAX;
}

/* Each chain has one step that it begins with. */
static bool steps_fit(const struct hct_question *q,
                      const struct hct_question_step *step)
{
    uint32_t begun[HCT_STEPS_MAX] = { 0 };

    for (uint32_t i = 0; i < q->nsteps; i++) {
        if (step[i].chain >= q->nchains)
            return false;
        begun[step[i].chain] += step[i].first == 1;
    }
    for (uint32_t i = 0; i < q->nchains; i++)
        if (begun[i] != 1)
            return false;
    return true;
}

/* Each group and each kind has one medoid. */
static bool models_fit(const struct hct_question *q,
                       const struct hct_question_model *m)
{
    uint32_t group[HCT_CLUSTERS_MAX] = { 0 }, kind[HCT_CLUSTERS_MAX] = { 0 };

    for (uint32_t i = 0; i < q->nmodels; i++) {
        if ((m[i].group >= q->ngroups && m[i].group != HCT_NO_MEDOID) ||
            (m[i].kind >= q->nkinds && m[i].kind != HCT_NO_MEDOID))
            return false;
        if (m[i].group != HCT_NO_MEDOID)
            group[m[i].group]++;
        if (m[i].kind != HCT_NO_MEDOID)
            kind[m[i].kind]++;
    }
    for (uint32_t i = 0; i < q->ngroups; i++)
        if (group[i] != 1)
            return false;
    for (uint32_t i = 0; i < q->nkinds; i++)
        if (kind[i] != 1)
            return false;
    return true;
}

static bool is_time(float mean, float sd)
{
    return isfinite(mean) && isfinite(sd) && mean >= 0 && sd > 0;
}

static bool edges_fit(const struct hct_question_edge *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(e[i].n >= 0) || !isfinite(e[i].n) ||
            (e[i].n > 0 && !(e[i].probability >= 0 && e[i].probability <= 1 &&
                             is_time(e[i].in_mean, e[i].in_sd) &&
                             is_time(e[i].out_mean, e[i].out_sd))))
            return false;
    return true;
}

static bool spread_fits(float normal, float spread)
{
    return isnan(normal) || (isfinite(normal) && isfinite(spread) && spread > 0);
}

static bool normals_fit(const struct hct_question_normal *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!spread_fits(v[i].in, v[i].in_spread) ||
            !spread_fits(v[i].out, v[i].out_spread) ||
            !spread_fits(v[i].in_rough, v[i].in_rough_spread) ||
            !spread_fits(v[i].out_rough, v[i].out_rough_spread) ||
            !(isnan(v[i].bytes) || (isfinite(v[i].bytes) && v[i].bytes >= 0)))
            return false;
    return true;
}

static bool kinds_fit(const struct hct_question_kind *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!spread_fits(v[i].wait, v[i].wait_spread) || v[i].wait < 0)
            return false;
    return true;
}

#define AT(type, q, offset) \
    ((const struct type *)(const void *)((const char *)(q) + (offset)))

size_t score_room(const void *question, size_t bytes)
{
    const struct hct_question *q = question;
    size_t edges;
    struct layout l;

    if (bytes < sizeof(*q) || bytes > HCT_QUESTION_MAX || !counts_fit(q))
        return 0;
    l = layout_of(q);
    edges = (size_t)q->nmodels * q->nchains;
    if (l.end != bytes || !steps_fit(q, AT(hct_question_step, q, l.steps)) ||
        !models_fit(q, AT(hct_question_model, q, l.models)) ||
        !edges_fit(AT(hct_question_edge, q, l.edges), edges) ||
        !edges_fit(AT(hct_question_edge, q, l.wholes),
                   (size_t)q->nwholes * q->nsteps) ||
        !normals_fit(AT(hct_question_normal, q, l.normals),
                     (size_t)q->nkinds * q->nsteps) ||
        !kinds_fit(AT(hct_question_kind, q, l.kinds), q->nkinds))
        return 0;
    return sizeof(struct score) + edges * sizeof(struct smm_edge);
}

static uint32_t slot_of(uint64_t from, uint64_t to)
{
    uint64_t key = (from ^ to >> 29) * 0x9e3779b97f4a7c15u ^
                   to * 0xbf58476d1ce4e5b9u;

    return (uint32_t)(key >> 40) % SLOTS;
}

/* The slot that has it, or is free for it. */
static uint32_t find(const struct score *s, uint64_t from, uint64_t to)
{
    uint32_t at = slot_of(from, to);

    for (; s->slot[at]; at = (at + 1) % SLOTS) {
        const struct hct_question_step *is = &s->step[s->slot[at] - 1];

        if (is->from == from && is->to == to)
            break;
    }
    return at;
}

static void number_steps(struct score *s)
{
    uint32_t state = 0;

    for (uint32_t i = 0; i < s->q->nsteps; i++) {
        const struct hct_question_step *is = &s->step[i];

        state += i > 0 && is->from != s->step[i - 1].from;
        s->by[i].from = state;
        s->into[i] = is->chain;
        if (is->first)
            s->first[is->chain] = i;
        s->slot[find(s, is->from, is->to)] = i + 1;
    }
}

static struct smm_edge edge_of(const struct hct_question_edge *e)
{
    return (struct smm_edge){
        .n = e->n > 0 && e->n < 1 ? 1 : (uint64_t)fminf(e->n, 1e18f),
        .probability = e->probability, .in = { e->in_mean, e->in_sd },
        .out = { e->out_mean, e->out_sd } };
}

static void take_edges(struct score *s, const struct hct_question_edge *e)
{
    for (size_t i = 0; i < (size_t)s->q->nmodels * s->q->nchains; i++)
        s->edge[i] = edge_of(&e[i]);
}

struct score *score_open(void *room, const void *question,
                         const struct lknorm *table)
{
    const struct hct_question *q = question;
    const struct layout l = layout_of(q);
    struct score *s = room;

    memset(s, 0, sizeof(*s));
    s->q = q;
    s->step = AT(hct_question_step, q, l.steps);
    s->model = AT(hct_question_model, q, l.models);
    s->normal = AT(hct_question_normal, q, l.normals);
    s->kind = AT(hct_question_kind, q, l.kinds);
    s->whole = AT(hct_question_edge, q, l.wholes);
    s->table = table;
    number_steps(s);
    take_edges(s, AT(hct_question_edge, q, l.edges));
    return s;
}

/* --------------------------------------------------------------- distances */

/* By the steps of the question; returns how many it has besides. */
static uint32_t take_task(struct score *s, const struct score_edge *v, size_t n)
{
    struct smm all = { s->own, s->q->nsteps };
    uint32_t others = 0;

    memset(s->own, 0, s->q->nsteps * sizeof(*s->own));
    s->others_ns = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t step = v[i].from == SCORE_NOWHERE || v[i].to == SCORE_NOWHERE
                            ? NONE
                            : s->slot[find(s, v[i].from, v[i].to)] - 1;

        if (step == NONE) {
            others++;
            s->others_ns += (double)v[i].n * (v[i].in_mean + v[i].out_mean);
            continue;
        }
        smm_add(&s->own[step], v[i].n, (struct moments){ v[i].in_mean, v[i].in_m2 },
                (struct moments){ v[i].out_mean, v[i].out_m2 });
        s->own[step].bytes += (double)v[i].n * v[i].bytes_mean;
        s->site[step] = v[i].site;
        s->site_to[step] = v[i].site_to;
    }
    smm_finish(&all, s->by);
    return others;
}

/* From that model; of one that is further than what is wanted of it, no more
 * than that. */
static void measure(struct score *s, uint32_t rank, const struct smm *m,
                    uint32_t model, double alone, struct score_task *t)
{
    const struct hct_question_model *is = &s->model[model];
    const struct smm other = { s->edge + (size_t)model * s->q->nchains,
                               s->q->nchains };
    bool medoid = is->group != HCT_NO_MEDOID;
    bool another = is->rank != rank;
    double limit = fmax(medoid ? fmax(t->far, another ? t->apart : 0) : 0,
                        another ? t->near : 0);
    double d = smm_distance_below(s->table, m, &other, limit - alone) + alone;
    double like;

    if (another)
        t->near = fmin(t->near, d);
    if (medoid && another && d < t->apart) {
        t->apart = d;
        t->from = is->group;
    }
    if (medoid && d < t->far) {
        t->far = d;
        t->group = is->group;
    }
    if (is->kind == HCT_NO_MEDOID)
        return;
    like = smm_structure(m, &other) + alone;
    if (like < t->like) {
        t->like = like;
        t->kind = is->kind;
    }
}

void score_task(struct score *s, uint32_t rank, const struct score_edge *v,
                size_t n, struct score_task *t)
{
    const struct hct_question *q = s->q;
    const struct chains c = { s->into, s->first, q->nsteps, q->nchains };
    struct smm own = { s->own, q->nsteps }, m = { s->merged, 0 };
    double alone = SMM_ALONE * take_task(s, v, n);

    *t = (struct score_task){ .far = HUGE_VAL, .near = HUGE_VAL,
                              .apart = HUGE_VAL, .like = HUGE_VAL,
                              .from = HCT_NO_MEDOID };
    chains_merge(&c, &own, &m);
    for (uint32_t i = 0; i < q->nmodels; i++)
        measure(s, rank, &m, i, alone, t);
    if (!isfinite(t->near))     /* there is no other */
        t->near = 0;
    t->total_ns = s->others_ns;
    for (uint32_t i = 0; i < q->nsteps; i++)
        t->total_ns += (double)s->own[i].n *
                       (s->own[i].in.mean + s->own[i].out.mean);
}

/* Of those that differ as much, but for so much, the most costly is the one: a
 * norm does not tell a step that takes twice as long from one that takes ten
 * times. */
#define AS_MUCH 0.75

/* In that step, from the medoid. Time that others take is an effect. */
static double differ(const struct score *s, uint32_t step,
                     const struct smm_edge *medoid)
{
    struct smm_edge own = s->own[step];

    if (s->step[step].waits && medoid->n)
        own.in = medoid->in;
    return smm_differ(s->table, &own, medoid);
}

static double spent_more(const struct smm_edge *own,
                         const struct smm_edge *medoid, bool in_call)
{
    return in_call
               ? (double)own->n * own->in.mean -
                     (double)medoid->n * medoid->in.mean
               : (double)own->n * own->out.mean -
                     (double)medoid->n * medoid->out.mean;
}

static void tell_step(const struct score *s, uint32_t step,
                      const struct smm_edge *medoid, struct hct_score *x)
{
    const struct smm_edge *own = &s->own[step];

    x->step = step;
    x->site = own->n ? s->site[step] : 0;
    x->site_to = own->n ? s->site_to[step] : 0;
    x->n = own->n;
    x->in_ns = (double)own->n * own->in.mean;
    x->out_ns = (double)own->n * own->out.mean;
    x->normal_in_ns = (double)medoid->n * medoid->in.mean;
    x->normal_out_ns = (double)medoid->n * medoid->out.mean;
}

/* The most costly of those that differ by so much, from the medoid with these
 * edges. */
static void choose(const struct score *s, const struct hct_question_edge *whole,
                   double least, struct hct_score *x)
{
    double most_ns = -1;

    for (uint32_t i = 0; i < 2 * s->q->nsteps; i++) {
        uint32_t step = i / 2;
        struct smm_edge medoid = edge_of(&whole[step]);
        bool waits = i % 2 && s->step[step].waits;
        double ns = waits ? 0 : fabs(spent_more(&s->own[step], &medoid, i % 2));

        if (s->words[step] < least || !(ns > most_ns))
            continue;
        most_ns = ns;
        tell_step(s, step, &medoid, x);
        x->in_call = i % 2;
        x->share = s->words[step];
    }
}

bool score_differs(struct score *s, const struct score_task *t,
                   struct hct_score *x)
{
    const struct hct_question_edge *whole;
    double most = 0, all = 0;

    if (t->from >= s->q->nwholes)
        return false;
    whole = s->whole + (size_t)t->from * s->q->nsteps;
    for (uint32_t i = 0; i < s->q->nsteps; i++) {
        struct smm_edge medoid = edge_of(&whole[i]);

        s->words[i] = differ(s, i, &medoid);
        all += s->words[i];
        most = fmax(most, s->words[i]);
    }
    if (!(most > 0) || !isfinite(all))
        return false;
    choose(s, whole, AS_MUCH * most, x);
    x->share /= all;
    return x->share > 0;
}

/* -------------------------------------------------------------------- steps */

static double spent(uint64_t n, double mean)
{
    double ns = (double)n * mean;

    return n > 1 && ns > 0 ? log(ns) : (double)NAN;
}

static float normal_of(const struct hct_question_normal *n, int in_call)
{
    return in_call ? n->in : n->out;
}

/* Less the task's own median, which is returned: how slow it is in all. */
static double center(struct score *s, double *left)
{
    double slow;
    size_t n = 0;

    for (uint32_t i = 0; i < s->q->nsteps; i++)
        if (!isnan(left[i]))
            s->words[n++] = left[i];
    slow = n >= POLISH_STEPS ? polish_median(s->words, n) : 0;
    for (uint32_t i = 0; i < s->q->nsteps; i++)
        left[i] -= slow;
    return slow;
}

/* Against the medoid that it is compared with. Who takes a step more often has
 * more of it to do, or asks more often while it waits or as a clock says: each
 * time may take it as long as others. */
static void count_often(struct score *s, const struct score_task *t)
{
    const struct hct_question_edge *whole =
        t->from < s->q->nwholes ? s->whole + (size_t)t->from * s->q->nsteps
                                : NULL;

    for (uint32_t i = 0; i < s->q->nsteps; i++) {
        double times = whole && whole[i].n > 1
                           ? (double)s->own[i].n / (double)whole[i].n : 1;

        s->often[i] = times > 1 ? log(times) : 0;
    }
}

/* Of so many times as it takes the step, a log. */
static double usual_of(const struct score *s, uint32_t step, int in_call,
                       const struct hct_question_normal *normal)
{
    return (double)normal_of(&normal[step], in_call) + s->often[step];
}

/* What is left of the logarithms when the steps' normal times are taken off,
 * and then how slow the task is in all of them. */
static void take_off(struct score *s, const struct hct_question_normal *normal,
                     int in_call)
{
    double *left = s->left[in_call];

    for (uint32_t i = 0; i < s->q->nsteps; i++) {
        const struct smm_edge *e = &s->own[i];

        left[i] = in_call && s->step[i].waits
                      ? (double)NAN
                      : spent(e->n, in_call ? e->in.mean : e->out.mean) -
                            usual_of(s, i, in_call, normal);
    }
    s->slow[in_call] = center(s, left);
}

static double root_of_squares(const struct smm_edge *e, int in_call)
{
    return (in_call ? e->in.sd : e->out.sd) * sqrt((double)e->n);
}

/* The same of how much the times of each step differ. */
static void take_off_rough(struct score *s,
                           const struct hct_question_normal *normal, int in_call)
{
    double *left = s->rough[in_call];

    for (uint32_t i = 0; i < s->q->nsteps; i++) {
        const struct smm_edge *e = &s->own[i];

        left[i] = (in_call && s->step[i].waits) || e->n < 2
                      ? (double)NAN
                      : log(root_of_squares(e, in_call)) -
                            (double)(in_call ? normal[i].in_rough
                                             : normal[i].out_rough);
    }
    center(s, left);
}

/* By hct_worth(). */
static size_t put(struct hct_score *v, size_t n, size_t k,
                  const struct hct_score *o)
{
    size_t at;

    if (k == 0 || (n == k && hct_worth(o) <= hct_worth(&v[n - 1])))
        return n;
    at = n < k ? n++ : n - 1;
    for (; at > 0 && hct_worth(&v[at - 1]) < hct_worth(o); at--)
        v[at] = v[at - 1];
    v[at] = *o;
    return n;
}

static double normally(const struct score *s, uint32_t step, int in_call,
                       const struct hct_question_normal *normal)
{
    double ns = exp(usual_of(s, step, in_call, normal) + s->slow[in_call]);

    return isfinite(ns) ? ns : 0;
}

#define ANYWHERE UINT64_MAX

/* How many times as many bytes as normal are in the calls that steps begin
 * with, of those from that place; 0: none, or not known. Only of steps that it
 * has: who makes fewer calls has no smaller ones. */
static double bytes_from(const struct score *s, uint64_t place,
                         const struct hct_question_normal *normal)
{
    double own = 0, usual = 0;

    for (uint32_t i = 0; i < s->q->nsteps; i++)
        if ((s->step[i].from == place || place == ANYWHERE) && s->own[i].n &&
            !isnan(normal[i].bytes)) {
            own += s->own[i].bytes;
            usual += (double)s->own[i].n * (double)normal[i].bytes;
        }
    return usual > 0 && isfinite(own / usual) ? own / usual : 0;
}

static double bytes_of(const struct score *s, uint32_t step,
                       const struct hct_question_normal *normal)
{
    return fmax(bytes_from(s, ANYWHERE, normal),
                fmax(bytes_from(s, s->step[step].from, normal),
                     bytes_from(s, s->step[step].to, normal)));
}

/* One step of the task that was scored last. normal: of all its steps. */
static struct hct_score step_of(const struct score *s, uint32_t step, int in_call,
                                const struct hct_question_normal *normal)
{
    const struct smm_edge *e = &s->own[step];
    const struct hct_question_normal *is = &normal[step];
    double left = s->left[in_call][step];
    double spread = (double)(in_call ? is->in_spread : is->out_spread);

    return (struct hct_score){
        .method = HCT_METHOD_POLISH, .step = step, .in_call = (uint32_t)in_call,
        .site = s->site[step], .site_to = s->site_to[step], .times = exp(left),
        .cost_ns = polish_cost(left, usual_of(s, step, in_call, normal),
                               s->slow[in_call]),
        .score = polish_score(left, spread), .n = e->n,
        .in_ns = (double)e->n * e->in.mean, .out_ns = (double)e->n * e->out.mean,
        .normal_in_ns = normally(s, step, 1, normal),
        .normal_out_ns = normally(s, step, 0, normal) };
}

/* One of its times, or few, may have taken so much longer, and the sum of all
 * not say it, as that differs from task to task. What it costs is no less than
 * one time that alone makes them differ so. */
static void see_once(const struct score *s, uint32_t step, int in_call,
                     const struct hct_question_normal *normal,
                     struct hct_score *o)
{
    const struct hct_question_normal *is = &normal[step];
    double left = s->rough[in_call][step];
    double score = polish_score(left, (double)(in_call ? is->in_rough_spread
                                                       : is->out_rough_spread));

    if (o->score >= HCT_ODD || !(score >= HCT_ODD))
        return;
    o->once = 1;
    o->score = score;
    o->cost_ns = root_of_squares(&s->own[step], in_call) *
                 sqrt(1 - exp(-2 * left));
}

/* So many standard errors: of some thousand comparisons of tasks and steps none
 * is as far off by chance, even from the median of three others, which is off
 * itself. */
#define EVIDENCE 5.0
/* So many times as long as a usual piece, of which there may be thousands: with
 * lengths as of a Poisson process, where the usual one by squares is two means,
 * none of a million is. */
#define PIECES 10.0

static double finite_or_0(double x)
{
    return isfinite(x) ? x : 0;
}

static double square(double x)
{
    return finite_or_0(x * x);
}

/* Of as many times as its own. */
static double squares_of(const struct score *s, uint32_t step, int in_call,
                         const struct hct_question_normal *normal)
{
    const struct hct_question_normal *is = &normal[step];
    double rough = (double)(in_call ? is->in_rough : is->out_rough);

    return square(exp(rough + s->often[step] / 2 + s->slow[in_call]));
}

/* In what pieces was it kept from a processor? In steps that wait for nobody the
 * deviations of times are due to that, or to less: the sum of the squares over the
 * sum is the usual length, by its like or by its own steps, the longer one. One step
 * of its own, with the most, may be what is odd. */
static double pieces_of(const struct score *s, const struct score_task *t,
                        const struct hct_question_normal *normal)
{
    double like = 0, own = 0, most = 0, usual_ns = 0, kept_ns;

    for (uint32_t i = 0; i < 2 * s->q->nsteps; i++) {
        double usual = squares_of(s, i / 2, i % 2, normal);
        double is = square(root_of_squares(&s->own[i / 2], i % 2));

        if (!(usual > 0))       /* they wait there, or are not */
            continue;
        like += usual;
        own += is;
        most = fmax(most, is);
        usual_ns += finite_or_0(exp(usual_of(s, i / 2, i % 2, normal)));
    }
    kept_ns = t->total_ns > 0 ? t->kept_ns * fmin(1, usual_ns / t->total_ns) : 0;
    return kept_ns > 0 ? fmax(like, own - most) / kept_ns : HUGE_VAL;
}

/* The times of a step differ, and so do their sums, from task to task: by a
 * standard error that is the root of the sum of the squares of their
 * deviations. It is known from few tasks, too, where a robust deviation is
 * small by chance in one case of ten, as three of four are alike. squares: of
 * the like of a task, and own, of itself. What it costs is evidence where it
 * exceeds the first. Where the second is as large a few of its times make it.
 * That is evidence as well; unless it was kept from a processor for as long, as
 * in which steps that was is chance. But where it was kept for twice as long and
 * more it is known in what pieces, and a time that is far longer is none of them. */
static bool is_evidence(struct score *s, const struct score_task *t,
                        const struct hct_question_normal *normal, double cost_ns,
                        double squares, double own)
{
    double least = cost_ns / EVIDENCE * (cost_ns / EVIDENCE);

    if (least < squares)
        return false;
    if (!(least < own && cost_ns < t->kept_ns))
        return true;
    if (t->kept_ns < 2 * cost_ns)
        return false;
    if (isnan(s->piece_ns))     /* it is long, and few ask */
        s->piece_ns = pieces_of(s, t, normal);
    return own >= PIECES * cost_ns * s->piece_ns;
}

static bool has_evidence(struct score *s, const struct score_task *t,
                         const struct hct_question_normal *normal,
                         const struct hct_score *o)
{
    int in_call = (int)o->in_call;

    return is_evidence(s, t, normal, o->cost_ns,
                       squares_of(s, o->step, in_call, normal),
                       square(root_of_squares(&s->own[o->step], in_call)));
}

struct sum {                    /* of computation, and calls that do not wait */
    double own_ns, usual_ns, most_ns;
    double squares, own_squares;        /* of standard errors */
    uint32_t step, in_call;     /* that costs the most */
};

static void sum_up(const struct score *s, int in_call,
                   const struct hct_question_normal *normal, struct sum *sum)
{
    for (uint32_t i = 0; i < s->q->nsteps; i++) {
        double left = s->left[in_call][i] + s->slow[in_call];
        double usual = exp(usual_of(s, i, in_call, normal));
        double more = usual * (exp(left) - 1);

        if (isnan(left) || !isfinite(more))
            continue;
        sum->squares += squares_of(s, i, in_call, normal);
        sum->own_squares += square(root_of_squares(&s->own[i], in_call));
        sum->own_ns += usual + more;
        sum->usual_ns += usual;
        if (more <= sum->most_ns)
            continue;
        sum->most_ns = more;
        sum->step = i;
        sum->in_call = (uint32_t)in_call;
    }
}

static double waited(const struct score *s)
{
    double ns = 0;

    for (uint32_t i = 0; i < s->q->nsteps; i++)
        if (s->step[i].waits && s->own[i].n > 1)
            ns += (double)s->own[i].n * s->own[i].in.mean;
    return ns;
}

/* Does it wait so much less than its like, because it computes longer? In steps
 * that nobody of the sample has it may wait, too. */
static bool is_awaited(struct score *s, const struct score_task *t,
                       const struct hct_question_normal *normal,
                       struct hct_score *o)
{
    const struct hct_question_kind *k = &s->kind[t->kind];
    double less = (double)k->wait - waited(s) - s->others_ns;
    struct sum sum = { .most_ns = 0 };

    if (!(less > 0) || less < s->q->score * (double)k->wait_spread)
        return false;
    for (int in_call = 0; in_call < 2; in_call++)
        sum_up(s, in_call, normal, &sum);
    if (sum.most_ns <= 0 || sum.own_ns - sum.usual_ns < less / 2 ||
        !is_evidence(s, t, normal, sum.own_ns - sum.usual_ns, sum.squares,
                     sum.own_squares))
        return false;
    *o = step_of(s, sum.step, (int)sum.in_call, normal);
    o->cost_ns = fmin(less, sum.own_ns - sum.usual_ns);
    o->score = less / (double)k->wait_spread;
    o->times = sum.own_ns / sum.usual_ns;
    o->all = 1;
    return isfinite(o->score) && isfinite(o->times);
}

static bool is_wanted(const struct hct_question *q, const struct hct_score *o)
{
    return o->score >= q->score && o->share >= q->share &&
           o->cost_ns >= q->cost_ns;    /* not where left is NaN */
}

static void fill(uint32_t rank, const struct score_task *t, struct hct_score *o)
{
    o->rank = rank;
    o->group = t->group;
    o->kind = t->kind;
    o->share = t->total_ns > 0 ? o->cost_ns / t->total_ns : 0;
}

size_t score_steps(struct score *s, uint32_t rank, const struct score_task *t,
                   struct hct_score *v, size_t k)
{
    const struct hct_question *q = s->q;
    const struct hct_question_normal *normal =
        s->normal + (size_t)t->kind * q->nsteps;
    const bool all = !(q->score > 0);   /* somebody asks for all */
    struct hct_score o;
    double found_ns = 0;        /* by steps that stand out */
    size_t n = 0;

    count_often(s, t);
    for (int in_call = 0; in_call < 2; in_call++) {
        take_off(s, normal, in_call);
        if (all)
            take_off_rough(s, normal, in_call);
    }
    s->piece_ns = (double)NAN;
    for (uint32_t i = 0; i < 2 * q->nsteps; i++) {
        o = step_of(s, i / 2, i % 2, normal);
        fill(rank, t, &o);
        if (is_wanted(q, &o))
            found_ns += o.cost_ns;
        if (!(o.cost_ns > 0) || !has_evidence(s, t, normal, &o))
            o.once = 1;
        if (!all && o.once)
            continue;
        if (all) {
            see_once(s, i / 2, i % 2, normal, &o);
            fill(rank, t, &o);
        }
        if (is_wanted(q, &o))
            n = put(v, n, k, &o);
    }
    if (is_awaited(s, t, normal, &o)) {
        fill(rank, t, &o);
        if (is_wanted(q, &o) && found_ns < o.cost_ns / 2)
            n = put(v, n, k, &o);
    }
    for (size_t i = 0; i < n; i++)
        v[i].bytes_times = bytes_of(s, v[i].step, normal);
    return n;
}
