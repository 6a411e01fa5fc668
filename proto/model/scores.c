/* scores.c - see scores.h. */
#include "proto/model/scores.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- tasks */

static void stretch_add(struct hct_stretch *s, const struct hct_stretch *more)
{
    if (more->tasks && (!s->tasks || more->least_ns < s->least_ns))
        s->least_ns = more->least_ns;
    if (more->most_ns > s->most_ns)
        s->most_ns = more->most_ns;
    s->tasks += more->tasks;
    s->missing += more->missing;
}

void scores_task(struct scores *s, uint64_t ago_ns)
{
    stretch_add(&s->stretch, &(struct hct_stretch){
        .least_ns = ago_ns, .most_ns = ago_ns, .tasks = ago_ns != 0,
        .missing = ago_ns == 0 });
}

/* ---------------------------------------------------------------- clusters */

/* The one that is called so; NULL: there is no room for it. */
static struct hct_cluster *cluster_of(struct scores *s, uint32_t what,
                                      uint32_t number)
{
    uint32_t i = 0;

    while (i < s->nclusters && (s->cluster[i].what < what ||
                                (s->cluster[i].what == what &&
                                 s->cluster[i].number < number)))
        i++;
    if (i < s->nclusters && s->cluster[i].what == what &&
        s->cluster[i].number == number)
        return &s->cluster[i];
    if (s->nclusters == SCORES_CLUSTERS)
        return NULL;
    memmove(&s->cluster[i + 1], &s->cluster[i],
            (s->nclusters - i) * sizeof(*s->cluster));
    s->nclusters++;
    s->cluster[i] = (struct hct_cluster){ .what = what, .number = number };
    return &s->cluster[i];
}

static void cluster_add(struct scores *s, const struct hct_cluster *more)
{
    struct hct_cluster *c = cluster_of(s, more->what, more->number);

    if (!c)
        return;
    c->tasks += more->tasks;
    c->sum += more->sum;
    c->squares += more->squares;
    c->ran_ns += more->ran_ns;
    c->delayed_ns += more->delayed_ns;
}

void scores_count(struct scores *s, enum hct_cluster_what what, uint32_t number,
                  double distance)
{
    const struct hct_cluster one = { .what = what, .number = number, .tasks = 1,
                                     .sum = distance,
                                     .squares = distance * distance };

    cluster_add(s, &one);
}

void scores_ran(struct scores *s, uint32_t kind, uint64_t ran_ns,
                uint64_t delayed_ns)
{
    const struct hct_cluster is = { .what = HCT_CLUSTER_KIND, .number = kind,
                                    .ran_ns = (double)ran_ns,
                                    .delayed_ns = (double)delayed_ns };

    cluster_add(s, &is);
}

/* ------------------------------------------------------------------ scores */

static bool is_one_list(const struct hct_score *a, const struct hct_score *b)
{
    return a->method == b->method &&
           (a->method != HCT_METHOD_CLUSTER || a->group == b->group);
}

/* By lists, and in a list the furthest first; equal ones by rank and step, so
 * that all merges of the same parts are the same. */
static bool is_before(const struct hct_score *a, const struct hct_score *b)
{
    double x = a->method == HCT_METHOD_POLISH ? hct_worth(a) : a->score;
    double y = a->method == HCT_METHOD_POLISH ? hct_worth(b) : b->score;

    if (a->method != b->method)
        return a->method < b->method;
    if (!is_one_list(a, b))
        return a->group < b->group;
    if (x > y || x < y)
        return x > y;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->step != b->step ? a->step < b->step : a->in_call < b->in_call;
}

/* Where it would stand: of its list the first, its place, and the end. */
struct spot { uint32_t first, at, end; };

static struct spot find(const struct scores *s, const struct hct_score *x)
{
    struct spot is = { 0, 0, 0 };

    while (is.first < s->nscores && !is_one_list(&s->score[is.first], x) &&
           is_before(&s->score[is.first], x))
        is.first++;
    is.at = is.first;
    while (is.at < s->nscores && is_before(&s->score[is.at], x))
        is.at++;
    is.end = is.at;
    while (is.end < s->nscores && is_one_list(&s->score[is.end], x))
        is.end++;
    return is;
}

static bool has_room(const struct scores *s, const struct spot *is)
{
    return is->at - is->first < s->top &&
           (is->end - is->first == s->top || s->nscores < SCORES_MAX);
}

bool scores_wants(const struct scores *s, const struct hct_score *x)
{
    struct spot is = find(s, x);

    return has_room(s, &is);
}

void scores_put(struct scores *s, const struct hct_score *x)
{
    struct spot is = find(s, x);

    if (!has_room(s, &is))
        return;
    if (is.end - is.first == s->top) {  /* the last of them goes */
        is.end--;
    } else {
        memmove(&s->score[is.end + 1], &s->score[is.end],
                (s->nscores - is.end) * sizeof(*s->score));
        s->nscores++;
    }
    memmove(&s->score[is.at + 1], &s->score[is.at],
            (is.end - is.at) * sizeof(*s->score));
    s->score[is.at] = *x;
}

void scores_merge(struct scores *s, const struct scores *part, uint32_t at)
{
    if (!part->top)
        return;
    if (part->top > s->top)
        s->top = part->top;
    s->number = part->number;
    s->stretch.when = part->stretch.when;
    stretch_add(&s->stretch, &part->stretch);
    for (uint32_t i = 0; i < part->nclusters; i++)
        cluster_add(s, &part->cluster[i]);
    for (uint32_t i = 0; i < part->nscores; i++) {
        struct hct_score x = part->score[i];

        x.rank += at;
        scores_put(s, &x);
    }
}

/* ------------------------------------------------------------------- bytes */

int scores_write(const struct scores *s, const uint32_t *rank_of,
                 struct str *out, struct err *err)
{
    Hct__Scores m = HCT__SCORES__INIT;
    Hct__Scores__Cluster c[SCORES_CLUSTERS], *cs[SCORES_CLUSTERS];
    Hct__Scores__Score *x = calloc(s->nscores + 1, sizeof(*x));
    Hct__Scores__Score **xs = calloc(s->nscores + 1, sizeof(Hct__Scores__Score *));
    uint8_t *bytes = NULL;
    size_t n = 0;

    m.number = s->number;
    m.top = s->top;
    m.window = s->stretch.when.window;
    m.phase = s->stretch.when.phase;
    m.ago_ns = s->stretch.when.ago_ns;
    m.least_ns = s->stretch.least_ns;
    m.most_ns = s->stretch.most_ns;
    m.tasks = s->stretch.tasks;
    m.missing = s->stretch.missing;
    m.clusters = cs;
    m.n_clusters = s->nclusters;
    for (uint32_t i = 0; i < s->nclusters; i++) {
        const struct hct_cluster *is = &s->cluster[i];

        hct__scores__cluster__init(cs[i] = &c[i]);
        c[i].what = is->what;
        c[i].number = is->number;
        c[i].tasks = is->tasks;
        c[i].sum = is->sum;
        c[i].squares = is->squares;
        c[i].ran_ns = is->ran_ns;
        c[i].delayed_ns = is->delayed_ns;
    }
    m.scores = xs;
    m.n_scores = x && xs ? s->nscores : 0;
    for (uint32_t i = 0; i < m.n_scores; i++) {
        const struct hct_score *is = &s->score[i];

        hct__scores__score__init(xs[i] = &x[i]);
        x[i].method = is->method;
        x[i].rank = rank_of ? rank_of[is->rank] : is->rank;
        x[i].group = is->group;
        x[i].kind = is->kind;
        x[i].step = is->step;
        x[i].in_call = is->in_call;
        x[i].site = is->site;
        x[i].score = is->score;
        x[i].cost_ns = is->cost_ns;
        x[i].times = is->times;
        x[i].share = is->share;
        x[i].delayed_ns = is->delayed_ns;
        x[i].ran_ns = is->ran_ns;
        x[i].site_to = is->site_to;
        x[i].n = is->n;
        x[i].in_ns = is->in_ns;
        x[i].out_ns = is->out_ns;
        x[i].normal_in_ns = is->normal_in_ns;
        x[i].normal_out_ns = is->normal_out_ns;
        x[i].bytes_times = is->bytes_times;
        x[i].all = is->all;
        x[i].once = is->once;
    }
    if (x && xs) {
        n = hct__scores__get_packed_size(&m);
        bytes = malloc(n + 1);
    }
    if (bytes) {
        hct__scores__pack(&m, bytes);
        str_add_bytes(out, bytes, n);
    }
    free(x);
    free(xs);
    free(bytes);
    return bytes && !str_failed(out) ? 0 : err_memory(err);
}

/* The largest distance that two models can have is some ten thousands: sums of
 * anything that is read stay numbers. */
#define FURTHEST 1e9
#define LONGEST 18446744073709551616.0          /* ns of one task */

static bool cluster_fits(const Hct__Scores__Cluster *c, uint32_t width)
{
    return c->what >= HCT_CLUSTER_GROUP && c->what <= HCT_CLUSTER_KIND &&
           c->number < HCT_CLUSTERS_MAX && c->tasks <= width &&
           c->sum >= 0 && c->sum <= FURTHEST * (double)c->tasks &&
           c->squares >= 0 &&
           c->squares <= FURTHEST * FURTHEST * (double)c->tasks &&
           c->ran_ns >= 0 && c->ran_ns <= LONGEST * (double)c->tasks &&
           c->delayed_ns >= 0 && c->delayed_ns <= LONGEST * (double)c->tasks;
}

static bool score_fits(const Hct__Scores__Score *x, uint32_t width)
{
    return x->method >= HCT_METHOD_CLUSTER && x->method <= HCT_METHOD_POLISH &&
           x->rank < width && x->group < HCT_CLUSTERS_MAX &&
           x->kind < HCT_CLUSTERS_MAX && x->step < HCT_STEPS_MAX &&
           x->in_call <= 1 && isfinite(x->score) && isfinite(x->cost_ns) &&
           isfinite(x->times) && isfinite(x->share) && isfinite(x->in_ns) &&
           isfinite(x->out_ns) && isfinite(x->normal_in_ns) &&
           isfinite(x->normal_out_ns) && isfinite(x->bytes_times) &&
           x->all <= 1 && x->once <= 1;
}

static bool stretch_fits(const Hct__Scores *m, uint32_t width)
{
    return m->window <= HCT_WINDOW_LAST && m->least_ns <= m->most_ns &&
           m->tasks <= width && m->missing <= width - m->tasks;
}

static bool take(struct scores *s, const Hct__Scores *m)
{
    if (m->top > HCT_TOP_MAX || m->n_clusters > SCORES_CLUSTERS ||
        m->n_scores > SCORES_MAX || !stretch_fits(m, s->width))
        return false;
    s->top = m->top;
    s->number = m->number;
    s->stretch = (struct hct_stretch){
        .when = { m->window, m->phase, m->ago_ns }, .least_ns = m->least_ns,
        .most_ns = m->most_ns, .tasks = m->tasks, .missing = m->missing };
    for (size_t i = 0; i < m->n_clusters; i++) {
        const Hct__Scores__Cluster *c = m->clusters[i];
        const struct hct_cluster is = { c->what, c->number, c->tasks, c->sum,
                                        c->squares, c->ran_ns, c->delayed_ns };
        uint32_t before = s->nclusters;

        if (!cluster_fits(c, s->width))
            return false;
        cluster_add(s, &is);
        if (s->nclusters == before)     /* it was there: nobody counts twice */
            return false;
    }
    for (size_t i = 0; i < m->n_scores; i++) {
        const Hct__Scores__Score *x = m->scores[i];
        const struct hct_score is = {
            .method = x->method, .rank = x->rank, .group = x->group,
            .kind = x->kind, .step = x->step, .in_call = x->in_call,
            .site = x->site, .score = x->score, .cost_ns = x->cost_ns,
            .times = x->times, .share = x->share,
            .delayed_ns = x->delayed_ns, .ran_ns = x->ran_ns,
            .site_to = x->site_to, .n = x->n, .in_ns = x->in_ns,
            .out_ns = x->out_ns, .normal_in_ns = x->normal_in_ns,
            .normal_out_ns = x->normal_out_ns,
            .bytes_times = x->bytes_times, .all = x->all, .once = x->once };

        if (!score_fits(x, s->width))
            return false;
        scores_put(s, &is);
    }
    return true;
}

int scores_read(struct scores *s, const uint8_t *bytes, size_t n,
                uint32_t width, struct err *err)
{
    Hct__Scores *m = hct__scores__unpack(NULL, n, bytes);
    bool fits;

    memset(s, 0, sizeof(*s));
    s->width = width;
    if (!m)
        return err_set(err, EBADMSG, "these are no scores");
    fits = take(s, m);
    hct__scores__free_unpacked(m, NULL);
    return fits ? 0
                : err_set(err, EBADMSG, "scores that make no sense");
}
