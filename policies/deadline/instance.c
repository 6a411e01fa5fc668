/* instance.c - see instance.h. */
#include "policies/deadline/instance.h"

#include "policies/deadline/evidence.h"
#include "policies/deadline/outcome.h"
#include "policies/deadline/when.h"

enum { TRACKS_MAX = 1 << 20, CATCH_UP = 8 };

/* ----------------------------------------------------------------- the heap */

static struct track *tracks(struct deadline *s)
{
    return deadline_part(s, s->tracks_at);
}

static uint32_t *heap(struct deadline *s)
{
    return deadline_part(s, s->heap_at);
}

static int64_t check_at(struct deadline *s, uint32_t i)
{
    return tracks(s)[heap(s)[i]].check_ns;
}

static void put(struct deadline *s, uint32_t i, uint32_t slot)
{
    heap(s)[i] = slot;
    tracks(s)[slot].heap = i + 1;
}

static void sift(struct deadline *s, uint32_t i)
{
    uint32_t slot = heap(s)[i], down;
    int64_t at = tracks(s)[slot].check_ns;

    for (; i > 0 && check_at(s, (i - 1) / 2) > at; i = (i - 1) / 2)
        put(s, i, heap(s)[(i - 1) / 2]);
    for (; (down = 2 * i + 1) < s->nheap; i = down) {
        if (down + 1 < s->nheap && check_at(s, down + 1) < check_at(s, down))
            down++;
        if (check_at(s, down) >= at)
            break;
        put(s, i, heap(s)[down]);
    }
    put(s, i, slot);
}

static void leave(struct deadline *s, struct track *t)
{
    uint32_t i = t->heap - 1, last;

    if (!t->heap)
        return;
    t->heap = 0;
    last = heap(s)[--s->nheap];
    if (i == s->nheap)
        return;
    put(s, i, last);
    sift(s, i);
}

static void watch(struct deadline *s, struct track *t)
{
    if (!t->open || t->told) {
        leave(s, t);
        return;
    }
    t->check_ns = when_add(t->due_ns, t->bound_ns);
    if (!t->heap)
        put(s, s->nheap++, (uint32_t)(t - tracks(s)));
    sift(s, t->heap - 1);
}

int64_t instance_next(struct deadline *s)
{
    return s->nheap ? when_add(check_at(s, 0), deadline_grace(s)) : WHEN_NEVER;
}

/* ---------------------------------------------------------------- the table */

uint32_t instance_max(uint32_t nranks)
{
    return nranks < TRACKS_MAX / HCT_DEADLINES_MAX
               ? (nranks ? nranks : 1) * HCT_DEADLINES_MAX : TRACKS_MAX;
}

uint32_t instance_slots(uint32_t nranks)
{
    uint32_t n = 1;

    while (n < instance_max(nranks) / 3 * 4)
        n *= 2;
    return n;
}

static struct track *find(struct deadline *s, struct due *d, uint32_t rank)
{
    uint64_t key = (uint64_t)d->is.number << 32 | rank;
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (s->slots - 1);
    struct track *t;

    for (;; i = (i + 1) & (s->slots - 1)) {
        t = &tracks(s)[i];
        if (!t->deadline)
            break;
        if (t->deadline == d->is.number && t->rank == rank)
            return t;
    }
    if (s->ntracks >= s->tracks_max)
        return NULL;
    s->ntracks++;
    d->ranks++;
    *t = (struct track){ .deadline = d->is.number, .rank = rank,
                         .enter_ns = WHEN_NEVER, .seq = UINT64_MAX,
                         .ended = UINT64_MAX,
                         .losses = s->losses };
    return t;
}

/* -------------------------------------------------------------- of a rank */

static struct outcome of(struct deadline *s, const struct track *t,
                         const struct hct_snapshot *in)
{
    return (struct outcome){
        .rank = t->rank, .who = t->rank, .call = t->call,
        .number = t->number, .release_ns = t->release_ns,
        .due_ns = t->due_ns, .enter_ns = t->enter_ns,
        .ordinal = t->calls ? t->calls - 1 : 0, .told = t->told,
        .was_late = t->told,
        .held = evidence_held(s, in, t->rank, t->release_ns) };
}

static void end(struct deadline *s, struct due *d, struct track *t,
                const struct hct_event *e, const struct hct_snapshot *in,
                struct hct_out *out)
{
    struct outcome o = of(s, t, in);

    o.done_ns = e->exit_ns;
    o.enter_ns = e->enter_ns;
    o.bound_ns = d->is.kind == HCT_DUE_CLOCK ? e->bound_ns : 0;
    outcome_tell(s, d, &o, in, out);
}

static void begin(struct track *t, uint64_t number, int64_t release_ns,
                  const struct due *d)
{
    t->number = number;
    t->release_ns = release_ns;
    t->due_ns = when_add(release_ns, d->is.limit_ns);
    t->open = 1;
    t->told = 0;
}

/* A call that began when another one of this rank is open: its own end was
 * lost, unless several threads may be in MPI. */
static bool replaces(const struct track *t, const struct hct_event *e,
                     const struct hct_snapshot *in)
{
    return e->seq > t->seq &&
           (t->told || in->job->level < HCT_LEVEL_SERIALIZED);
}

static void event_of_call(struct deadline *s, struct due *d, struct track *t,
                          const struct hct_event *e, const struct hct_snapshot *in,
                          struct hct_out *out)
{
    struct track once = *t;

    if (t->open && e->seq == t->seq) {
        if (!e->in) {
            end(s, d, t, e, in, out);
            t->open = 0;
        }
        return;
    }
    if (!t->open || replaces(t, e, in)) {
        begin(t, t->next++, e->enter_ns, d);
        t->seq = e->seq;
        if (!e->in) {
            end(s, d, t, e, in, out);
            t->open = 0;
        }
    } else if (!e->in) {
        begin(&once, t->next++, e->enter_ns, d);
        end(s, d, &once, e, in, out);
    }
}

static void event_of_period(struct deadline *s, struct due *d, struct track *t,
                            const struct hct_event *e,
                            const struct hct_snapshot *in, struct hct_out *out)
{
    if (e->in || (t->open && e->exit_ns < t->release_ns))
        return;                 /* of threads that come in another order */
    if (t->open) {
        end(s, d, t, e, in, out);
        t->next++;
    }
    begin(t, t->next, e->exit_ns, d);
}

/* number is of the instance that is due next, next of the one that ends next:
 * calls that are behind end instances that were told as open. */
static void begin_clock(struct track *t, const struct due *d)
{
    begin(t, t->number, when_nth(d->is.from_ns, t->number, d->is.limit_ns), d);
}

static void event_of_clock(struct deadline *s, struct due *d, struct track *t,
                           const struct hct_event *e, const struct hct_snapshot *in,
                           struct hct_out *out)
{
    struct track was;

    if (!t->open) {             /* the first one; or calls before it are not known */
        if (!t->next && d->added == 1 && e->enter_ns < d->seen_ns)
            return;
        if ((t->next || d->added == 1 || (d->added && e->seq)) &&
            e->enter_ns > d->is.from_ns) {
            uint64_t n = ((uint64_t)e->enter_ns - (uint64_t)d->is.from_ns) /
                         d->is.limit_ns;

            t->next = n > t->next ? n : t->next;
        }
        t->number = t->next;
        begin_clock(t, d);
    }
    if (e->in)
        return;
    was = *t;
    was.number = t->next++;
    was.told = was.number < t->number;
    was.release_ns = when_nth(d->is.from_ns, was.number, d->is.limit_ns);
    was.due_ns = when_add(was.release_ns, d->is.limit_ns);
    end(s, d, &was, e, in, out);
    if (t->number < t->next) {
        t->number = t->next;
        begin_clock(t, d);
    }
}

/* After a loss some are told again that had been told with their end. */
static bool is_old(const struct deadline *s, const struct track *t,
                   const struct hct_event *e, const struct hct_snapshot *in)
{
    return s->losses && t->ended != UINT64_MAX &&
           (e->seq == t->ended ||
            (e->seq < t->ended && in->job->level < HCT_LEVEL_SERIALIZED));
}

void instance_event(struct deadline *s, struct due *d, const struct hct_event *e,
                    const struct hct_snapshot *in, struct hct_out *out)
{
    struct track *t = find(s, d, e->rank);

    if (!t) {
        s->unfit++;
        return;
    }
    if (is_old(s, t, e, in))
        return;
    if (t->losses != s->losses && d->is.kind != HCT_DUE_CALL)
        t->open = 0;            /* what was lost may have been its */
    t->losses = s->losses;
    t->call = e->call;
    t->bound_ns = e->bound_ns;
    if (t->enter_ns == WHEN_NEVER || t->enter_ns != e->enter_ns)
        evidence_enter(d, t->calls++, e);
    t->enter_ns = e->enter_ns;
    if (d->is.kind == HCT_DUE_CALL)
        event_of_call(s, d, t, e, in, out);
    else if (d->is.kind == HCT_DUE_PERIOD)
        event_of_period(s, d, t, e, in, out);
    else
        event_of_clock(s, d, t, e, in, out);
    if (!e->in) {
        t->enter_ns = WHEN_NEVER;
        t->ended = e->seq;
    }
    watch(s, t);
}

/* -------------------------------------------------------------- what is due */

static void is_due(struct deadline *s, struct due *d, struct track *t,
                   const struct hct_snapshot *in, struct hct_out *out)
{
    int64_t now_ns = when_now(in->now_ns), until_ns = now_ns;
    struct outcome o;
    uint64_t n;

    for (uint32_t i = 0; i < CATCH_UP; i++) {
        o = of(s, t, in);
        o.open = true;
        o.bound_ns = d->is.kind == HCT_DUE_CLOCK ? t->bound_ns : 0;
        outcome_tell(s, d, &o, in, out);
        if (d->is.kind != HCT_DUE_CLOCK) {
            t->told = 1;
            return;
        }
        t->number++;
        begin_clock(t, d);
        until_ns = when_add(when_add(t->due_ns, t->bound_ns), deadline_grace(s));
        if (until_ns >= now_ns)
            return;
    }
    /* The rest is only counted. */
    n = (uint64_t)when_since(now_ns, until_ns) / d->is.limit_ns;
    if (n == 0)
        return;
    o.number += n;
    outcome_skip(d, &o, n, now_ns);
    t->number += n;
    begin_clock(t, d);
}

/* Its task may have ended it: look again. */
static bool may_have_ended(struct deadline *s, struct track *t,
                           const struct hct_snapshot *in, int64_t now_ns)
{
    if (!deadline_is_silent(in, t->rank) ||
        when_add(t->due_ns, DEADLINE_SILENT_NS) < now_ns)
        return false;
    t->check_ns = now_ns;
    sift(s, t->heap - 1);
    return true;
}

void instance_check(struct deadline *s, const struct hct_snapshot *in,
                    struct hct_out *out)
{
    int64_t now_ns = when_now(in->now_ns);

    while (instance_next(s) < now_ns) {
        struct track *t = &tracks(s)[heap(s)[0]];
        struct due *d = &s->due[t->deadline - 1];

        if (d->is.over || t->losses != s->losses || deadline_has_ended(in, t->rank))
            t->open = 0;
        else if (may_have_ended(s, t, in, now_ns))
            continue;
        else
            is_due(s, d, t, in, out);
        watch(s, t);
    }
}
