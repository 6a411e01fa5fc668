/* outlier_say.c - what the policy outlier finds, in words and for the views. */
#include <math.h>
#include <stdio.h>

#include "policies/lib/words.h"
#include "policies/outlier/outlier.h"

enum { WHAT = 160 };

static const char *name_of(const struct dictionary *d,
                           const struct hct_snapshot *in, uint32_t state)
{
    return d->call[state] ? hct_call(in, d->call[state])->name
                          : "the beginning";
}

const char *outlier_where(char buf[OUTLIER_WHERE], const struct dictionary *d,
                          const struct hct_snapshot *in, uint32_t step,
                          bool in_call)
{
    const struct smm_step *is = &d->step[step];

    if (in_call)
        snprintf(buf, OUTLIER_WHERE, "in %s", name_of(d, in, is->from));
    else
        snprintf(buf, OUTLIER_WHERE, "between %s and %s", name_of(d, in, is->from),
                 name_of(d, in, is->to));
    return buf;
}

static const char *what_of(char buf[WHAT], const struct dictionary *d,
                           const struct hct_snapshot *in,
                           const struct hct_score *o)
{
    char where[OUTLIER_WHERE];

    snprintf(buf, WHAT, "%s%s", o->all ? "in all it does, most " : "",
             outlier_where(where, d, in, o->step, o->in_call));
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

/* Distances from a medoid are in deviations of its group (SC11, 3.3.1). */
static double far_of(const struct hct_snapshot *in, const struct hct_score *x)
{
    const struct hct_cluster *c =
        habits_cluster(in, HCT_CLUSTER_GROUP, x->group);
    double deviation =
        c && c->tasks ? sqrt(c->squares / (double)c->tasks) : 0;

    return x->method == HCT_METHOD_CLUSTER && deviation > 0
               ? x->score / deviation
               : x->score;
}

/* The first is the furthest from its like in that way. Two that are each
 * other's nearest neighbour are as far: the lower rank comes first. 0: the rank
 * is not among those that are furthest. */
static uint32_t place_of(const struct hct_snapshot *in, uint32_t method,
                         uint32_t rank)
{
    double is = -1;
    uint32_t before = 1;

    for (uint32_t i = 0; i < in->nscores; i++)
        if (hct_score(in, i)->method == method &&
            hct_score(in, i)->rank == rank)
            is = far_of(in, hct_score(in, i));
    for (uint32_t i = 0; i < in->nscores && is >= 0; i++) {
        const struct hct_score *x = hct_score(in, i);
        double far = far_of(in, x);

        before += x->method == method &&
                  (far > is || (far >= is && x->rank < rank));
    }
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

uint32_t outlier_like(const struct hct_snapshot *in, const struct hct_score *o)
{
    const struct hct_cluster *c = habits_cluster(in, HCT_CLUSTER_KIND, o->kind);

    return c && c->tasks ? (uint32_t)c->tasks - 1 : 0;
}

/* ---------------------------------------------------------------- verdicts */

const struct hct_earlier *outlier_earlier(const struct outlier *s,
                                          const struct hct_score *o)
{
    return earlier_step(&s->earlier, &s->dictionary, o->step);
}

double outlier_each(const struct hct_score *o)
{
    return o->n ? (o->in_call ? o->in_ns : o->out_ns) / (double)o->n : 0;
}

static const char *earlier_of(char buf[WHAT], const struct outlier *s,
                              const struct hct_score *o)
{
    const struct hct_earlier *e = outlier_earlier(s, o);
    char is[WORDS_TIME], most[WORDS_TIME];

    buf[0] = '\0';
    if (e)
        snprintf(buf, WHAT, "; %s each time, in %u good run%s %s at most",
                 words_short(is, outlier_each(o)), e->runs,
                 e->runs == 1 ? "" : "s",
                 words_short(most, earlier_most(e, o->in_call)));
    return buf;
}

/* The place is that of the call which the step begins with, in that task. */
static void say_slow(const struct outlier *s, const struct hct_snapshot *in,
                     const struct hct_score *o, struct hct_out *out)
{
    char what[WHAT], places[WHAT], longer[WORDS_TIME], earlier[WHAT];

    words_line(out, (int32_t)o->rank,
               "%s longer %s, %.1f times as long as %u others, "
               "%.0f deviations%s%s",
               words_time(longer, (uint64_t)o->cost_ns),
               what_of(what, &s->dictionary, in, o), o->times,
               outlier_like(in, o), o->score, places_of(places, in, o->rank),
               earlier_of(earlier, s, o));
    words_places(out, o->site, 0);
}

static void say_stand(const struct hct_snapshot *in, const struct stand *w,
                      struct hct_out *out)
{
    char all[WORDS_TIME], longest[WORDS_TIME];

    words_line(out, (int32_t)w->rank,
               "slept in %s for %s, once for %s, while %u others that waited "
               "asked for messages",
               hct_call(in, w->call)->name, words_time(all, w->cost_ns),
               words_time(longest, w->longest_ns), w->others);
    words_places(out, w->site, 0);
}

const char *outlier_function(char buf[OUTLIER_FUNCTION],
                             const struct inside_one *o)
{
    if (o->line)
        snprintf(buf, OUTLIER_FUNCTION, "%.48s (%.32s:%u)", o->name, o->file,
                 o->line);
    else
        snprintf(buf, OUTLIER_FUNCTION, "%.48s%s%.32s%s", o->name,
                 *o->file ? " (" : "", o->file, *o->file ? ")" : "");
    return buf;
}

static void say_inside(const struct outlier *s, const struct hct_snapshot *in,
                       const struct inside_one *o, struct hct_out *out)
{
    char function[OUTLIER_FUNCTION];

    words_line(out, (int32_t)o->rank,
               "was in %s, inside of %s, at %u of %u looks at stacks, no other "
               "task ever",
               outlier_function(function, o), hct_call(in, o->call)->name,
               o->hits, s->inside.looks);
    words_places(out, o->site, 0);
}

static uint32_t rank_of(const struct outlier_find *f)
{
    return f->inside ? f->inside->rank
           : f->stand ? f->stand->rank : f->score->rank;
}

static struct outlier_said_step to_say(const struct outlier *s,
                                       const struct outlier_find *f)
{
    uint32_t window = s->item.when.window;
    const struct smm_step *step;

    if (f->inside)
        return (struct outlier_said_step){
            f->inside->rank, window, f->inside->function, UINT64_MAX - 1,
            (double)f->inside_ns };
    if (f->stand)
        return (struct outlier_said_step){
            f->stand->rank, window, f->stand->site, UINT64_MAX,
            (double)f->stand->cost_ns };
    step = &s->dictionary.step[f->score->step];
    return (struct outlier_said_step){
        f->score->rank, window, s->dictionary.place[step->from],
        s->dictionary.place[step->to], f->score->cost_ns };
}

/* The same is news again when it costs twice as much; and the first time that
 * it is found in a phase. */
static bool is_news(struct outlier_said *said,
                    const struct outlier_said_step *now)
{
    for (uint32_t i = 0; i < OUTLIER_SAID; i++) {
        const struct outlier_said_step *is = &said->step[i];

        if (is->cost_ns > 0 && is->rank == now->rank &&
            is->window == now->window && is->from == now->from &&
            is->to == now->to && now->cost_ns < 2 * is->cost_ns)
            return false;
    }
    said->step[said->n++ % OUTLIER_SAID] = *now;
    return true;
}

static struct hct_verdict *begin(const struct outlier *s,
                                 struct outlier_said *said,
                                 const struct outlier_list *l,
                                 enum hct_kind kind, struct hct_out *out)
{
    struct outlier_said_step now;
    struct hct_verdict *v;
    bool news;

    if (!l->n)
        return NULL;
    now = to_say(s, &l->v[0]);
    news = is_news(said, &now);
    if (!news && !s->item.person)
        return NULL;
    if (!news)                  /* who has asked hears of it again */
        out->answers = HCT_ASKED_BY_PERSON;
    v = words_verdict(out, kind);
    if (v && s->item.when.window == HCT_WINDOW_PHASE &&
        s->item.when.phase != HCT_PHASES_OVER)
        v->phase = s->item.when.phase;
    return v;
}

static void head_slow(const struct outlier *s, const struct hct_snapshot *in,
                      const struct hct_score *o, struct hct_verdict *v,
                      struct hct_out *out)
{
    char what[WHAT], when[WHAT], longer[WORDS_TIME];

    v->where = o->in_call ? HCT_WHERE_COMMUNICATION : HCT_WHERE_COMPUTATION;
    v->score = words_score(1 - 1 / (o->score * o->score)); /* Chebyshev's */
    words_line(out, HCT_NONE,
               "task %u is slower than %u others like it %s: by %s, "
               "%.1f %% of its time%s%s",
               o->rank, outlier_like(in, o), what_of(what, &s->dictionary, in, o),
               words_time(longer, (uint64_t)o->cost_ns), 100 * o->share,
               when_of(when, &in->stretch),
               o->all ? ", and they wait for it" : "");
}

static void head_stand(const struct outlier *s, const struct hct_snapshot *in,
                       const struct stand *w, struct hct_verdict *v,
                       struct hct_out *out)
{
    char all[WORDS_TIME];

    v->where = HCT_WHERE_COMMUNICATION;
    v->score = words_score(1);
    words_line(out, HCT_NONE,
               "task %u stood in %s while %u others waited: for %s, %.1f %% of "
               "the time",
               w->rank, hct_call(in, w->call)->name, w->others,
               words_time(all, w->cost_ns),
               100 * (double)w->cost_ns / (double)(in->now_ns - s->agenda.began_ns));
}

/* That none of so many others was ever in there by chance: of each look it may
 * be anyone. */
static void head_inside(const struct outlier *s, const struct hct_snapshot *in,
                        const struct outlier_find *f, struct hct_verdict *v,
                        struct hct_out *out)
{
    const struct inside_one *o = f->inside;
    char function[OUTLIER_FUNCTION], all[WORDS_TIME];

    v->where = HCT_WHERE_COMMUNICATION;
    v->score = words_score(1 - pow(in->nranks, 1.0 - o->hits));
    words_line(out, HCT_NONE,
               "task %u was in %s, inside of %s, while %u others waited: for "
               "%s, %.1f %% of the time",
               o->rank, outlier_function(function, o),
               hct_call(in, o->call)->name, o->waited, words_time(all, f->inside_ns),
               100 * (double)f->inside_ns /
                   (double)(in->now_ns - s->agenda.began_ns));
}

static void say_phase(const struct outlier *s, struct hct_out *out)
{
    const struct oddphase_one *one = oddphase_oddest(&s->phases);
    char text[sizeof(((struct hct_line *)0)->text)];

    if (!one)
        return;
    oddphase_say(one, text, sizeof(text));
    words_line(out, HCT_NONE, "%s", text);
}

void outlier_say(struct outlier *s, const struct hct_snapshot *in,
                 const struct outlier_list *l, struct hct_out *out)
{
    const struct outlier_find *f = l->v;
    struct hct_verdict *v = begin(s, &s->said, l, HCT_OUTLIER, out);

    if (!v)
        return;
    if (f->inside)
        head_inside(s, in, f, v, out);
    else if (f->stand)
        head_stand(s, in, f->stand, v, out);
    else
        head_slow(s, in, f->score, v, out);
    words_blame(out, rank_of(f));
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].inside)
            say_inside(s, in, l->v[i].inside, out);
        else if (l->v[i].stand)
            say_stand(in, l->v[i].stand, out);
        else
            say_slow(s, in, l->v[i].score, out);
    say_phase(s, out);
    if (!f->score)
        return;
    words_line(out, (int32_t)f->score->rank, "the first of these ends in %s",
               name_of(&s->dictionary, in,
                       s->dictionary.step[f->score->step].to));
    words_places(out, f->score->site_to, 0);
}

static bool is_first_of_task(const struct outlier_list *l, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (rank_of(&l->v[k]) == rank_of(&l->v[i]))
            return false;
    return true;
}

void outlier_say_kept(struct outlier *s, const struct hct_snapshot *in,
                      const struct outlier_list *l, struct hct_out *out)
{
    const struct hct_score *o = l->v[0].score;
    char what[WHAT], when[WHAT], none[WORDS_TIME];

    if (!begin(s, &s->said_kept, l, HCT_IMBALANCE, out))
        return;
    words_line(out, HCT_NONE,
               "task %u is slower than %u others like it %s%s as its node has "
               "too much to do: it was kept from a processor for %s, and has one "
               "for %.3g %% of the time that it wants one, they for %.3g %%",
               o->rank, outlier_like(in, o), what_of(what, &s->dictionary, in, o),
               when_of(when, &in->stretch), words_time(none, o->delayed_ns),
               100 * habits_share((double)o->ran_ns, (double)o->delayed_ns),
               100 * habits_usual_share(in, o));
    for (size_t i = 0; i < l->n; i++) {
        char ran[WORDS_TIME], kept[WORDS_TIME];

        o = l->v[i].score;
        if (!is_first_of_task(l, i))
            continue;
        words_blame(out, o->rank);
        words_line(out, (int32_t)o->rank,
                   "had a processor for %s, and was kept from one for %s",
                   words_time(ran, o->ran_ns), words_time(kept, o->delayed_ns));
    }
}

/* ------------------------------------------------------------------- views */

static void add_odd(struct hct_out *out, const struct hct_odd *o)
{
    if (out->nodds < out->odds_max)
        out->odds[out->nodds++] = *o;
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

static void add_step(const struct outlier *s, struct hct_out *out,
                     const struct hct_score *o, double score, uint32_t place)
{
    const struct smm_step *step = &s->dictionary.step[o->step];
    struct hct_odd x = {
        .method = o->method, .place = place, .rank = o->rank, .group = o->group,
        .score = score, .cost_ns = o->cost_ns,
        .from_call = s->dictionary.call[step->from],
        .to_call = s->dictionary.call[step->to],
        .line = place_line(out, o->rank, o->site),
        .line_to = place_line(out, o->rank, o->site_to), .n = o->n,
        .at = dictionary_place(&s->dictionary, step->from),
        .at_to = dictionary_place(&s->dictionary, step->to),
        .in_ns = o->in_ns, .out_ns = o->out_ns,
        .normal_in_ns = o->normal_in_ns, .normal_out_ns = o->normal_out_ns };

    add_odd(out, &x);
}

/* By a distance, with the step that most of it is in, if that is known. */
static void add_score(const struct outlier *s, struct hct_out *out,
                      const struct hct_snapshot *in, const struct hct_score *o,
                      uint32_t place)
{
    if (o->share > 0 && o->step < s->dictionary.nsteps) {
        add_step(s, out, o, far_of(in, o), place);
        return;
    }
    add_odd(out, &(struct hct_odd){
        .method = o->method, .place = place, .rank = o->rank, .group = o->group,
        .score = far_of(in, o), .line = HCT_NO_LINE, .line_to = HCT_NO_LINE });
}

static void add_stand(struct hct_out *out, const struct stand *w,
                      uint32_t place)
{
    struct hct_odd x = {
        .method = HCT_METHOD_STANDS, .place = place, .rank = w->rank,
        .score = (double)w->stays, .cost_ns = (double)w->cost_ns,
        .from_call = w->call, .line = place_line(out, w->rank, w->site),
        .line_to = HCT_NO_LINE, .n = w->stays, .in_ns = (double)w->cost_ns,
        .at = w->place };

    add_odd(out, &x);
}

static void add_inside(struct hct_out *out, const struct inside_one *o,
                       uint64_t cost_ns, uint32_t place)
{
    struct hct_odd x = {
        .method = HCT_METHOD_INSIDE, .place = place, .rank = o->rank,
        .score = o->hits, .cost_ns = (double)cost_ns, .from_call = o->call,
        .line = place_line(out, o->rank, o->site), .line_to = HCT_NO_LINE,
        .n = o->hits, .in_ns = (double)cost_ns };

    add_odd(out, &x);
}

/* Those that stand, are in a function of their own, or seem to compute in a
 * call: the next of each. */
struct standing { uint32_t sure, inside, hints; };

static bool is_inside(const struct outlier *s, const struct hct_snapshot *in,
                      uint32_t rank)
{
    const struct inside_one *o;

    for (uint32_t k = 0; (o = inside_get(&s->inside, k, in->now_ns)); k++)
        if (o->rank == rank)
            return true;
    return false;
}

/* That it sleeps there says more. */
static const struct inside_one *next_inside(const struct outlier *s,
                                            const struct hct_snapshot *in,
                                            struct standing *i)
{
    const struct inside_one *o;

    while ((o = inside_get(&s->inside, i->inside, in->now_ns)) &&
           stands_has(&s->stands, o->rank, o->call))
        i->inside++;
    return o;
}

/* A hint says less than a stack. */
static const struct stand *next_hint(const struct outlier *s,
                                     const struct hct_snapshot *in,
                                     struct standing *i)
{
    const struct stand *w;

    while ((w = stands_get(&s->works.found, i->hints)) &&
           is_inside(s, in, w->rank))
        i->hints++;
    return w;
}

/* The most costly one of those that are left, if that is more; false: none. */
static bool add_standing(const struct outlier *s, const struct hct_snapshot *in,
                         struct standing *i, double least_ns, uint32_t *place,
                         struct hct_out *out)
{
    const struct stand *a = stands_get(&s->stands, i->sure);
    const struct stand *b = next_hint(s, in, i);
    const struct inside_one *o = next_inside(s, in, i);
    uint64_t inside_ns = o ? inside_cost(&s->inside, o, in->now_ns) : 0;
    const struct stand *w = a && (!b || a->cost_ns >= b->cost_ns) ? a : b;

    if (o && (!w || inside_ns >= w->cost_ns)) {
        if ((double)inside_ns <= least_ns)
            return false;
        add_inside(out, o, inside_ns, ++*place);
        i->inside++;
        return true;
    }
    if (!w || (double)w->cost_ns <= least_ns)
        return false;
    add_stand(out, w, ++*place);
    i->sure += w == a;
    i->hints += w != a;
    return true;
}

void outlier_add_odds(const struct outlier *s, const struct hct_snapshot *in,
                      struct hct_out *out)
{
    bool all = s->item.when.window == HCT_WINDOW_ALL;   /* stands are of that */
    struct standing next = { 0, 0, 0 };
    uint32_t at = 0;

    out->when = in->stretch.when;
    out->when.ago_ns = all ? 0 : in->stretch.most_ns;

    for (uint32_t i = 0; i < in->nscores; i++) {
        const struct hct_score *o = hct_score(in, i);
        uint32_t place = place_of(in, o->method, o->rank);

        if (o->rank >= in->nranks)
            continue;
        if (o->method != HCT_METHOD_POLISH) {
            if (place && place <= OUTLIER_TOP)
                add_score(s, out, in, o, place);
            continue;
        }
        while (all && add_standing(s, in, &next, hct_worth(o), &at, out))
            ;
        if (o->step < s->dictionary.nsteps)
            add_step(s, out, o, o->score, ++at);
    }
    while (all && add_standing(s, in, &next, 0, &at, out))
        ;
}
