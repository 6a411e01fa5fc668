/* suspicion.c - see suspicion.h. */
#include "policies/slow/suspicion.h"

#include <math.h>
#include <string.h>

#include "policies/slow/alike.h"
#include "policies/slow/crowd.h"
#include "policies/slow/nodes.h"
#include "policies/slow/rise.h"
#include "policies/slow/suspects.h"

enum {
    GIVEN_UP = 14,              /* windows after which nothing was found */
    NO_MODELS = 10,             /* in which models were asked for in vain */
};
/* All tasks are slow only where that is so much of the time, and of what an
 * iteration takes longer: else they have to wait for each other for longer. */
static const double worth = 0.05, cause = 0.25;
/* ... and some are where that is so much of it: all wait for them. */
static const double cause_some = 0.1;
/* Of what somebody is slower by, or all, so much has to come at once. */
static const double at_once = 0.5, all_at_once = 0.6;
/* What all are slower by, but for so much, must not grow by so much behind
 * that: work begins to grow, too. */
static const double all_plain = 1.5, stays = 0.25;
/* It was a step rather than a ramp where the BIC of these is so far apart. */
static const double step_rather = 2;
/* For what may go by, as it has before, it waits for no longer. */
static const double most_wait_ns = 600e9;
/* Models that have not come so long after they could be asked for do not. */
static const uint64_t no_models_ns = 4 * (uint64_t)1000000000;

void suspicion_dismiss(struct slow *s, bool other)
{
    struct slow_suspicion *x = &s->x;

    if (other) {
        s->doubt[x->phase] = 0;
        speed_relearn(&s->speed, x->phase, x->since);
        pace_restart(&s->pace[x->phase], x->change.since);
    }
    effort_dismiss(&s->effort, other);
    x->stage = SLOW_WATCH;
    models_want_none(&x->models);
}

/* Nobody computes longer, nor do all: it is what lies between that takes so
 * long, and who computes how long is known as before. */
static void give_up(struct slow *s)
{
    pace_restart(&s->pace[s->x.phase], s->x.change.since);
    suspicion_dismiss(s, false);
}

void suspicion_went_by(struct slow *s, uint64_t now_ns)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t *longest = &s->lasted_ns[s->x.phase][i];

        if (s->x.seen[i] && now_ns - s->x.began_ns > *longest)
            *longest = now_ns - s->x.began_ns;
    }
    if (s->x.seen[1])
        s->doubt[s->x.phase] = s->x.since + 1;
    suspicion_dismiss(s, false);
}

static double lasted(const struct slow *s, uint64_t window)
{
    const struct speed_window *w = &s->speed.ring[window % SPEED_RING];

    return (double)(w->ended_ns - w->began_ns);
}

void suspicion_raise(struct slow *s, uint32_t phase, uint64_t since,
                     const struct pace_change *c, uint64_t now_ns)
{
    struct slow_suspicion *x = &s->x;

    *x = (struct slow_suspicion){
        .stage = SLOW_SUSPECT, .phase = phase, .since = since, .change = *c,
        .of_work = s->speed.share.used,
        .began_ns = s->speed.ring[since % SPEED_RING].began_ns };
    x->known_ns = (double)(s->pace[phase].n - c->since) *
                  fmin(lasted(s, since), lasted(s, since ? since - 1 : 0));
    x->trend = rise_trend(&s->speed, phase, since);
    if (isnan(x->trend))
        x->trend = pace_trend(&s->pace[phase], c->since, SLOW_ALL_WINDOWS);
    speed_settle(&s->speed, since ? since - 1 : 0);
    effort_suspect(&s->effort, phase);
    if (now_ns >= s->models_ns)
        suspects_want_likely(s);
}

void suspicion_raise_alone(struct slow *s, uint32_t phase, uint64_t now_ns)
{
    const struct pace_change c = {
        .p = slow_likely, .since = SLOW_ALL_WINDOWS,
        .times = fmax(pace_times(&s->pace[phase], SLOW_ALL_WINDOWS), 1) };
    uint32_t found;

    suspicion_raise(s, phase,
                    speed_since(&s->speed, phase, SLOW_ALL_WINDOWS, &found), &c,
                    now_ns);
    s->x.by_speed = 1;
}

/* Another change amid a suspicion of which nothing has come: of the pace, or,
 * without one, of somebody. What models there are are those of before, all the
 * more. */
static void raise_anew(struct slow *s, const struct pace_change *c,
                       uint64_t now_ns)
{
    struct models models = s->x.models;
    uint32_t found, phase = s->x.phase;
    uint64_t since;

    if (c) {
        since = speed_since(&s->speed, phase, c->since, &found);
        speed_recall(&s->speed, phase, since ? since - 1 : 0);
        suspicion_raise(s, phase, since, c, now_ns);
    } else {
        suspicion_raise_alone(s, phase, now_ns);
    }
    if (models.n)
        s->x.models = models;
}

/* Somebody was suspected all along, while others took the machine: it is judged
 * by the last windows alone, and how it was before stays as it is. */
static void go_on_alone(struct slow *s)
{
    struct slow_suspicion *x = &s->x;
    uint32_t n;

    x->by_speed = 1;
    x->from = speed_since(&s->speed, x->phase, SLOW_ALL_WINDOWS, &n);
    x->windows = SLOW_ALL_WINDOWS;
    x->kept_at = 0;
    x->change.times = fmax(pace_times(&s->pace[x->phase], SLOW_ALL_WINDOWS), 1);
}

/* Of this suspicion nothing comes, but somebody has become slow in the last
 * windows, or all have: later than the job did, as others took the machine
 * first, or while it became faster. */
static bool raised_alone(struct slow *s, uint64_t now_ns)
{
    enum suspects who;
    uint32_t n;

    if (s->x.agreed || s->x.by_speed || s->x.waits)
        return false;
    who = suspects_alone(s, s->x.phase);
    if (who != SUSPECTS_SOME && who != SUSPECTS_ALL)
        return false;
    if (who == SUSPECTS_SOME && s->x.found.nodd) {
        go_on_alone(s);
        return true;
    }
    speed_recall(&s->speed, s->x.phase,
                 speed_since(&s->speed, s->x.phase, SLOW_ALL_WINDOWS, &n));
    raise_anew(s, NULL, now_ns);
    return true;
}

/* --------------------------------------------------------------------- who */

/* Is the first one, or that it is nobody, the same as the last time? */
static void note(struct slow_suspicion *x, const struct odd_found *f,
                 const struct odd_task *odd, bool is_slow)
{
    bool same = x->agreed && !f->nodd == !x->found.nodd;

    if (same && f->nodd) {
        same = false;
        for (uint32_t i = 0; i < f->nodd && i < SLOW_ODD; i++)
            same |= odd[i].rank == x->odd[0].rank;
    }
    x->agreed = !is_slow ? 0 : same ? x->agreed + 1 : 1;
    x->seen[f->nodd > 0] |= is_slow;
    x->found = *f;
    memcpy(x->odd, odd, sizeof(x->odd));
}

static bool some_are_slow(const struct slow_suspicion *x,
                          const struct odd_found *f,
                          const struct odd_task *worst)
{
    return f->windows >= SLOW_ODD_WINDOWS && 5 * f->windows >= 3 * f->of &&
           worst->share >= cause_some * (1 - 1 / x->change.times);
}

static bool all_are_slow(const struct slow_suspicion *x,
                         const struct odd_found *f, double factor)
{
    return f->windows >= SLOW_ALL_WINDOWS &&
           f->alike >= factor * fmax(f->was, 1) &&
           f->share >= fmax(worth, cause * (1 - 1 / x->change.times));
}

/* Where work is compared, what a task has of its processor tells how much of
 * its time is work, in MPI and out of it together, and so but about: what is
 * told of all, who have nobody to be compared with, must be more than what the
 * load has taken, and be seen in their time, too. */
static bool is_of_load(struct slow *s, const struct odd_found *f)
{
    double part = s->speed.share.used
                      ? alike_part(&s->speed, s->x.phase, s->x.since) : 0;

    return log(f->alike) < -part ||
           (part > 0 && log(f->alike) - part < log(s->limit.factor));
}

/* By all windows that are kept: was it a step rather than a ramp? */
static bool was_at_once(struct slow *s, const struct odd_task *worst)
{
    bool known;
    double gain = rise_gain(&s->speed, s->x.phase, s->x.since, worst, &known);

    return !known || gain >= step_rather;
}

/* Did it become so at once, and was it not on the way before? What was seen
 * once is remembered. */
static bool rose_at_once(struct slow *s, const struct odd_found *f,
                         const struct odd_task *worst)
{
    struct slow_suspicion *x = &s->x;
    uint32_t who = worst ? worst->rank : s->speed.ntasks;
    struct rise rise = rise_of(&s->speed, x->phase, x->since, f,
                                        worst);

    if (!was_at_once(s, worst))
        return false;
    x->step = who == x->step_of ? fmax(x->step, rise.step) : rise.step;
    x->step_of = who;
    return x->step >= (worst ? at_once : all_at_once) * rise.now &&
           (worst || (x->step >= 2 * fmax(x->trend, 0) &&
                      (rise.now >= log(all_plain) ||
                       rise.grown < stays * rise.now)));
}

static void judge(struct slow *s, const struct hct_snapshot *in)
{
    struct slow_suspicion *x = &s->x;
    struct odd_task odd[SLOW_ODD] = { 0 };
    struct odd_found f;
    const struct odd_task *worst;
    bool slow;

    if (!odd_judge(&s->speed, x->phase, x->since, suspects_from(s), &s->limit,
                     &f, odd, SLOW_ODD))
        return;
    worst = f.nodd ? &odd[0] : NULL;
    rise_agree(&s->speed, x->phase, &f, worst);
    if (f.moved) {
        suspicion_dismiss(s, true);
        return;
    }
    if (x->by_speed && !f.nodd && f.alike < s->limit.factor) {
        suspicion_went_by(s, in->now_ns);
        return;
    }
    slow = f.nodd ? some_are_slow(x, &f, worst)
                  : all_are_slow(x, &f, s->limit.factor) && !is_of_load(s, &f) &&
                    x->known_ns >= SLOW_ALONE * (double)s->windows.least_ns;
    note(x, &f, odd, slow && rose_at_once(s, &f, worst));
    x->node = f.nodd ? nodes_slow(&s->speed, in, &odd[0]) : 0;
}

/* Is it plain by what they compute who are it, whatever the pace? Of somebody,
 * found once in as many windows as tell it without the pace, or as often as
 * else. */
static bool is_plain(const struct slow_suspicion *x)
{
    double times = x->found.nodd ? x->odd[0].times : x->found.alike;

    return times >= slow_plain &&
           (x->agreed >= SLOW_ODD_WINDOWS ||
            (x->agreed && x->found.nodd &&
             x->found.windows >= SLOW_ALL_WINDOWS));
}

/* Is it still there, by the time of an iteration, or by what those compute who
 * are it? As where a machine that others used is free again in the meantime. */
static bool lasts(struct slow *s, struct pace_change *c)
{
    struct slow_suspicion *x = &s->x;

    if (!x->by_speed && !x->waits &&
        pace_change(&s->pace[x->phase], SLOW_RAISED, PACE_KEPT, c) &&
        c->p >= 0.3 && c->times >= slow_least_rise) {
        if (is_plain(x))
            c->p = fmax(c->p, slow_likely);
        return true;
    }
    x->by_speed |= is_plain(x);
    *c = x->change;
    c->since++;
    if (x->by_speed)            /* then it is that which makes sure, not the pace */
        c->p = fmax(c->p, slow_likely);
    return x->by_speed || x->waits;
}

/* ---------------------------------------------------------------- the word */

static void tell(struct slow *s, const struct hct_snapshot *in,
                 const struct region_grown *g, struct hct_out *out)
{
    suspects_explain(s);
    slow_say(&s->x, g, &s->speed, in, out);
    s->x.stage = SLOW_TOLD;
    s->x.windows = s->x.agreed = 0;
}

/* Somebody is it, or all are, as far as windows tell: what do the models? Who
 * is slow is told without them, too; that all are may have other reasons,
 * which they alone tell. */
static void ask_models(struct slow *s, const struct hct_snapshot *in, double p,
                       struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;

    if (!x->models.n && in->now_ns >= s->models_ns)
        suspects_want_likely(s);
    if (x->agreed < 2 || p < 0.9)
        return;
    x->waits = (double)(in->now_ns - x->began_ns) <
               fmin(2 * (double)s->lasted_ns[x->phase][x->found.nodd > 0],
                    most_wait_ns);
    if (x->waits)
        return;
    x->asked++;
    if (x->found.nodd && x->asked > NO_MODELS &&
        in->now_ns >= s->models_ns + no_models_ns)
        tell(s, in, NULL, out);
    else if (x->models.n && x->windows > x->kept_at)
        suspects_want_told(s);
}

void suspicion_window(struct slow *s, const struct hct_snapshot *in,
                      struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    struct pace_change c;

    x->windows++;
    if (!lasts(s, &c)) {
        if (!raised_alone(s, in->now_ns))
            suspicion_went_by(s, in->now_ns);
        return;
    }
    if (!x->agreed && !x->by_speed && c.since < x->windows &&
        !x->found.nodd && x->found.alike < s->limit.factor) {
        raise_anew(s, &c, in->now_ns);
        return;
    }
    x->change = c;
    if (c.other_bytes) {
        suspicion_dismiss(s, true);
        return;
    }
    if (x->windows > GIVEN_UP && !x->agreed) {
        if (!raised_alone(s, in->now_ns))
            give_up(s);
        return;
    }
    judge(s, in);
    if (x->stage != SLOW_SUSPECT || raised_alone(s, in->now_ns))
        return;
    if (x->waits && !x->agreed)
        suspicion_went_by(s, in->now_ns);
    else
        ask_models(s, in, c.p, out);
}

static void decide(struct slow *s, const struct hct_snapshot *in,
                   struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    const struct region *before = suspects_shown(s);
    struct region_grown g;
    struct load others;

    if (!before && x->again++ < 2) {
        suspects_keep(s, in);
        return;
    }
    if (!before || !region_keep(&s->now, in, before->rank)) {
        tell(s, in, NULL, out);
        return;
    }
    others = crowd_load(x, before, in);
    x->alone = crowd_is_alone(&others, before, in);
    if (x->of_work)
        region_find_work(before, &s->now, x->began_ns, &others, &g);
    else
        region_find(before, &s->now, x->began_ns, &g);
    if (g.calls < 2)
        return;                 /* the next window asks again */
    if (before->at_ns < x->began_ns)
        region_narrow(&g, suspects_calls(s));
    if (!suspects_do_same_work(s, &g))
        suspicion_dismiss(s, true);
    else if (slow_kept(x, &g) && !x->alone &&
             (!x->found.nodd || crowd_is_there(x, before, in)))
        give_up(s);             /* a machine that has too much to do */
    else
        tell(s, in, &g, out);
}

void suspicion_models(struct slow *s, const struct hct_snapshot *in,
                      struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;

    if (x->stage != SLOW_SUSPECT || !x->models.wants)
        return;
    if (!x->models.n)
        suspects_keep(s, in);
    else if (x->agreed >= 2)
        decide(s, in, out);
    models_want_none(&x->models);
}
