/* outlier.c - the policy outlier: which task is unlike the others, and in which
 * step of the program. When it is time (agenda.h) it has the models of a sample
 * read, and has all tasks compared with them, where they are. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "policies/hct_policy.h"
#include "policies/lib/lot.h"
#include "policies/lib/words.h"
#include "policies/outlier/agenda.h"
#include "policies/outlier/ask.h"

enum { EVERY, SCORE, SHARE, LEAST, GROUPS, PARAMS };

static const struct hct_param params[] = {
    [EVERY] = { "every", "s", "how often the models are compared, at first", 5,
               0.1, 3600 },
    [SCORE] = { "score", "deviations", "so far from its like a task is odd", 6,
               2, 1000 },
    [SHARE] = { "share", "%",
               "of a task's time that its step costs it, at least", 1, 0, 100 },
    [LEAST] = { "least", "s", "what that is at least", 0.2, 0, 3600 },
    [GROUPS] = { "groups", "", "so many groups of tasks that are alike, at most",
                4, 1, MEDOIDS_MAX },
    [PARAMS] = { .name = NULL },
};

enum {
    FOUND_MAX = 5, WHAT = 160, TOP = 16,
    MANY = 50000, SAMPLE_OF_MANY = 20,  /* what goes down is to stay small */
    SAID = 8,
};

static const uint64_t poll_ns = 20000000, patience_ns = 30000000000;

/* Models of a sample are read, and make a question; its answer is judged. */
enum wants { NOTHING, MODELS, SCORES };

struct state {
    struct agenda agenda;
    struct ask ask;
    uint32_t groups_max, nsample;
    enum wants wants;
    struct agenda_item item;    /* that is under way, */
    uint64_t asked_ns;          /* ... since then */
    struct hct_question question;       /* the last one, without its arrays */
    uint32_t sample[GROUPS_SAMPLE];     /* ranks, ascending */
    struct said {               /* the last ones: a step of a task, and what it
                                   cost */
        struct said_step {
            uint32_t rank, window;
            uint64_t from, to;  /* places */
            double cost_ns;
        } step[SAID];
        uint32_t n;
    } said, said_kept;
    double usual[MEDOIDS_MAX];  /* of each kind: habits_usual_share() */
    struct lknorm table;
    struct dictionary dictionary;       /* of the sample */
    struct groups groups;
    struct habits habits;
};

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)job;
    (void)param;
    return sizeof(struct state);
}

/* By the job's seed, so that everybody draws the same: Knuth, The Art of
 * Computer Programming 2, 3.4.2, algorithm S. */
static void draw_sample(struct state *s, const struct hct_job *job)
{
    uint64_t seed = job->seed;
    uint32_t most = job->nranks > MANY ? SAMPLE_OF_MANY : GROUPS_SAMPLE;
    uint32_t n = job->nranks < most ? job->nranks : most;

    for (uint32_t r = 0; s->nsample < n; r++)
        if (lot_below(&seed, job->nranks - r) < n - s->nsample)
            s->sample[s->nsample++] = r;
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;

    (void)why;
    (void)why_bytes;
    s->agenda.every_ns = (uint64_t)(param[EVERY] * 1e9);
    s->agenda.least_ns = (uint64_t)(param[LEAST] * 1e9);
    s->ask = (struct ask){ .top = TOP, .score = param[SCORE],
                           .share = param[SHARE] / 100,
                           .cost_ns = param[LEAST] * 1e9 };
    s->groups_max = (uint32_t)param[GROUPS];
    draw_sample(s, job);
    lknorm_fill(&s->table);
    return 0;
}

/* ---------------------------------------------------------------- in words */

static const char *name_of(const struct dictionary *d,
                           const struct hct_snapshot *in, uint32_t state)
{
    return d->call[state] ? hct_call(in, d->call[state])->name
                          : "the beginning";
}

static const char *what_of(char buf[WHAT], const struct dictionary *d,
                           const struct hct_snapshot *in,
                           const struct hct_score *o)
{
    const struct smm_step *step = &d->step[o->step];

    if (o->in_call)
        snprintf(buf, WHAT, "in %s", name_of(d, in, step->from));
    else
        snprintf(buf, WHAT, "between %s and %s", name_of(d, in, step->from),
                 name_of(d, in, step->to));
    return buf;
}

/* Behind a sentence: "" if that is all. */
static const char *when_of(char buf[WHAT], const struct hct_stretch *t)
{
    char ago[WORDS_TIME];

    buf[0] = '\0';
    if (t->when.window == HCT_WINDOW_PHASE &&
        t->when.phase == HCT_PHASES_OVER)
        snprintf(buf, WHAT, " in earlier phases");
    else if (t->when.window == HCT_WINDOW_PHASE)
        snprintf(buf, WHAT, " in phase %u", t->when.phase);
    else if (t->when.window == HCT_WINDOW_LAST)
        snprintf(buf, WHAT, " in the last %s", words_time(ago, t->most_ns));
    return buf;
}

static const struct hct_cluster *cluster_of(const struct hct_snapshot *in,
                                            uint32_t what, uint32_t number)
{
    for (uint32_t i = 0; i < in->nclusters; i++) {
        const struct hct_cluster *c = hct_cluster(in, i);

        if (c->what == what && c->number == number)
            return c;
    }
    return NULL;
}

/* Distances from a medoid are in deviations of its group (SC11, 3.3.1). */
static double far_of(const struct hct_snapshot *in, const struct hct_score *x)
{
    const struct hct_cluster *c =
        cluster_of(in, HCT_CLUSTER_GROUP, x->group);
    double deviation =
        c && c->tasks ? sqrt(c->squares / (double)c->tasks) : 0;

    return x->method == HCT_METHOD_CLUSTER && deviation > 0
               ? x->score / deviation
               : x->score;
}

/* How many tasks are further from their like in that way? 0: the rank is not
 * among those that are furthest. */
static uint32_t place_of(const struct hct_snapshot *in, uint32_t method,
                         uint32_t rank)
{
    double is = -1;
    uint32_t before = 1;

    for (uint32_t i = 0; i < in->nscores; i++)
        if (hct_score(in, i)->method == method && hct_score(in, i)->rank == rank)
            is = far_of(in, hct_score(in, i));
    for (uint32_t i = 0; i < in->nscores && is >= 0; i++)
        before += hct_score(in, i)->method == method &&
                  far_of(in, hct_score(in, i)) > is;
    return is >= 0 ? before : 0;
}

static const char *places_of(char buf[WHAT], const struct hct_snapshot *in,
                             uint32_t rank)
{
    uint32_t group = place_of(in, HCT_METHOD_CLUSTER, rank);
    uint32_t near = place_of(in, HCT_METHOD_NEIGHBOUR, rank);
    int n = 0;

    buf[0] = '\0';
    if (group)
        n = snprintf(buf, WHAT, "; %u. by its group", group);
    if (near)
        snprintf(buf + n, WHAT - (size_t)n, "%s %u. by its neighbours",
                 group ? "," : ";", near);
    return buf;
}

static uint32_t like_of(const struct hct_snapshot *in,
                        const struct hct_score *o)
{
    const struct hct_cluster *c = cluster_of(in, HCT_CLUSTER_KIND, o->kind);

    return c && c->tasks ? (uint32_t)c->tasks - 1 : 0;
}

/* The place is that of the call which the step begins with, in that task. */
static void say_one(const struct state *s, const struct hct_snapshot *in,
                    const struct hct_score *o, struct hct_out *out)
{
    char what[WHAT], places[WHAT], longer[WORDS_TIME];

    words_line(out, (int32_t)o->rank,
               "%s longer %s, %.1f times as long as %u others, "
               "%.0f deviations%s",
               words_time(longer, (uint64_t)o->cost_ns),
               what_of(what, &s->dictionary, in, o), o->times, like_of(in, o),
               o->score, places_of(places, in, o->rank));
    words_places(out, o->site, 0);
}

/* The same is news again when it costs twice as much; and the first time that it is
 * found in a phase. */
static bool is_news(const struct state *s, struct said *said,
                    const struct hct_score *o)
{
    const struct smm_step *step = &s->dictionary.step[o->step];
    struct said_step now = { o->rank, s->item.when.window,
                            s->dictionary.place[step->from],
                            s->dictionary.place[step->to], o->cost_ns };

    for (uint32_t i = 0; i < SAID; i++) {
        const struct said_step *is = &said->step[i];

        if (is->cost_ns > 0 && is->rank == now.rank &&
            is->window == now.window && is->from == now.from &&
            is->to == now.to && now.cost_ns < 2 * is->cost_ns)
            return false;
    }
    said->step[said->n++ % SAID] = now;
    return true;
}

struct list {                   /* the most costly first */
    const struct hct_score *v[FOUND_MAX];
    size_t n;
};

static void put(struct list *l, const struct hct_score *o)
{
    if (l->n < FOUND_MAX)
        l->v[l->n++] = o;
}

static struct hct_verdict *begin(struct state *s, struct said *said,
                                 const struct list *l, enum hct_kind kind,
                                 struct hct_out *out)
{
    bool news = l->n && is_news(s, said, l->v[0]);

    struct hct_verdict *w;

    if (!l->n || (!news && !s->item.person))
        return NULL;
    if (!news)                  /* who has asked hears of it again */
        out->answers = HCT_ASKED_BY_PERSON;
    w = words_verdict(out, kind);
    if (w && s->item.when.window == HCT_WINDOW_PHASE &&
        s->item.when.phase != HCT_PHASES_OVER)
        w->phase = s->item.when.phase;
    return w;
}

static void say(struct state *s, const struct hct_snapshot *in,
                const struct list *l, struct hct_out *out)
{
    const struct hct_score *o = l->v[0];
    struct hct_verdict *w = begin(s, &s->said, l, HCT_OUTLIER, out);
    char what[WHAT], when[WHAT], longer[WORDS_TIME];

    if (!w)
        return;
    w->where = o->in_call ? HCT_WHERE_COMMUNICATION : HCT_WHERE_COMPUTATION;
    w->score = words_score(1 - 1 / (o->score * o->score)); /* Chebyshev's */
    words_line(out, HCT_NONE,
               "task %u is slower than %u others like it %s: by %s, "
               "%.1f %% of its time%s",
               o->rank, like_of(in, o), what_of(what, &s->dictionary, in, o),
               words_time(longer, (uint64_t)o->cost_ns), 100 * o->share,
               when_of(when, &in->stretch));
    words_blame(out, o->rank);
    for (size_t i = 0; i < l->n; i++)
        say_one(s, in, l->v[i], out);
    words_line(out, (int32_t)o->rank, "the first of these ends in %s",
               name_of(&s->dictionary, in, s->dictionary.step[o->step].to));
    words_places(out, o->site_to, 0);
}

/* ------------------------------------------------------------ for the views */

static struct hct_odd *add_odd(struct hct_out *out, const struct hct_snapshot *in,
                               const struct hct_score *o, uint32_t place)
{
    struct hct_odd *x = out->nodds < out->odds_max ? &out->odds[out->nodds++]
                                                   : NULL;

    if (x)
        *x = (struct hct_odd){
            .method = o->method, .place = place, .rank = o->rank,
            .group = o->group, .score = far_of(in, o), .cost_ns = o->cost_ns,
            .line = HCT_NO_LINE, .line_to = HCT_NO_LINE };
    return x;
}

/* A line of no verdict, for the host to say where that is in the source. */
static uint32_t place_line(struct hct_out *out, uint32_t rank, uint32_t site)
{
    if (!site || out->nlines == out->lines_max)
        return HCT_NO_LINE;
    out->lines[out->nlines] = (struct hct_line){ .rank = (int32_t)rank,
                                                 .site = site };
    return out->nlines++;
}

static void add_step(const struct state *s, struct hct_out *out,
                     const struct hct_snapshot *in, const struct hct_score *o,
                     uint32_t place)
{
    const struct smm_step *step = &s->dictionary.step[o->step];
    struct hct_odd *x = add_odd(out, in, o, place);

    if (!x)
        return;
    x->from_call = s->dictionary.call[step->from];
    x->to_call = s->dictionary.call[step->to];
    x->n = o->n;
    x->in_ns = o->in_ns;
    x->out_ns = o->out_ns;
    x->normal_in_ns = o->normal_in_ns;
    x->normal_out_ns = o->normal_out_ns;
    x->line = place_line(out, o->rank, o->site);
    x->line_to = place_line(out, o->rank, o->site_to);
}

/* All that are among the furthest, however far. */
static void add_odds(const struct state *s, struct hct_out *out,
                     const struct hct_snapshot *in)
{
    uint32_t steps = 0;

    out->when = in->stretch.when;
    out->when.ago_ns =
        out->when.window == HCT_WINDOW_ALL ? 0 : in->stretch.most_ns;

    for (uint32_t i = 0; i < in->nscores; i++) {
        const struct hct_score *o = hct_score(in, i);
        uint32_t place = place_of(in, o->method, o->rank);

        if (o->rank >= in->nranks)
            continue;
        if (o->method == HCT_METHOD_POLISH && o->step < s->dictionary.nsteps)
            add_step(s, out, in, o, ++steps);
        else if (o->method != HCT_METHOD_POLISH && place && place <= TOP)
            add_odd(out, in, o, place);
    }
}

static bool is_first_of_task(const struct list *l, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (l->v[k]->rank == l->v[i]->rank)
            return false;
    return true;
}

/* Nobody is odd then: a node is to blame, which the host names with the task. */
static void say_kept(struct state *s, const struct hct_snapshot *in,
                     const struct list *l, struct hct_out *out)
{
    const struct hct_score *o = l->v[0];
    struct hct_verdict *w = begin(s, &s->said_kept, l, HCT_IMBALANCE, out);
    char what[WHAT], when[WHAT];

    if (!w)
        return;
    words_line(out, HCT_NONE,
               "task %u is slower than %u others like it %s%s as its node has too "
               "much to do: it has a processor for %.3g %% of the time that it "
               "wants one, they for %.3g %%",
               o->rank, like_of(in, o), what_of(what, &s->dictionary, in, o),
               when_of(when, &in->stretch),
               100 * habits_share(o->ran_ns, o->delayed_ns),
               100 * s->usual[o->kind]);
    for (size_t i = 0; i < l->n; i++) {
        char ran[WORDS_TIME], kept[WORDS_TIME];

        o = l->v[i];
        if (!is_first_of_task(l, i))
            continue;
        words_blame(out, o->rank);
        words_line(out, (int32_t)o->rank,
                   "had a processor for %s, and was kept from one for %s",
                   words_time(ran, o->ran_ns), words_time(kept, o->delayed_ns));
    }
}

/* The most costly steps come first. Who has few that are like it is compared
 * with nobody. */
static void judge(struct state *s, const struct hct_snapshot *in,
                  struct hct_out *out)
{
    struct list odd = { .n = 0 }, kept = { .n = 0 };

    for (uint32_t i = 0; i < in->nscores; i++) {
        const struct hct_score *o = hct_score(in, i);

        if (o->method == HCT_METHOD_POLISH && o->rank < in->nranks &&
            o->step < s->dictionary.nsteps && o->kind < MEDOIDS_MAX &&
            o->score >= s->ask.score && o->share >= s->ask.share &&
            o->cost_ns >= s->ask.cost_ns && like_of(in, o) + 1 >= HABITS_LEAST)
            put(habits_explain(o, s->usual[o->kind]) ? &kept : &odd, o);
    }
    say(s, in, &odd, out);
    say_kept(s, in, &kept, out);
    if (out->nverdicts || s->item.person)
        add_odds(s, out, in);
}

/* --------------------------------------------------------------- questions */

/* The models of the sample that have that time, of what is there: by rank. */
static void find_sample(struct state *s, const struct hct_snapshot *in)
{
    struct groups *g = &s->groups;

    g->nsample = 0;
    for (uint32_t i = 0, k = 0; i < in->nmodels && k < s->nsample; i++) {
        while (k < s->nsample && s->sample[k] < hct_model(in, i)->rank)
            k++;
        if (k < s->nsample && s->sample[k] == hct_model(in, i)->rank &&
            dictionary_edges(in, hct_model(in, i), &s->item.when))
            g->sample[g->nsample++] = i;
    }
}

/* False: there is nothing to be compared. */
static bool ask(struct state *s, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct ask wanted = s->item.person ? (struct ask){ .top = TOP } : s->ask;
    struct groups *g = &s->groups;

    wanted.when = s->item.when;

    find_sample(s, in);
    if (g->nsample < HABITS_LEAST)
        return false;
    dictionary_make_when(&s->dictionary, in, g->sample, g->nsample,
                         &s->item.when);
    if (!s->dictionary.nsteps)
        return false;
    groups_make(g, &s->table, &s->dictionary, in, s->groups_max);
    for (uint32_t k = 0; k < g->kinds.k; k++)
        s->usual[k] = habits_usual_share(&s->habits, g, k, in);
    out->nquestion = ask_write(&wanted, &s->habits, g, &s->dictionary, in,
                               out->question, out->question_max);
    if (!out->nquestion)
        return false;
    memcpy(&s->question, out->question, sizeof(s->question));
    out->need |= HCT_NEED_SCORES;
    return true;
}

/* -------------------------------------------------------------------- when */

static void want_models(struct state *s, struct hct_out *out)
{
    out->need |= HCT_NEED_MODEL;
    if (s->item.when.window == HCT_WINDOW_LAST)
        out->last_ns = s->item.when.ago_ns;
    out->sample = out->nranks;
    for (uint32_t i = 0; i < s->nsample && out->nranks < out->ranks_max; i++)
        out->ranks[out->nranks++] = s->sample[i];
    out->nsample = out->nranks - out->sample;
}

static void take(struct state *s, const struct hct_snapshot *in,
                 struct hct_out *out)
{
    const struct agenda_item *item = &s->item;
    uint64_t now_ns = in->now_ns;

    if (s->wants == MODELS && (in->parts & HCT_NEED_MODEL)) {
        s->wants = ask(s, in, out) ? SCORES : NOTHING;
        if (!s->wants)
            agenda_failed(&s->agenda, now_ns, item);
    } else if (s->wants == SCORES && (in->parts & HCT_NEED_SCORES) &&
               in->question == s->question.number) {
        judge(s, in, out);
        s->wants = NOTHING;
        agenda_done(&s->agenda, now_ns, item);
    } else if (s->wants && now_ns >= s->asked_ns + patience_ns) {
        s->wants = NOTHING;     /* another was asked, or a slave died */
        if (item->person)
            agenda_failed(&s->agenda, now_ns, item);
    }
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct state *s = state;

    agenda_look(&s->agenda, in);
    take(s, in, out);
    if (s->wants == NOTHING &&
        agenda_next(&s->agenda, in->now_ns, &s->item)) {
        s->wants = MODELS;
        s->asked_ns = in->now_ns;
    }
    if (s->wants == MODELS)
        want_models(s, out);
    out->wake_ns = s->wants ? in->now_ns + poll_ns
                            : agenda_wake(&s->agenda, in->now_ns);
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR,
    .minor = HCT_POLICY_MINOR,
    .name = "outlier",
    .help = "finds tasks that are slower than their like, and the step they "
            "are slow in",
    .params = params,
    .state_bytes = state_bytes,
    .init = init,
    .step = step,
    .may_need = HCT_NEED_MODEL | HCT_NEED_SCORES,
    .asked = HCT_ASKED_BY_PERSON,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
