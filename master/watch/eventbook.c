/* eventbook.c - see eventbook.h. What has no end yet waits in chains, one for
 * each rank: a task is in one tagged call at a time, or a few, of its
 * threads. */
#include "master/watch/eventbook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"

struct eventbook_open {
    struct hct_event event;
    uint32_t next;              /* of this rank, or unused, from 1; 0: none */
};

_Static_assert((int)CALENDAR_MAX == (int)HCT_DEADLINES_MAX,
               "a set of them is 64 bits");

int eventbook_init(struct eventbook *b, const Hct__Submit *s, struct err *err)
{
    *b = (struct eventbook){ 0 };
    return calendar_restore(&b->calendar, s->deadlines, s->n_deadlines,
                            s->deadlines_over, s->n_deadlines_over, err);
}

void eventbook_fini(struct eventbook *b)
{
    calendar_fini(&b->calendar);
    free(b->v);
    free(b->open);
    free(b->first);
    *b = (struct eventbook){ 0 };
}

bool eventbook_empty(const struct eventbook *b)
{
    return b->calendar.n == 0;
}

void eventbook_reschedule(struct eventbook *b, struct calendar *c)
{
    struct calendar was = b->calendar;

    b->calendar = *c;
    *c = was;
    b->changed = true;
}

int eventbook_begin(struct eventbook *b, uint32_t nranks)
{
    uint32_t *first = calloc(nranks ? nranks : 1, sizeof(*first));

    if (!first)
        return -1;
    free(b->first);
    b->first = first;
    b->nranks = nranks;
    b->nopen = b->unused = 0;
    b->n = 0;
    return 0;
}

static void shift(struct hct_event *e, int64_t by_ns)
{
    e->enter_ns += by_ns;
    if (!e->in)
        e->exit_ns += by_ns;
}

void eventbook_go_on(struct eventbook *b, struct looks *l,
                     const struct hct_snapshot *last, int64_t shift_ns)
{
    if (eventbook_empty(b))
        return;
    b->lost = 1;
    for (size_t i = 0; i < b->n; i++)
        shift(&b->v[i], shift_ns);
    for (size_t i = 0; i < b->nopen; i++)
        shift(&b->open[i].event, shift_ns);
    if (!last)
        return;
    b->lost += last->events_lost;
    l->ndeadlines = last->ndeadlines;
    if (last->ndeadlines)
        memcpy(l->deadlines, last->deadlines,
               last->ndeadlines * sizeof(*l->deadlines));
}

/* Of a clock that was not compared yet. */
static const uint64_t unknown_ns = CLOCK_NS_PER_S;

struct eventbook_clock eventbook_clock(const struct clock_offset *o,
                                       int64_t shift_ns)
{
    if (!o || !o->samples)
        return (struct eventbook_clock){ shift_ns, unknown_ns };
    return (struct eventbook_clock){ shift_ns - o->offset_ns, o->error_ns };
}

static void tell(struct eventbook *b, const struct hct_event *e)
{
    if (b->n >= EVENTBOOK_MAX || array_reserve(&b->v, &b->cap, b->n + 1))
        b->lost++;
    else
        b->v[b->n++] = *e;
}

/* Its end will come. */
static void keep_open(struct eventbook *b, const struct hct_event *e)
{
    uint32_t at = b->unused;

    if (at) {
        b->unused = b->open[at - 1].next;
    } else if (b->nopen < EVENTBOOK_MAX &&
               array_reserve(&b->open, &b->open_cap, b->nopen + 1) == 0) {
        at = (uint32_t)++b->nopen;
    } else {
        b->lost++;
        return;
    }
    b->open[at - 1] = (struct eventbook_open){ *e, b->first[e->rank] };
    b->first[e->rank] = at;
}

/* False: that one was not of interest, or is not known. */
static bool take_open(struct eventbook *b, uint32_t rank, uint64_t seq,
                      struct hct_event *e)
{
    for (uint32_t *at = &b->first[rank]; *at; at = &b->open[*at - 1].next) {
        struct eventbook_open *o = &b->open[*at - 1];
        uint32_t is = *at;

        if (o->event.seq != seq)
            continue;
        *e = o->event;
        *at = o->next;
        o->next = b->unused;
        b->unused = is;
        return true;
    }
    return false;
}

static int64_t at(uint64_t wall_ns, const struct eventbook_clock *clock)
{
    return (int64_t)wall_ns + clock->shift_ns;
}

static void take_one(struct eventbook *b, const Hct__Events *m,
                     const Hct__Events__Record *r,
                     const struct eventbook_clock *clock)
{
    struct hct_event e = { .rank = m->rank, .call = r->call,
                           .marker = r->marker, .seq = r->seq };
    const ProtobufCBinaryData *label;

    if (!r->enter_ns) {
        if (!take_open(b, m->rank, r->seq, &e))
            return;
    } else {
        label = &m->labels[r->label];
        calendar_match(&b->calendar, (const char *)label->data, label->len,
                       m->rank, &e.of, &e.to);
        if (!(e.of | e.to))
            return;
        memcpy(e.label, label->data,
               label->len < sizeof(e.label) ? label->len : sizeof(e.label) - 1);
        e.enter_ns = at(r->enter_ns, clock);
    }
    e.bound_ns = clock->bound_ns;
    e.in = r->exit_ns == 0;
    e.exit_ns = e.in ? 0 : at(r->exit_ns, clock);
    if (e.in)
        keep_open(b, &e);
    tell(b, &e);
}

void eventbook_take(struct eventbook *b, const Hct__Events *m, uint64_t known,
                    const struct eventbook_clock *clock)
{
    size_t i = known > m->first ? known - m->first : 0;

    if (eventbook_empty(b) || m->rank >= b->nranks)
        return;
    for (; i < m->n_records; i++)
        take_one(b, m, m->records[i], clock);
}

bool eventbook_any(const struct eventbook *b)
{
    return b->n > 0 || b->changed;
}

/* ------------------------------------------------------------ what is due */

_Static_assert((int)DUE_END == HCT_DUE_END && (int)DUE_CALL == HCT_DUE_CALL &&
               (int)DUE_PERIOD == HCT_DUE_PERIOD &&
               (int)DUE_SPAN == HCT_DUE_SPAN &&
               (int)DUE_CLOCK == HCT_DUE_CLOCK, "the same numbers");

static void show_due(struct hct_deadline *to, const struct due *d,
                     uint32_t nranks, int64_t shift_ns, uint64_t began_ns)
{
    uint64_t from_ns = d->kind == DUE_CLOCK ? d->from_ns : began_ns;

    *to = (struct hct_deadline){
        .number = d->number, .kind = (uint32_t)d->kind, .firm = d->firm,
        .over = d->over, .limit_ns = d->limit_ns, .margin = d->margin,
        .ranks = d->some ? (uint32_t)taskset_count(&d->ranks) : nranks };
    if (d->kind == DUE_END || d->kind == DUE_CLOCK)
        to->from_ns = d->from_start ? INT64_MAX : (int64_t)from_ns + shift_ns;
    strncpy(to->text, d->text, sizeof(to->text) - 1);
}

/* Clocks that begin with the first call begin when it was entered. */
static void start_clocks(const struct eventbook *b, struct looks *l)
{
    uint64_t of, waiting = 0;

    for (uint32_t i = 0; i < l->ndeadlines; i++)
        if (l->deadlines[i].kind == HCT_DUE_CLOCK &&
            l->deadlines[i].from_ns == INT64_MAX)
            waiting |= (uint64_t)1 << i;
    for (size_t i = 0; i < b->n && waiting; i++)
        for (of = b->v[i].of & waiting; of; of &= of - 1) {
            struct hct_deadline *d = &l->deadlines[__builtin_ctzll(of)];

            if (b->v[i].enter_ns < d->from_ns)
                d->from_ns = b->v[i].enter_ns;
        }
}

/* Most end one instance of each deadline that they are of: so many find
 * room. */
static size_t fitting(const struct eventbook *b)
{
    size_t n = 0, rows = 0;

    for (; n < b->n && rows < HCT_INSTANCES_MAX / 2; n++)
        rows += (size_t)__builtin_popcountll(b->v[n].of | b->v[n].to);
    return n;
}

bool eventbook_fits(const struct eventbook *b)
{
    return fitting(b) == b->n;
}

void eventbook_show(struct eventbook *b, struct looks *l, int64_t shift_ns,
                    uint64_t began_ns)
{
    const struct calendar *c = &b->calendar;
    size_t shown = fitting(b);
    struct hct_event *to;

    for (size_t i = l->ndeadlines; i < c->n; i++)
        show_due(&l->deadlines[i], &c->v[i], b->nranks, shift_ns, began_ns);
    l->ndeadlines = (uint32_t)c->n;
    for (size_t i = 0; i < c->n; i++)
        l->deadlines[i].over = c->v[i].over;
    start_clocks(b, l);
    for (size_t i = 0; i < shown; i++) {
        to = looks_add_event(l);
        if (to)
            *to = b->v[i];
        else
            b->lost++;
    }
    b->n -= shown;
    if (b->n)
        memmove(b->v, b->v + shown, b->n * sizeof(*b->v));
    b->changed = false;
    l->events_lost = b->lost;
    l->parts |= HCT_NEED_EVENTS;
}

uint32_t eventbook_ends(const struct looks *l, int64_t now_ns,
                        struct hct_instance v[HCT_DEADLINES_MAX])
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->ndeadlines; i++) {
        const struct hct_deadline *d = &l->deadlines[i];

        if (d->kind != HCT_DUE_END || d->over)
            continue;
        v[n] = (struct hct_instance){
            .deadline = d->number, .rank = HCT_NO_RANK,
            .release_ns = d->from_ns,
            .due_ns = d->from_ns + (int64_t)d->limit_ns, .done_ns = now_ns,
            .slope = NAN, .chance = NAN };
        v[n].late = now_ns > v[n].due_ns;
        n++;
    }
    return n;
}
