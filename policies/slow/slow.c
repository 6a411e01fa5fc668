/* slow.c - the policy slow: has the job become slower, since when, and who or
 * what is it that computes longer for the same work? It looks always; the
 * models of tasks it asks for only when it suspects something. */
#include "policies/slow/slow.h"

#include <math.h>
#include <string.h>

#include "policies/lib/words.h"

enum { FACTOR, SHARE, WINDOW, LOOK, ITERATIONS, PARAMS };

static const struct hct_param params[] = {
    [FACTOR] = { "factor", "", "so many times as long as before is slow", 1.15,
                 1.01, 1000 },
    [SHARE] = { "share", "%", "of the job's time, that this costs at least", 2,
                0, 100 },
    [WINDOW] = { "window", "s", "how long what is compared lasts at least", 1,
                 0.05, 3600 },
    [LOOK] = { "look", "s", "time between looks", 0.2, 0.01, 60 },
    [ITERATIONS] = { "iterations", "", "... and how many of them it is at least",
                     3, 1, 100000 },
    [PARAMS] = { .name = NULL },
};

enum {
    RAISED = 2,                 /* windows behind a change that make one suspect */
    WITHIN = 10,                /* no more: what is older was seen before */
    ODD_WINDOWS = 3, ALL_WINDOWS = 4,   /* that tell it */
    GIVEN_UP = 14,              /* windows after which nothing was found */
    FASTER = 8,                 /* windows after which faster is usual */
    ELSEWHERE = 60,             /* of other phases: it will not come again */
    JUDGED = 12,                /* the last windows of a long suspicion */
    ALONE = 8,                  /* windows of before, where there is nobody to
                                   compare with: all tasks are slow */
};
/* Slower by less than this is no suspicion. */
static const double least_rise = 1.03;
static const double faster = 0.9;
/* Who computes so many times as long as before is suspected whatever the pace; and
 * how sure that is: of six deviations, by Chebyshev. */
static const double plain = 1.3, likely = 1 - 1 / 36.0;
/* All tasks are slow only where that is so much of the time, and of what an
 * iteration takes longer: else they have to wait for each other for longer. */
static const double worth = 0.05, cause = 0.25;
/* What the steps take longer must be so much of what the task does. */
static const double explained = 0.4;
/* Of who has left MPI just now nobody knows that it waits. */
static const uint64_t idle_ns = 100 * (uint64_t)1000000;
/* ... and for what may go by, as it has before, it waits for no longer. */
static const double most_wait_ns = 600e9;
static const uint64_t models_every_ns = 3 * (uint64_t)1000000000;

struct state {
    uint64_t window_ns, look_ns;
    double iterations;
    struct speed_limit limit;
    struct phasebook phases;
    struct iterations loop;     /* of the task ref */
    uint32_t ref, was_at;       /* phase of the look before */
    bool ended;                 /* a window, in this stay of the phase */
    bool began, settles;        /* settles: the next window is not to be trusted */
    uint64_t at_ns, loop_calls[SPEED_PHASES], lasts_ns[SPEED_PHASES];
    uint64_t ref_calls;
    uint64_t models_ns;         /* not before */
    uint64_t lasted_ns[SPEED_PHASES];   /* the longest that went by */
    struct pace pace[SPEED_PHASES];
    struct speed speed;
    struct slow_suspicion x;
    struct region now;
    /* and behind it two words and a struct speed_task a task */
};

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)param;
    return sizeof(struct state) +
           (size_t)job->nranks *
               (sizeof(struct speed_task) + 2 * sizeof(double));
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct state *s = state;

    (void)why;
    (void)why_bytes;
    s->window_ns = (uint64_t)(param[WINDOW] * 1e9);
    s->look_ns = (uint64_t)(param[LOOK] * 1e9);
    s->iterations = param[ITERATIONS];
    s->settles = true;          /* what all begin with is no iteration */
    s->limit = (struct speed_limit){ .windows = ODD_WINDOWS,
                                     .factor = param[FACTOR],
                                     .share = param[SHARE] / 100 };
    s->speed.ntasks = job->nranks;
    return 0;
}

/* A state has no pointers but while it is asked. */
static void attach(struct state *s)
{
    s->speed.shift = (double *)(void *)(s + 1);
    s->speed.words = s->speed.shift + s->speed.ntasks;
    s->speed.task = (struct speed_task *)(void *)(s->speed.words +
                                                  s->speed.ntasks);
}

static void detach(struct state *s)
{
    s->speed.shift = s->speed.words = NULL;
    s->speed.task = NULL;
}

/* --------------------------------------------------------------- suspicion */

/* It was nothing. other: what is done now is what will be usual. */
static void dismiss(struct state *s, bool other)
{
    struct slow_suspicion *x = &s->x;

    if (other) {
        speed_relearn(&s->speed, x->phase, x->since);
        pace_restart(&s->pace[x->phase], x->change.since);
    }
    x->stage = SLOW_WATCH;
    models_want_none(&x->models);
}

/* Nobody computes longer, nor do all: it is what lies between that takes so
 * long, and who computes how long is known as before. */
static void give_up(struct state *s)
{
    pace_restart(&s->pace[s->x.phase], s->x.change.since);
    dismiss(s, false);
}

/* It is over, without a word of ours that did it. */
static void went_by(struct state *s, uint64_t now_ns)
{
    uint64_t *longest = &s->lasted_ns[s->x.phase];

    if (s->x.seen && now_ns - s->x.began_ns > *longest)
        *longest = now_ns - s->x.began_ns;
    dismiss(s, false);
}

/* The first of the windows that count: older ones are not kept. */
static uint64_t judged_from(const struct state *s)
{
    uint32_t n;
    uint64_t from = speed_since(&s->speed, s->x.phase, JUDGED, &n);

    return from > s->x.since ? from : s->x.since;
}

/* Those of the tasks that may be slow, and of the one that counts iterations: if
 * all are, it is. */
static void want_likely(struct state *s)
{
    struct slow_suspicion *x = &s->x;
    const struct speed_limit limit = { .windows = 1, .factor = 1.02 };
    struct speed_odd odd[MODELS_MAX - 1];
    struct speed_found f;

    models_want_none(&x->models);
    models_want(&x->models, s->ref);
    if (!speed_judge(&s->speed, x->phase, x->since, judged_from(s), &limit, &f,
                     odd, MODELS_MAX - 1))
        return;
    for (uint32_t i = 0; i < f.nodd && i < MODELS_MAX - 1; i++)
        models_want(&x->models, odd[i].rank);
}

/* Those that are to be told, worst first; all are: the one that counts. */
static void want_suspects(struct state *s)
{
    struct slow_suspicion *x = &s->x;

    models_want_none(&x->models);
    if (!x->found.nodd)
        models_want(&x->models, s->ref);
    for (uint32_t i = 0; i < x->found.nodd && i < MODELS_MAX; i++)
        models_want(&x->models, x->odd[i].rank);
}

/* The worst one whose model is known from the beginning; NULL: none. */
static const struct region *suspect_of(struct slow_suspicion *x, uint32_t ref)
{
    const struct region *r = NULL;

    x->shown = 0;
    if (!x->found.nodd)
        return models_of(&x->models, ref);
    for (uint32_t i = 0; i < x->found.nodd && i < MODELS_MAX && !r; i++) {
        r = models_of(&x->models, x->odd[i].rank);
        x->shown = r ? i : 0;
    }
    return r;
}

static double lasted(const struct state *s, uint64_t window)
{
    const struct speed_window *w = &s->speed.ring[window % SPEED_RING];

    return (double)(w->ended_ns - w->began_ns);
}

static void raise(struct state *s, uint32_t phase, uint64_t since,
                  const struct pace_change *c, uint64_t now_ns)
{
    struct slow_suspicion *x = &s->x;

    *x = (struct slow_suspicion){
        .stage = SLOW_SUSPECT, .phase = phase, .since = since, .change = *c,
        .began_ns = s->speed.ring[since % SPEED_RING].began_ns };
    x->known_ns = (double)(s->pace[phase].n - c->since) *
                  fmin(lasted(s, since), lasted(s, since ? since - 1 : 0));
    x->before = pace_now(&s->pace[phase], c->since) - log(c->times);
    speed_settle(&s->speed, since ? since - 1 : 0);
    if (now_ns >= s->models_ns)
        want_likely(s);
}

/* Another change amid a suspicion of which nothing has come. What models there
 * are are those of before, all the more. */
static void raise_anew(struct state *s, const struct pace_change *c,
                       uint64_t now_ns)
{
    struct models models = s->x.models;
    uint32_t found, phase = s->x.phase;
    uint64_t since = speed_since(&s->speed, phase, c->since, &found);

    speed_recall(&s->speed, phase, since ? since - 1 : 0);
    raise(s, phase, since, c, now_ns);
    if (models.n)
        s->x.models = models;
}

/* The pace does not tell, as where communication takes most of the time and varies.
 * Has somebody computed longer for some windows nevertheless? */
static void watch_tasks(struct state *s, uint32_t phase, uint64_t now_ns)
{
    const struct pace_change c = { .p = likely, .since = ALL_WINDOWS,
                                   .times = 1 };
    struct speed_limit limit = s->limit;
    struct speed_found f;
    struct speed_odd odd;
    uint32_t found;
    uint64_t since = speed_since(&s->speed, phase, ALL_WINDOWS, &found);

    limit.windows = ALL_WINDOWS;
    limit.factor = fmax(limit.factor, plain);
    if (found < ALL_WINDOWS)
        return;
    speed_recall(&s->speed, phase, since);
    if (!speed_judge(&s->speed, phase, since, since, &limit, &f, &odd, 1) ||
        f.windows < ALL_WINDOWS ||
        (!f.nodd && (f.alike < limit.factor * fmax(f.was, 1) || f.earlier > 1 ||
                     s->pace[phase].n < ALL_WINDOWS + ALONE)))
        return;
    if (f.moved) {              /* and that is how it is from now on */
        speed_relearn(&s->speed, phase, since);
        return;
    }
    raise(s, phase, since, &c, now_ns);
    s->x.by_speed = 1;
}

static void watch(struct state *s, uint32_t phase, uint64_t now_ns)
{
    struct pace_change c;
    uint32_t found;
    uint64_t since;

    if (!pace_change(&s->pace[phase], RAISED, WITHIN, &c) || c.p < 0.5 ||
        (c.times < least_rise && c.times >= faster)) {
        watch_tasks(s, phase, now_ns);
        return;
    }
    since = speed_since(&s->speed, phase, c.since, &found);
    if (c.times < faster && c.since >= FASTER) {
        speed_relearn(&s->speed, phase, since);
        pace_restart(&s->pace[phase], c.since);
    } else if (c.times >= least_rise && found >= RAISED) {
        speed_recall(&s->speed, phase, since ? since - 1 : 0);
        raise(s, phase, since, &c, now_ns);
    }
}

/* Are those that are slow all tasks of one node, and not all of the job's? Half of
 * these at least, and the others are on the way: then they are, too. */
static uint32_t node_of(struct speed *s, const struct hct_snapshot *in,
                        const struct speed_odd *worst)
{
    uint32_t node = hct_rank(in, worst->rank)->node, slow = 0, others = 0;
    uint32_t tasks = 0, nearly = 0;

    for (uint32_t i = 0; i < s->ntasks && node; i++) {
        bool here = hct_rank(in, i)->node == node;

        if (!here && s->task[i].odd)
            return 0;
        tasks += here;
        slow += here && s->task[i].odd;
        nearly += here && s->shift[i] > s->shift[worst->rank] / 2;
        others += !here;
    }
    if (!node || !others || slow < 2 || 2 * slow < tasks ||
        4 * (nearly > slow ? nearly : slow) < 3 * tasks)
        return 0;
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].odd |= hct_rank(in, i)->node == node &&
                          s->shift[i] > s->shift[worst->rank] / 2;
    return node;
}

/* Is the first one, or that it is nobody, the same as the last time? */
static void note(struct slow_suspicion *x, const struct speed_found *f,
                 const struct speed_odd *odd, bool is_slow)
{
    bool same = x->agreed && !f->nodd == !x->found.nodd;

    if (same && f->nodd) {
        same = false;
        for (uint32_t i = 0; i < f->nodd && i < SLOW_ODD; i++)
            same |= odd[i].rank == x->odd[0].rank;
    }
    x->agreed = !is_slow ? 0 : same ? x->agreed + 1 : 1;
    x->seen |= is_slow;
    x->found = *f;
    memcpy(x->odd, odd, sizeof(x->odd));
}

static bool all_are_slow(const struct slow_suspicion *x,
                         const struct speed_found *f, double factor)
{
    return f->windows >= ALL_WINDOWS && f->alike >= factor * fmax(f->was, 1) &&
           f->share >= fmax(worth, cause * (1 - 1 / x->change.times));
}

static void judge(struct state *s, const struct hct_snapshot *in)
{
    struct slow_suspicion *x = &s->x;
    struct speed_odd odd[SLOW_ODD] = { 0 };
    struct speed_found f;
    bool slow;

    if (!speed_judge(&s->speed, x->phase, x->since, judged_from(s), &s->limit,
                     &f, odd, SLOW_ODD))
        return;
    if (f.moved) {
        dismiss(s, true);
        return;
    }
    if (x->by_speed && !f.nodd && f.alike < s->limit.factor) {
        went_by(s, in->now_ns);
        return;
    }
    slow = f.nodd ? f.windows >= ODD_WINDOWS && 5 * f.windows >= 3 * f.of
                  : all_are_slow(x, &f, s->limit.factor) &&
                    x->known_ns >= ALONE * (double)s->window_ns;
    note(x, &f, odd, slow);
    x->node = f.nodd ? node_of(&s->speed, in, &odd[0]) : 0;
}

/* Is it still there, by the time of an iteration? */
static bool lasts(const struct state *s, struct pace_change *c)
{
    const struct slow_suspicion *x = &s->x;

    if (x->by_speed || x->waits) {
        *c = x->change;
        c->since++;
        return true;
    }
    return pace_change(&s->pace[x->phase], RAISED, PACE_KEPT, c) &&
           c->p >= 0.3 && c->times >= least_rise;
}

static void suspect(struct state *s, const struct hct_snapshot *in)
{
    struct slow_suspicion *x = &s->x;
    struct pace_change c;

    x->windows++;
    if (!lasts(s, &c)) {
        went_by(s, in->now_ns);
        return;
    }
    if (!x->agreed && !x->by_speed && c.since < x->windows &&
        !x->found.nodd && x->found.alike < s->limit.factor) {
        raise_anew(s, &c, in->now_ns);
        return;
    }
    x->change = c;
    if (c.other_bytes) {
        dismiss(s, true);
        return;
    }
    if (x->windows > GIVEN_UP && !x->agreed) {
        give_up(s);
        return;
    }
    judge(s, in);
    if (x->stage != SLOW_SUSPECT)
        return;
    if (x->waits && !x->agreed) {
        went_by(s, in->now_ns);
        return;
    }
    if (!x->models.n && in->now_ns >= s->models_ns)
        want_likely(s);
    if (!x->models.n || x->windows <= x->kept_at || x->agreed < 2 || c.p < 0.9)
        return;
    x->waits = (double)(in->now_ns - x->began_ns) <
               fmin(2 * (double)s->lasted_ns[x->phase], most_wait_ns);
    if (!x->waits)
        want_suspects(s);
}

/* ------------------------------------------------------------------- models */

static void keep(struct state *s, const struct hct_snapshot *in)
{
    models_keep(&s->x.models, in);
    s->x.kept_at = s->x.windows;
    s->models_ns = in->now_ns + models_every_ns;
}

/* Do the steps that it has taken before explain what it takes longer? */
static bool same_work(const struct state *s, const struct region_grown *g,
                      uint32_t rank)
{
    const struct slow_suspicion *x = &s->x;
    double extra = x->odd[x->shown].extra_ns;

    if (!x->found.nodd)
        extra = speed_before(&s->speed, x->phase, rank, x->since) *
                (x->found.alike - 1);
    return isnan(extra) || g->all_ns >= explained * extra * g->calls;
}

static void tell(struct state *s, const struct hct_snapshot *in,
                 const struct region_grown *g, struct hct_out *out)
{
    slow_say(&s->x, g, &s->speed, in, out);
    s->x.stage = SLOW_TOLD;
    s->x.windows = s->x.agreed = 0;
}

static void decide(struct state *s, const struct hct_snapshot *in,
                   struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    const struct region *before = suspect_of(x, s->ref);
    struct region_grown g;

    if (!before && x->again++ < 2) {
        keep(s, in);
        return;
    }
    if (!before || !region_keep(&s->now, in, before->rank)) {
        tell(s, in, NULL, out);
        return;
    }
    region_find(before, &s->now, x->began_ns, &g);
    if (g.calls < 2)
        return;                 /* the next window asks again */
    /* All are slow on a machine that has too much to do. */
    if (!same_work(s, &g, before->rank) || (!x->found.nodd && slow_kept(x, &g)))
        dismiss(s, true);
    else
        tell(s, in, &g, out);
}

static void take_models(struct state *s, const struct hct_snapshot *in,
                        struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;

    if (x->stage != SLOW_SUSPECT || !x->models.wants)
        return;
    if (!x->models.n)
        keep(s, in);
    else if (x->agreed >= 2)
        decide(s, in, out);
    models_want_none(&x->models);
}

static bool is_told(const struct slow_suspicion *x, uint32_t rank)
{
    for (uint32_t i = 0; i < x->found.nodd && i < SLOW_ODD; i++)
        if (x->odd[i].rank == rank)
            return true;
    return false;
}

/* Are others slow, too, by now? They are told without their step. */
static void look_for_more(struct state *s, const struct hct_snapshot *in,
                          uint64_t from, struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    struct speed_odd odd[SLOW_ODD] = { 0 };
    struct speed_found f;
    bool more = false;

    if (!x->found.nodd || x->found.nodd >= SLOW_ODD ||
        !speed_judge(&s->speed, x->phase, x->since, from, &s->limit, &f, odd,
                     SLOW_ODD) || f.moved)
        return;
    for (uint32_t i = 0; i < f.nodd && i < SLOW_ODD; i++)
        more |= !is_told(x, odd[i].rank);
    x->agreed = more ? x->agreed + 1 : 0;
    if (x->agreed < ODD_WINDOWS)
        return;
    x->agreed = 0;
    x->found = f;
    memcpy(x->odd, odd, sizeof(x->odd));
    x->node = node_of(&s->speed, in, &odd[0]);
    slow_say(x, NULL, &s->speed, in, out);
}

/* Is it over? */
static void follow(struct state *s, const struct hct_snapshot *in,
                   struct hct_out *out)
{
    struct slow_suspicion *x = &s->x;
    uint32_t n;
    uint64_t from = speed_since(&s->speed, x->phase, ODD_WINDOWS, &n);
    bool over;

    if (++x->windows < ODD_WINDOWS)
        return;
    if (x->found.nodd) {
        over = true;
        for (uint32_t i = 0; i < x->found.nodd && i < SLOW_ODD; i++)
            over &= speed_of(&s->speed, x->phase, x->odd[i].rank, x->since,
                             from) < log(x->odd[i].times) / 2;
    } else {
        over = pace_now(&s->pace[x->phase], ODD_WINDOWS) <
               x->before + log(x->change.times) / 2;
    }
    if (!over) {
        look_for_more(s, in, from, out);
        return;
    }
    slow_say_over(x, out);
    pace_restart(&s->pace[x->phase], ODD_WINDOWS);
    went_by(s, in->now_ns);
}

/* The phase that was suspected may never come again. */
static void look_elsewhere(struct state *s)
{
    if (s->x.elsewhere > ELSEWHERE)
        dismiss(s, false);
}

/* ------------------------------------------------------------------ windows */

static void end_window(struct state *s, const struct hct_snapshot *in,
                       uint32_t phase, struct hct_out *out)
{
    struct speed_window w = s->speed.open[phase];
    uint32_t stage = s->x.stage;

    /* Where a window begins and ends in an iteration nobody knows. */
    s->limit.unsure = iterations_each(&s->loop) /
                      (2 * (double)s->loop_calls[phase]);
    s->loop_calls[phase] = s->lasts_ns[phase] = 0;
    if (s->settles) {           /* a task may have been elsewhere in it */
        s->settles = false;
        speed_drop(&s->speed, phase);
        return;
    }
    s->ended = true;
    s->x.elsewhere = phase == s->x.phase ? 0 : s->x.elsewhere + 1;
    speed_close(&s->speed, phase, in->now_ns,
                stage == SLOW_WATCH ? SPEED_PHASES : s->x.phase);
    pace_add(&s->pace[phase], (w.in_ns + w.out_ns) / w.calls,
             iterations_bytes(&s->loop));
    if (stage == SLOW_WATCH)
        watch(s, phase, in->now_ns);
    else if (phase != s->x.phase)
        look_elsewhere(s);
    else if (stage == SLOW_SUSPECT)
        suspect(s, in);
    else
        follow(s, in, out);
}

/* Nothing can be said of what went on: begin anew. */
static void interrupt(struct state *s)
{
    if (s->x.stage == SLOW_SUSPECT)
        dismiss(s, false);
    s->settles = true;
    s->began = false;
}

static void forget_open(struct state *s)
{
    for (uint32_t p = 0; p < SPEED_PHASES; p++)
        if (s->lasts_ns[p]) {
            speed_drop(&s->speed, p);
            s->lasts_ns[p] = s->loop_calls[p] = 0;
        }
}

/* What was done since the look before belongs to its phase, if the job is still
 * in it. Only where phases change each look needs to read all tasks. */
static void account(struct state *s, const struct hct_snapshot *in,
                    struct hct_out *out)
{
    const struct hct_rank *k = hct_rank(in, s->ref);
    bool stays = phasebook_turn(&s->phases, hct_rank(in, 0)) == PHASEBOOK_STAYS;
    uint32_t phase = stays ? s->phases.at : SPEED_MIXED;
    uint64_t calls = iterations_calls(k);
    bool ends;

    /* Of a phase that lasts for some windows, what is left of it makes none. A
     * piece of a short one is as good as any. What was seen while they changed
     * is not, unless it is always so. */
    if (!stays && s->was_at != SPEED_MIXED && s->ended) {
        speed_drop(&s->speed, s->was_at);
        s->lasts_ns[s->was_at] = s->loop_calls[s->was_at] = 0;
    }
    s->ended = stays && s->ended;
    if (stays && s->was_at == SPEED_MIXED && s->lasts_ns[SPEED_MIXED]) {
        speed_drop(&s->speed, SPEED_MIXED);
        s->lasts_ns[SPEED_MIXED] = s->loop_calls[SPEED_MIXED] = 0;
    }
    s->was_at = phase;
    s->lasts_ns[phase] += in->now_ns - s->at_ns;
    if (calls > s->ref_calls)
        s->loop_calls[phase] += calls - s->ref_calls;
    s->at_ns = in->now_ns;
    s->ref_calls = calls;
    ends = s->lasts_ns[phase] >= s->window_ns &&
           (double)s->loop_calls[phase] >=
               s->iterations * iterations_each(&s->loop);
    if (ends || !stays || s->phases.turns > 1)
        speed_read(&s->speed, in, phase);
    if (ends)
        end_window(s, in, phase, out);
}

static void begin(struct state *s, const struct hct_snapshot *in)
{
    forget_open(s);
    speed_read(&s->speed, in, SPEED_PHASES);
    phasebook_turn(&s->phases, hct_rank(in, 0));
    s->was_at = s->phases.at;
    s->at_ns = in->now_ns;
    s->ref_calls = iterations_calls(hct_rank(in, s->ref));
    s->began = true;
}

/* Does it stand outside of MPI, and what it waits for is nobody of the job? */
static bool is_idle(const struct hct_rank *k)
{
    return !(k->flags & HCT_IN_MPI) && k->age_ns > idle_ns &&
           (k->waits == HCT_WAITS_SOCKET || k->waits == HCT_WAITS_PIPE ||
            k->waits == HCT_WAITS_CHILD || k->waits == HCT_WAITS_LOCK ||
            k->waits == HCT_WAITS_SIGNAL);
}

/* Are all tasks at work, and seen? */
static bool is_whole(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->life != HCT_LIFE_RUNNING || !(k->flags & HCT_OBSERVED) ||
            (k->flags & (HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                         HCT_STDIN | HCT_STOPPED)) || is_idle(k))
            return false;
    }
    return true;
}

static bool find_ref(struct state *s, const struct hct_snapshot *in)
{
    while (s->ref < in->nranks && !(hct_rank(in, s->ref)->flags & HCT_PAGE))
        s->ref++;
    if (s->ref < in->nranks)
        return true;
    s->ref = 0;
    return false;
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct state *s = state;

    if (in->nranks != s->speed.ntasks)
        return -1;
    attach(s);
    out->wake_ns = in->now_ns + s->look_ns;
    if (!is_whole(in) || !find_ref(s, in)) {
        interrupt(s);
    } else {
        iterations_look(&s->loop, hct_rank(in, s->ref));
        if (s->began)
            account(s, in, out);
        else
            begin(s, in);
        if (in->parts & HCT_NEED_MODEL)
            take_models(s, in, out);
        models_ask(&s->x.models, out);
    }
    detach(s);
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR,
    .minor = HCT_POLICY_MINOR,
    .name = "slow",
    .help = "finds tasks and nodes that become slower while the job runs",
    .params = params,
    .state_bytes = state_bytes,
    .init = init,
    .step = step,
    .may_need = HCT_NEED_MODEL,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
