/* deadline.c - the policy deadline: a real-time monitor (Russ et al., the paper
 * on time stamps of MPI events, section 4): it compares what the tasks of a job
 * tell of their tagged calls with a calendar, and says that the margin by which
 * they meet it declines, or that it is missed. */
#include "policies/deadline/deadline.h"

#include <string.h>

#include "policies/deadline/course.h"
#include "policies/deadline/evidence.h"
#include "policies/deadline/instance.h"
#include "policies/deadline/outcome.h"
#include "policies/deadline/say.h"
#include "policies/deadline/span.h"
#include "policies/deadline/when.h"

enum { HORIZON, CHANCE, SUSTAIN, NEVER, GRACE, LOOK, PARAMS };

static const struct hct_param params[] = {
    [HORIZON] = { "horizon", "", "instances to come that a chance is of", 10, 1,
                  10000 },
    [CHANCE] = { "chance", "", "that one of these is missed, from which on a "
                 "margin that falls is told", 0.5, 0.01, 1 },
    [SUSTAIN] = { "sustain", "", "instances in a row that tell it", 3, 1, 32 },
    [NEVER] = { "never", "s", "without a call of its label until that is told, "
                "or a hundred times as long as it allows, or one period; or the "
                "end of the job", 10, 0.1, 86400 },
    [GRACE] = { "grace", "ms", "that a call may take to be told, at least", 20,
                0, 10000 },
    [LOOK] = { "look", "s", "time between looks at tasks", 1, 0.1, 60 },
    [PARAMS] = { .name = NULL },
};

/* Tasks from which on looks are as much rarer as there are more: what a second
 * of them costs is bounded. */
enum { MANY = 50000, ASKED = 8 };
static const uint64_t soon_ns = 1000000, lag_max_ns = 1000000000;

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void lay_out(struct deadline *s, uint32_t nranks)
{
    s->nranks = nranks;
    s->slots = instance_slots(nranks);
    s->tracks_max = instance_max(nranks);
    s->bits = span_bits(nranks);
    s->tracks_at = aligned(sizeof(*s));
    s->heap_at = s->tracks_at + aligned(s->slots * sizeof(struct track));
    s->seen_at = s->heap_at + aligned(s->tracks_max * sizeof(uint32_t));
    s->bits_at = s->seen_at + aligned(nranks * sizeof(struct seen));
}

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    struct deadline where = { .nranks = 0 };

    (void)param;
    lay_out(&where, job->nranks);
    return where.bits_at + span_bytes(job->nranks);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    struct deadline *s = state;
    uint64_t look_ns = (uint64_t)(param[LOOK] * 1e9);

    (void)why;
    (void)why_bytes;
    lay_out(s, job->nranks);
    s->knob = (struct deadline_knobs){
        .look_ns = job->nranks > MANY ? look_ns / MANY * job->nranks : look_ns,
        .grace_ns = (uint64_t)(param[GRACE] * 1e6),
        .never_ns = (uint64_t)(param[NEVER] * 1e9),
        .horizon = (uint32_t)param[HORIZON],
        .sustain = (uint32_t)param[SUSTAIN],
        .chance = param[CHANCE]};
    s->running_ns = WHEN_NEVER;
    s->lost_ns = INT64_MIN;
    return 0;
}

/* ------------------------------------------------------------- the calendar */

static void take(struct deadline *s, const struct hct_deadline *is,
                 const struct hct_snapshot *in)
{
    struct due *d = &s->due[is->number - 1];

    if (!d->is.number) {
        d->seen_ns = when_now(in->now_ns);
        d->added = s->begun ? 1 : in->seq > 1 ? 2 : 0;
    }
    d->is = *is;
    d->is.text[sizeof(d->is.text) - 1] = '\0';
    if (d->is.from_ns == WHEN_NEVER && d->begun)
        d->is.from_ns = d->began_ns;
    if (!d->is.limit_ns)
        d->is.limit_ns = 1;
    if (!(d->is.margin >= 0 && d->is.margin <= 1))
        d->is.margin = 0;
    if (d->is.over)
        d->news.what = NEWS_NONE;
}

/* Is there a deadline that counts? */
static bool take_calendar(struct deadline *s, const struct hct_snapshot *in)
{
    bool live = false;

    for (uint32_t i = 0; i < in->ndeadlines; i++) {
        const struct hct_deadline *is = hct_deadline(in, i);

        if (is->number < 1 || is->number > HCT_DEADLINES_MAX)
            continue;
        take(s, is, in);
        live |= !is->over;
    }
    s->begun = 1;
    return live;
}

/* --------------------------------------------------------------- the events */

static void note_lag(struct deadline *s, const struct hct_event *e,
                     int64_t now_ns)
{
    int64_t lag = when_since(now_ns, e->exit_ns);
    uint64_t ns = lag > 0 ? (uint64_t)lag : 0;

    if (e->in)
        return;
    s->lag_ns -= s->lag_ns / 64;
    if (ns > lag_max_ns)
        ns = lag_max_ns;
    if (ns > s->lag_ns)
        s->lag_ns = ns;
}

static void take_event(struct deadline *s, struct due *d,
                       const struct hct_event *e, const struct hct_snapshot *in,
                       struct hct_out *out)
{
    uint64_t bit = (uint64_t)1 << (d->is.number - 1);
    uint64_t bound_ns = d->is.kind == HCT_DUE_SPAN    ? 2 * e->bound_ns
                        : d->is.kind == HCT_DUE_CLOCK ? e->bound_ns : 0;

    d->events += e->of & bit ? 1 : 0;
    if (bound_ns > d->is.limit_ns && !d->short_bound_ns)
        d->short_bound_ns = bound_ns;
    if (d->is.kind != HCT_DUE_SPAN) {
        if (d->is.kind != HCT_DUE_END && e->of & bit)
            instance_event(s, d, e, in, out);
        return;
    }
    if (e->of & bit)
        span_entry(s, d, e, in, out);
    if (e->to & bit && !e->in)
        span_exit(s, d, e, in, out);
}

/* Clocks that begin with the first call of all ranks: of those that are told at
 * once, whose order is none. */
static void begin_clocks(struct deadline *s, const struct hct_snapshot *in)
{
    uint64_t wait = 0;

    for (uint32_t i = 0; i < HCT_DEADLINES_MAX; i++)
        if (s->due[i].is.kind == HCT_DUE_CLOCK &&
            s->due[i].is.from_ns == WHEN_NEVER)
            wait |= (uint64_t)1 << i;
    for (uint32_t i = 0; wait && i < in->nevents; i++) {
        const struct hct_event *e = hct_event(in, i);

        for (uint64_t bits = e->of & wait; bits; bits &= bits - 1) {
            struct due *d = &s->due[__builtin_ctzll(bits)];

            if (!d->begun || e->enter_ns < d->began_ns)
                d->began_ns = d->is.from_ns = e->enter_ns;
            d->begun = 1;
        }
    }
}

static void take_events(struct deadline *s, const struct hct_snapshot *in,
                        struct hct_out *out)
{
    if (in->events_lost > s->lost) {
        s->losses++;
        s->lost_ns = when_now(in->now_ns);
    }
    s->lost = in->events_lost;
    begin_clocks(s, in);
    for (uint32_t i = 0; i < in->nevents; i++) {
        const struct hct_event *e = hct_event(in, i);

        if (e->rank >= s->nranks)
            continue;
        if (s->running_ns == WHEN_NEVER)
            s->running_ns = when_now(in->now_ns);
        note_lag(s, e, when_now(in->now_ns));
        for (uint64_t bits = e->of | e->to; bits; bits &= bits - 1) {
            struct due *d = &s->due[__builtin_ctzll(bits)];

            if (d->is.number && !d->is.over)
                take_event(s, d, e, in, out);
        }
    }
}

/* ----------------------------------------------------- what is due by looks */

/* When the last one has ended is known as nearly as it was looked for. */
static void check_end(struct deadline *s, struct due *d, uint64_t read_ns,
                      const struct hct_snapshot *in, struct hct_out *out)
{
    int64_t now_ns = when_now(in->now_ns);
    struct outcome o = {
        .rank = HCT_NO_RANK, .who = HCT_NO_RANK, .release_ns = d->is.from_ns,
        .due_ns = when_add(d->is.from_ns, d->is.limit_ns), .done_ns = now_ns,
        .enter_ns = WHEN_NEVER, .open = !s->over, .told = d->ended == 2,
        .was_late = d->ended == 2 };

    if (d->ended == 1 || (!s->over && (d->ended || now_ns <= o.due_ns)))
        return;
    if (s->over)
        o.bound_ns = d->ended == 2 ? 0 : in->now_ns - read_ns;
    outcome_tell(s, d, &o, in, out);
    d->ended = s->over ? 1 : 2;
}

/* What comes round should have come after one period, and programs take some time
 * until they begin with that; of others only the end of the job tells for certain. */
static void check_never(struct deadline *s, struct due *d, int64_t now_ns)
{
    int64_t since_ns = s->running_ns > d->seen_ns ? s->running_ns : d->seen_ns;
    uint64_t limit_ns, times = 100;
    bool comes = d->is.kind == HCT_DUE_END ||
                 (d->events && (d->is.kind != HCT_DUE_SPAN || d->ends || s->over));

    if (d->is.kind == HCT_DUE_CLOCK && d->is.from_ns != WHEN_NEVER &&
        d->is.from_ns > since_ns)
        since_ns = d->is.from_ns;
    if (d->is.kind == HCT_DUE_PERIOD || d->is.kind == HCT_DUE_CLOCK)
        times = 1;
    if (__builtin_mul_overflow(d->is.limit_ns, times, &limit_ns))
        limit_ns = UINT64_MAX;
    if (limit_ns < s->knob.never_ns)
        limit_ns = s->knob.never_ns;
    if (s->over)
        limit_ns = 0;
    if (comes || d->never_said || d->news.what ||
        s->running_ns == WHEN_NEVER || when_add(since_ns, limit_ns) >= now_ns)
        return;
    d->never_said = 1;
    d->news = (struct news){ .what = NEWS_NEVER };
}

static void check(struct deadline *s, uint64_t read_ns,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    instance_check(s, in, out);
    if (s->over)
        span_over(s, in, out);
    else
        span_check(s, in, out);
    for (uint32_t i = 0; i < HCT_DEADLINES_MAX; i++) {
        struct due *d = &s->due[i];

        if (!d->is.number || d->is.over)
            continue;
        if (d->is.kind == HCT_DUE_END)
            check_end(s, d, read_ns, in, out);
        check_never(s, d, when_now(in->now_ns));
    }
}

static int64_t next_end(const struct deadline *s)
{
    int64_t next = WHEN_NEVER;

    for (uint32_t i = 0; i < HCT_DEADLINES_MAX; i++) {
        const struct due *d = &s->due[i];
        int64_t due_ns = when_add(d->is.from_ns, d->is.limit_ns);

        if (d->is.kind == HCT_DUE_END && !d->is.over && !d->ended &&
            due_ns < next)
            next = due_ns;
    }
    return next;
}

/* Looks cost all tasks something: they are 20 ms apart at least, and where a
 * deadline is being missed anyway 100 ms. */
static uint64_t apart_ns(const struct deadline *s)
{
    for (uint32_t i = 0; i < HCT_DEADLINES_MAX; i++)
        if (!s->due[i].is.over && s->due[i].course.stage == COURSE_MISSED)
            return 100000000;
    return 20000000;
}

static uint64_t wake(struct deadline *s, const struct hct_snapshot *in,
                     bool said)
{
    int64_t next = instance_next(s), other = span_next(s), end = next_end(s);
    uint64_t at = s->read_ns + s->knob.look_ns;

    if (s->over)
        return said ? HCT_WAKE_NEVER : in->now_ns + soon_ns;
    next = other < next ? other : next;
    next = end < next ? end : next;
    if (next < 0)
        next = 0;
    if (next < WHEN_NEVER && (uint64_t)next + 1 < at)
        at = (uint64_t)next + 1;
    if (at < s->read_ns + apart_ns(s))
        at = s->read_ns + apart_ns(s);
    return at < in->now_ns + soon_ns || !said ? in->now_ns + soon_ns : at;
}

/* How long tasks have waited for a processor comes with their models: of the worst
 * of each deadline that is not met as it should be, once a look. */
static void ask(struct deadline *s, const struct hct_snapshot *in,
                struct hct_out *out)
{
    uint32_t first = out->nranks, n = 0;

    if (in->now_ns - s->asked_ns < s->knob.look_ns)
        return;
    for (uint32_t i = 0; i < HCT_DEADLINES_MAX && n < ASKED; i++) {
        const struct due *d = &s->due[i];
        uint32_t worst = d->course.stage == COURSE_MISSED
                             ? d->course.who
                             : margin_worst(&d->margin, s->knob.sustain);
        bool known = d->course.stage == COURSE_GOOD || d->is.over ||
                     worst >= in->nranks || out->nranks >= out->ranks_max;

        for (uint32_t k = 0; k < n; k++)
            known |= out->ranks[first + k] == worst;
        if (known)
            continue;
        out->ranks[out->nranks++] = worst;
        n++;
    }
    if (n == 0)
        return;
    s->asked_ns = in->now_ns;
    out->need |= HCT_NEED_MODEL;
    out->sample = first;
    out->nsample = n;
}

/* Has the job ended, and is this for the calls that are told since? */
static bool is_last(const struct hct_snapshot *in)
{
    uint32_t i = 0;

    while (in->unread && i < in->nranks &&
           hct_rank(in, i)->life == HCT_LIFE_ENDED)
        i++;
    return i == in->nranks && i > 0;
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct deadline *s = state;
    uint64_t read_ns = s->read_ns;
    bool live, said, last = is_last(in);

    if (in->nranks != s->nranks)
        return -1;
    out->wake_ns = in->now_ns + s->knob.look_ns;
    if (!(in->parts & HCT_NEED_EVENTS))
        return 0;
    live = take_calendar(s, in);
    if (!in->unread && live) {
        evidence_look(s, in);
        s->read_ns = in->now_ns;
    }
    s->over |= last;
    take_events(s, in, out);
    if (!in->unread || last)
        check(s, read_ns, in, out);
    said = say_all(s, in, out);
    if (live) {
        ask(s, in, out);
        out->wake_ns = wake(s, in, said);
    }
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR,
    .minor = HCT_POLICY_MINOR,
    .name = "deadline",
    .help = "finds deadlines of marked calls that are missed, or will be",
    .params = params,
    .state_bytes = state_bytes,
    .init = init,
    .step = step,
    .needs = HCT_NEED_EVENTS,
    .may_need = HCT_NEED_MODEL,
    .asked = HCT_ASKED_BY_EVENT,
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
