/* span.c - see span.h.
 *
 *   OPEN --as many as ever, or due with some--> ENDED
 *     +---due with too few--> LATE --as many as ever--> ENDED
 *   AHEAD --somebody has entered it before that--> OPEN
 *
 * Exits may be heard of before the entries: these come from other nodes.
 */
#include "policies/deadline/span.h"

#include <string.h>

#include "policies/deadline/evidence.h"
#include "policies/deadline/outcome.h"
#include "policies/deadline/when.h"

enum { BITS_MAX = 1 << 16, STEADY = 8, STEADY_MAX = 2 * STEADY };
enum { AHEAD_MAX = DEADLINE_SPANS / 4 };
enum { SPAN_OPEN, SPAN_LATE, SPAN_ENDED, SPAN_AHEAD };

uint32_t span_bits(uint32_t nranks)
{
    uint32_t n = 64;

    while (n < nranks && n < BITS_MAX)
        n *= 2;
    return n;
}

size_t span_bytes(uint32_t nranks)
{
    return (size_t)DEADLINE_SPANS * 2 * span_bits(nranks) / 8;
}

/* which: 0: ranks that have entered it; 1: that have left it. */
static uint64_t *bits_of(struct deadline *s, uint32_t i, uint32_t which)
{
    return (uint64_t *)deadline_part(s, s->bits_at) +
           (size_t)(2 * i + which) * (s->bits / 64);
}

static bool set_bit(struct deadline *s, uint32_t i, uint32_t which,
                    uint32_t rank)
{
    uint32_t bit = rank % s->bits;
    uint64_t *word = bits_of(s, i, which) + bit / 64;
    uint64_t b = (uint64_t)1 << bit % 64;
    bool was = *word & b;

    *word |= b;
    return was;
}

static uint64_t key_of(const struct due *d, int32_t marker)
{
    return (uint64_t)d->is.number << 32 | (uint32_t)marker;
}

/* DEADLINE_SPANS: there is none. */
static uint32_t find(const struct deadline *s, uint64_t key)
{
    uint32_t i = 0;

    while (i < DEADLINE_SPANS && s->spans[i] != key)
        i++;
    return i;
}

static void tell(struct deadline *s, struct due *d, struct span *p,
                 const struct hct_snapshot *in, struct hct_out *out, bool open)
{
    uint32_t rank = p->exits ? p->last : p->first;
    struct outcome o = {
        .rank = HCT_NO_RANK, .who = open ? HCT_NO_RANK : rank,
        .call = p->call, .number = p->number,
        .release_ns = p->release_ns, .due_ns = p->due_ns, .done_ns = p->done_ns,
        .enter_ns = WHEN_NEVER, .open = open, .told = p->stage != SPAN_OPEN,
        .was_late = p->late, .had_margin = p->stage == SPAN_ENDED && p->counts,
        .was_margin = p->margin,
        /* Of one node both may be, but that is not known. */
        .bound_ns = p->first == p->last && p->exits == 1
                        ? 0 : p->began_bound_ns + p->done_bound_ns,
        .held = evidence_held(s, in, rank, p->release_ns) };

    p->late = outcome_tell(s, d, &o, in, out);
    p->counts |= !open && !(o.held && p->late);
    p->margin = hct_margin(p->due_ns, p->done_ns, d->is.limit_ns);
    p->stage = open ? SPAN_LATE : SPAN_ENDED;
}

/* As it stands: with what has come. Nothing: it is forgotten. */
static void close_as_is(struct deadline *s, uint32_t i,
                        const struct hct_snapshot *in, struct hct_out *out)
{
    struct span *p = &s->span[i];
    struct due *d = &s->due[p->deadline - 1];

    s->spans[i] = 0;
    if (p->stage != SPAN_OPEN || d->is.over)
        return;
    if (p->exits) {
        tell(s, d, p, in, out, false);
        d->expected = p->exits > d->expected ? p->exits : d->expected;
    } else {
        s->unfit += !s->over;
    }
}

static bool is_ahead(const struct deadline *s, uint32_t i)
{
    return s->spans[i] && s->span[i].stage == SPAN_AHEAD;
}

/* ahead: it is for exits only, of which most may be strays. */
static uint32_t make_room(struct deadline *s, bool ahead,
                          const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t i = find(s, 0), oldest = DEADLINE_SPANS, n = 0;

    for (uint32_t k = 0; k < DEADLINE_SPANS && ahead; k++)
        n += is_ahead(s, k);
    if (n < AHEAD_MAX && i < DEADLINE_SPANS)
        return i;
    for (i = 0; i < DEADLINE_SPANS; i++)
        if ((n < AHEAD_MAX || is_ahead(s, i)) &&
            (oldest == DEADLINE_SPANS ||
             s->span[i].release_ns < s->span[oldest].release_ns))
            oldest = i;
    close_as_is(s, oldest, in, out);
    return oldest;
}

static void set_due(struct span *p, const struct due *d, int64_t release_ns)
{
    p->release_ns = release_ns;
    p->due_ns = when_add(release_ns, d->is.limit_ns);
    p->check_ns = when_add(p->due_ns, p->began_bound_ns);
}

/* Is this entry one of another instance than that which is known? */
static bool is_another(struct deadline *s, uint32_t i,
                       const struct hct_event *e)
{
    const struct span *p = &s->span[i];
    bool was = set_bit(s, i, 0, e->rank);

    if (p->stage == SPAN_AHEAD)
        return e->enter_ns > when_add(p->done_ns,
                                      e->bound_ns + p->done_bound_ns);
    if (p->stage == SPAN_ENDED)
        return e->enter_ns > p->done_ns &&
               (p->whole || e->enter_ns > p->due_ns);
    return was && e->enter_ns > p->due_ns;
}

static uint32_t begin(struct deadline *s, struct due *d,
                      const struct hct_event *e, bool ahead,
                      const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t i = make_room(s, ahead, in, out);

    memset(bits_of(s, i, 0), 0, s->bits / 4);
    s->spans[i] = key_of(d, e->marker);
    s->span[i] = (struct span){ .deadline = d->is.number, .marker = e->marker };
    return i;
}

static void is_whole(struct deadline *s, struct due *d, struct span *p,
                     const struct hct_snapshot *in, struct hct_out *out)
{
    d->steady = p->stage == SPAN_LATE ? 2 * d->steady : d->steady + 1;
    if (d->steady > STEADY_MAX)
        d->steady = STEADY_MAX;
    if (p->exits > d->expected)
        d->expected = p->exits;
    p->whole = true;
    tell(s, d, p, in, out, false);
}

/* Somebody has left a later instance: who left the ones before is likely to have
 * done so, and how many they are is known for the first time. */
static void learn(struct deadline *s, struct due *d, const struct span *later,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    for (uint32_t i = 0; i < DEADLINE_SPANS; i++) {
        const struct span *p = &s->span[i];

        if (s->spans[i] && p->deadline == d->is.number &&
            p->exits > d->expected && p->stage != SPAN_AHEAD &&
            p->number < later->number)
            d->expected = p->exits;
    }
    for (uint32_t i = 0; i < DEADLINE_SPANS && d->expected; i++) {
        struct span *p = &s->span[i];

        if (s->spans[i] && p->deadline == d->is.number && p->stage == SPAN_OPEN &&
            p->exits >= d->expected)
            is_whole(s, d, p, in, out);
    }
}

/* Some have left it already. */
static void catch_up(struct deadline *s, struct due *d, struct span *p,
                     const struct hct_snapshot *in, struct hct_out *out)
{
    d->strays -= p->strays;
    if (!d->expected)
        learn(s, d, p, in, out);
    if (p->stage == SPAN_OPEN && d->expected && p->exits >= d->expected)
        is_whole(s, d, p, in, out);
}

/* By clocks that are not the same it may be left before it was entered. */
static int64_t left_at(const struct span *p, int64_t exit_ns)
{
    return exit_ns > p->release_ns ? exit_ns : p->release_ns;
}

void span_entry(struct deadline *s, struct due *d, const struct hct_event *e,
                const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t i = find(s, key_of(d, e->marker));
    struct span *p;

    if (i < DEADLINE_SPANS && is_another(s, i, e)) {
        close_as_is(s, i, in, out);
        i = DEADLINE_SPANS;
    }
    if (i < DEADLINE_SPANS && s->span[i].stage != SPAN_AHEAD) {
        p = &s->span[i];
        if (e->enter_ns < p->release_ns && p->stage == SPAN_OPEN) {
            p->began_bound_ns = e->bound_ns;
            p->first = e->rank;
            set_due(p, d, e->enter_ns);
        }
        return;
    }
    if (i == DEADLINE_SPANS)
        i = begin(s, d, e, false, in, out);
    p = &s->span[i];
    p->stage = SPAN_OPEN;
    p->number = d->spans++;
    p->first = e->rank;
    p->call = p->exits ? p->call : e->call;
    p->began_bound_ns = e->bound_ns;
    set_due(p, d, e->enter_ns);
    set_bit(s, i, 0, e->rank);
    if (p->exits) {
        p->done_ns = left_at(p, p->done_ns);
        catch_up(s, d, p, in, out);
    }
}

/* Returns whether it is the last one so far. */
static bool note_exit(struct deadline *s, uint32_t i, const struct hct_event *e)
{
    struct span *p = &s->span[i];
    bool later = !p->exits || e->exit_ns > p->done_ns;

    if (later) {
        p->done_ns = left_at(p, e->exit_ns);
        p->done_bound_ns = e->bound_ns;
        p->last = e->rank;
        p->call = e->call;
    }
    p->exits += !set_bit(s, i, 1, e->rank);
    return later;
}

/* Nobody has entered it, as far as is known. */
static void exit_ahead(struct deadline *s, struct due *d, uint32_t i,
                       const struct hct_event *e, const struct hct_snapshot *in,
                       struct hct_out *out)
{
    d->strays++;
    if (i == DEADLINE_SPANS) {
        i = begin(s, d, e, true, in, out);
        s->span[i].stage = SPAN_AHEAD;
        s->span[i].release_ns = e->exit_ns;     /* by which it is old */
    }
    s->span[i].strays++;
    note_exit(s, i, e);
}

void span_exit(struct deadline *s, struct due *d, const struct hct_event *e,
               const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t i = find(s, key_of(d, e->marker));
    struct span *p = &s->span[i % DEADLINE_SPANS];
    bool later;

    d->ends++;
    if (i == DEADLINE_SPANS || p->stage == SPAN_AHEAD) {
        exit_ahead(s, d, i, e, in, out);
        return;
    }
    if (when_add(e->exit_ns, e->bound_ns + p->began_bound_ns) < p->release_ns) {
        d->strays++;
        return;
    }
    later = note_exit(s, i, e);
    if (!d->expected)
        learn(s, d, p, in, out);
    if (p->stage == SPAN_ENDED) {
        if (p->exits > d->expected) {
            d->expected = p->exits;
            d->steady = 0;
        }
        if (later)
            tell(s, d, p, in, out, false);
    } else if (p->exits >= d->expected && (d->expected || p->stage == SPAN_LATE)) {
        is_whole(s, d, p, in, out);
    }
}

static void is_due(struct deadline *s, struct due *d, struct span *p,
                   const struct hct_snapshot *in, struct hct_out *out)
{
    bool misses = d->steady >= STEADY && p->exits < d->expected;

    if (misses)                 /* for once; it may be others from now on */
        d->steady /= 2;
    else if (p->exits < d->expected)
        d->steady = 0;
    if (p->exits > d->expected)
        d->expected = p->exits;
    tell(s, d, p, in, out, p->exits == 0 || misses);
}

static bool any_is_silent(const struct hct_snapshot *in)
{
    uint32_t i = 0;

    while (i < in->nranks && !deadline_is_silent(in, i))
        i++;
    return i < in->nranks;
}

void span_check(struct deadline *s, const struct hct_snapshot *in,
                struct hct_out *out)
{
    int64_t now_ns = when_now(in->now_ns);
    int silent = -1;            /* is any task? Looked for once, if at all */

    for (uint32_t i = 0; i < DEADLINE_SPANS; i++) {
        struct span *p = &s->span[i];

        if (!s->spans[i] || p->stage != SPAN_OPEN)
            continue;
        if (s->due[p->deadline - 1].is.over)
            s->spans[i] = 0;
        if (!s->spans[i] || when_add(p->check_ns, deadline_grace(s)) >= now_ns)
            continue;
        if (p->release_ns <= s->lost_ns) {
            s->spans[i] = 0;                    /* its end may be lost */
            continue;
        }
        if (silent < 0)
            silent = any_is_silent(in);
        if (silent && when_add(p->due_ns, DEADLINE_SILENT_NS) >= now_ns)
            p->check_ns = now_ns;       /* it may have ended it: look again */
        else
            is_due(s, &s->due[p->deadline - 1], p, in, out);
    }
}

void span_over(struct deadline *s, const struct hct_snapshot *in,
               struct hct_out *out)
{
    for (uint32_t i = 0; i < DEADLINE_SPANS; i++)
        if (s->spans[i])
            close_as_is(s, i, in, out);
}

int64_t span_next(const struct deadline *s)
{
    int64_t next = WHEN_NEVER;

    for (uint32_t i = 0; i < DEADLINE_SPANS; i++)
        if (s->spans[i] && s->span[i].stage == SPAN_OPEN &&
            s->span[i].check_ns < next)
            next = s->span[i].check_ns;
    return next == WHEN_NEVER ? next : when_add(next, deadline_grace(s));
}
