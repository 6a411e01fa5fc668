/* suspects.c - see suspects.h. */
#include "policies/slow/suspects.h"

#include <math.h>
#include <stddef.h>

#include "policies/slow/crowd.h"
#include "policies/slow/rise.h"

enum { JUDGED = 12 };           /* the last windows of a long suspicion */
/* What the steps take longer must be so much of what the task does. */
static const double explained = 0.4;
static const uint64_t models_every_ns = 3 * (uint64_t)1000000000;

/* Older ones are not kept. */
uint64_t suspects_from(const struct slow *s)
{
    uint32_t n;
    uint64_t from = speed_since(&s->speed, s->x.phase, JUDGED, &n);

    if (from < s->x.from)
        from = s->x.from;
    return from > s->x.since ? from : s->x.since;
}

/* Are all plainly slower than in the windows before these? */
static bool all_just_now(struct slow *s, uint32_t phase)
{
    return rise_trend(&s->speed, phase, s->speed.windows) >= log(slow_plain);
}

enum suspects suspects_alone(struct slow *s, uint32_t phase)
{
    struct odd_limit limit = s->limit;
    struct odd_found f;
    struct odd_task odd;
    uint32_t found;
    uint64_t since = speed_since(&s->speed, phase, SLOW_ALL_WINDOWS, &found);

    limit.windows = SLOW_ALL_WINDOWS;
    limit.factor = fmax(limit.factor, slow_plain);
    if (found < SLOW_ALL_WINDOWS ||
        !odd_judge(&s->speed, phase, since, since, &limit, &f, &odd, 1) ||
        (!f.nodd && (f.alike < limit.factor || !all_just_now(s, phase) ||
                     s->pace[phase].n < SLOW_ALL_WINDOWS + SLOW_ALONE)))
        return SUSPECTS_NONE;
    rise_agree(&s->speed, phase, &f, f.nodd ? &odd : NULL);
    if (f.windows < SLOW_ALL_WINDOWS || (!f.nodd && f.earlier > 1))
        return SUSPECTS_NONE;
    return f.moved ? SUSPECTS_MOVED : f.nodd ? SUSPECTS_SOME : SUSPECTS_ALL;
}

void suspects_want_likely(struct slow *s)
{
    struct slow_suspicion *x = &s->x;
    const struct odd_limit limit = { .windows = 1, .factor = 1.02 };
    struct odd_task odd[MODELS_MAX - 1];
    struct odd_found f;

    models_want_none(&x->models);
    models_want(&x->models, s->windows.ref);
    if (!odd_judge(&s->speed, x->phase, x->since, suspects_from(s), &limit,
                     &f, odd, MODELS_MAX - 1))
        return;
    if (f.nodd) {
        models_want(&x->models, odd[0].rank);
        x->witness = crowd_witness(&s->speed, odd[0].rank);
        models_want(&x->models, x->witness);
    }
    for (uint32_t i = 1; i < f.nodd && i < MODELS_MAX - 1; i++)
        models_want(&x->models, odd[i].rank);
}

void suspects_want_told(struct slow *s)
{
    struct slow_suspicion *x = &s->x;

    models_want_none(&x->models);
    if (!x->found.nodd)
        models_want(&x->models, s->windows.ref);
    else if (x->models.n && x->witness < s->speed.ntasks)
        models_want(&x->models, x->witness);
    for (uint32_t i = 0; i < x->found.nodd && i < MODELS_MAX; i++)
        models_want(&x->models, x->odd[i].rank);
}

void suspects_keep(struct slow *s, const struct hct_snapshot *in)
{
    models_keep(&s->x.models, in);
    s->x.kept_at = s->x.windows;
    s->models_ns = in->now_ns + models_every_ns;
}

const struct region *suspects_shown(struct slow *s)
{
    struct slow_suspicion *x = &s->x;
    const struct region *r = NULL;

    x->shown = 0;
    if (!x->found.nodd) {
        x->extra_ns = (x->found.alike - 1) *
                      speed_before(&s->speed, x->phase, s->windows.ref,
                                   x->since);
        return models_of(&x->models, s->windows.ref);
    }
    for (uint32_t i = 0; i < x->found.nodd && i < MODELS_MAX && !r; i++) {
        r = models_of(&x->models, x->odd[i].rank);
        x->shown = r ? i : 0;
    }
    x->extra_ns = x->odd[x->shown].extra_ns;
    return r;
}

double suspects_calls(const struct slow *s)
{
    double calls = s->speed.open[s->x.phase].calls;

    for (uint64_t w = s->x.since; w < s->speed.windows; w++)
        if (w >= speed_first(&s->speed) &&
            s->speed.ring[w % SPEED_RING].phase == s->x.phase)
            calls += s->speed.ring[w % SPEED_RING].calls;
    return calls / s->speed.ntasks;
}

bool suspects_do_same_work(const struct slow *s, const struct region_grown *g)
{
    return isnan(s->x.extra_ns) ||
           g->all_ns >= explained * s->x.extra_ns * g->calls;
}

static bool is_alike(const void *arg, uint32_t i)
{
    const struct slow *s = arg;

    return s->x.found.nodd && !s->speed.task[i].odd;
}

void suspects_explain(struct slow *s)
{
    struct slow_suspicion *x = &s->x;
    uint32_t rank = x->found.nodd ? x->odd[x->shown].rank : s->windows.ref;

    effort_explain(&s->effort, rank, is_alike, s, &x->effort);
}
