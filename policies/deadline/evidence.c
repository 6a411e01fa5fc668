/* evidence.c - see evidence.h. Pure arithmetic with two looks: parts of the
 * time between them, and what they were before. */
#include "policies/deadline/evidence.h"

#include <math.h>

#include "policies/deadline/when.h"

enum { HELD = HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED | HCT_STOPPED,
       LOOKS = 3, USUAL = 4 };
/* Looks that are older by as many times than they are apart tell nothing. */
static const double fresh = 3, old = 10;
static const double slow = 1 / 8.0,     /* of a new one in what is usual */
    much = 0.1,                         /* a part of the time that tells */
    least_s = 0.2,
    sampled_s = 1;                      /* its processor time is, twice as often */

static uint64_t more(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static void shift(float *usual, float now, uint32_t looks)
{
    *usual += (now - *usual) * (looks < LOOKS ? 1.0f / (float)(looks + 1)
                                              : (float)slow);
}

/* in_ns and out_ns are of stays that are over: what lasts is its age. */
static void read(struct seen *k, const struct hct_rank *r, uint64_t now_ns)
{
    uint64_t in_ns = r->in_ns + (r->flags & HCT_IN_MPI ? r->age_ns : 0);
    double ns = (double)more(now_ns, k->at_ns);
    bool page = r->flags & HCT_PAGE;

    if (k->at_ns && ns / 1e9 < least_s)
        return;
    if (k->over_s > 0) {
        shift(&k->usual_cpu, k->cpu, k->looks);
        shift(&k->usual_in, k->in, k->looks);
        k->looks++;
    }
    k->over_s = k->at_ns && k->cpu_ns && page && r->cpu_ns >= k->cpu_ns
                    ? (float)(ns / 1e9) : 0;
    k->cpu = (float)((double)more(r->cpu_ns, k->cpu_ns) / ns);
    k->in = (float)fmin(1, (double)more(in_ns, k->in_ns) / ns);
    k->runs = (r->flags & HCT_RUNS ? 1 : 0) | (k->runs & 3) << 1;
    k->at_ns = now_ns;
    k->cpu_ns = r->cpu_ns;
    k->in_ns = in_ns;
}

/* That comes with models, and is as old as those. */
static void read_delay(struct seen *k, const struct hct_rank *r, uint64_t now_ns,
                       uint64_t look_ns)
{
    double ns = (double)more(now_ns, k->delayed_at_ns);

    if (r->delayed_ns == k->delayed_ns) {
        if (ns > fresh * (double)look_ns)
            k->delayed = -1;
        return;
    }
    k->delayed = k->delayed_ns && r->delayed_ns > k->delayed_ns &&
                         ns < old * (double)look_ns && ns > 0
                     ? (float)fmin(1, (double)(r->delayed_ns - k->delayed_ns) / ns)
                     : -1;
    k->delayed_over_s = (float)(ns / 1e9);
    k->delayed_ns = r->delayed_ns;
    k->delayed_at_ns = now_ns;
}

void evidence_look(struct deadline *s, const struct hct_snapshot *in)
{
    uint32_t ended = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *r = hct_rank(in, i);
        struct seen *k = deadline_seen(s, i);

        ended += r->life >= HCT_LIFE_DONE;
        if (r->life == HCT_LIFE_RUNNING && s->running_ns == WHEN_NEVER)
            s->running_ns = when_now(in->now_ns);
        if (r->flags & HELD) {
            k->held_ns = when_now(in->now_ns);
            k->held = r->flags & HELD;
        }
        if (r->flags & HCT_OBSERVED) {
            read(k, r, in->now_ns);
            read_delay(k, r, in->now_ns, s->knob.look_ns);
        }
    }
    s->over = in->nranks > 0 && ended == in->nranks;
}

uint32_t evidence_held(struct deadline *s, const struct hct_snapshot *in,
                       uint32_t rank, int64_t since_ns)
{
    const struct seen *k = deadline_seen(s, rank);
    uint32_t now = hct_rank(in, rank)->flags & HELD;

    return now ? now : k->held && k->held_ns >= since_ns ? k->held : 0;
}

void evidence_enter(struct due *d, uint64_t ordinal, const struct hct_event *e)
{
    struct round *r = &d->round[ordinal % DEADLINE_ROUNDS];

    if (r->ranks && r->ordinal > ordinal)
        return;                         /* who is that far behind */
    if (!r->ranks || r->ordinal != ordinal)
        *r = (struct round){ .ordinal = ordinal, .first = e->rank,
                             .last = e->rank, .first_ns = e->enter_ns,
                             .last_ns = e->enter_ns };
    r->ranks++;
    if (e->enter_ns > r->last_ns) {
        r->last_ns = e->enter_ns;
        r->last = e->rank;
    }
    if (e->enter_ns < r->first_ns) {
        r->first_ns = e->enter_ns;
        r->first = e->rank;
    }
    if (e->bound_ns > r->bound_ns)
        r->bound_ns = e->bound_ns;
}

static bool has_parts(const struct due *d, const struct outcome *o)
{
    return (d->is.kind == HCT_DUE_PERIOD || d->is.kind == HCT_DUE_CLOCK) &&
           o->enter_ns != WHEN_NEVER;
}

static double before(const struct outcome *o)
{
    return fmax(0, (double)when_since(o->enter_ns, o->release_ns));
}

static double inside(const struct outcome *o, int64_t now_ns)
{
    return fmax(0, (double)when_since(o->open ? now_ns : o->done_ns,
                                      fmax(0, before(o)) > 0 ? o->enter_ns
                                                             : o->release_ns));
}

void evidence_usual(struct due *d, const struct outcome *o)
{
    double by;

    if (!has_parts(d, o))
        return;
    by = d->usual < 8 ? 1.0 / (double)(d->usual + 1) : slow;
    d->usual_out_ns += (before(o) - d->usual_out_ns) * by;
    d->usual_in_ns += (inside(o, 0) - d->usual_in_ns) * by;
    d->usual++;
}

/* What its processor time says. A task that waits in MPI runs, mostly, and what
 * it has no processor for then delays nobody: so its work is what it uses
 * outside, and who wants a processor is one in state R outside of MPI at both
 * looks. */
static void by_look(const struct seen *k, uint64_t now_ns, uint64_t look_ns,
                    struct evidence *e)
{
    if (!(k->over_s > 0) ||
        (double)more(now_ns, k->at_ns) > fresh * (double)look_ns)
        return;
    e->over_s = k->over_s;
    if (fminf(k->delayed, 1 - k->in) >= (float)much) {
        e->what = EVIDENCE_STARVED;
        e->part = fminf(k->delayed, 1 - k->in);
        e->over_s = k->delayed_over_s;
    } else if ((k->runs & 3) == 3 && k->in < (float)much &&
               k->over_s >= (float)sampled_s && k->cpu < 1 - 2 * much) {
        e->what = EVIDENCE_SHARED;
        e->part = k->cpu;
    } else if (k->looks >= LOOKS && k->usual_in - k->in > much &&
               k->cpu >= k->usual_cpu - much / 2) {
        e->what = EVIDENCE_WORK;
        e->part = (double)k->usual_in - (double)k->in;
    }
}

static const struct round *last_in(const struct due *d, const struct outcome *o,
                                   const struct hct_snapshot *in)
{
    const struct round *r = &d->round[o->ordinal % DEADLINE_ROUNDS];
    int64_t apart = when_since(r->last_ns, r->first_ns);

    return hct_call(in, o->call)->class_ == HCT_CLASS_COLLECTIVE &&
                   d->is.kind != HCT_DUE_SPAN && d->is.kind != HCT_DUE_END &&
                   r->ordinal == o->ordinal && r->ranks > 1 &&
                   r->ranks >= d->is.ranks && apart > 0 &&
                   (uint64_t)apart / 2 > r->bound_ns
               ? r : NULL;
}

void evidence_find(struct deadline *s, const struct due *d, const struct outcome *o,
                   const struct hct_snapshot *in, struct evidence *e)
{
    *e = (struct evidence){ .what = EVIDENCE_NONE };
    if (o->who >= s->nranks)
        return;
    if (d->usual >= USUAL && has_parts(d, o)) {
        e->split = true;
        e->usual_out_ns = d->usual_out_ns;
        e->usual_in_ns = d->usual_in_ns;
        e->out_ns = before(o);
        e->in_ns = inside(o, when_now(in->now_ns));
    }
    by_look(deadline_seen(s, o->who), in->now_ns, s->knob.look_ns, e);
    e->round = last_in(d, o, in);
}
