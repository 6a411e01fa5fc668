/* speed.c - see speed.h. */
#include "policies/pace/speed.h"

#include <math.h>
#include <string.h>

#include "policies/pace/iterations.h"
#include "policies/pace/load.h"
#include "policies/smm/polish.h"

enum {
    KNOWN = 4,                  /* windows that say how it was before */
    MEMORY = 64,                /* of so many windows it is the mean */
    COMPARED = 100,             /* tasks that say what varies less */
    STEPS = 8,                  /* from window to window, that say how they vary */
};

_Static_assert((int)EFFORT_PHASES == (int)SPEED_PHASES, "the same phases");

/* ------------------------------------------------------------- what is read */

/* What it has had of its processor, and wanted, since it was read last. */
static void add_share(struct speed_phase *p, struct speed_window *w,
                      const struct speed_task *t, const struct hct_rank *k)
{
    if (!t->had_ns || k->had_ns < t->had_ns || k->wanted_ns < t->wanted_ns)
        return;
    p->had_ns += (float)(k->had_ns - t->had_ns);
    p->wanted_ns += (float)(k->wanted_ns - t->wanted_ns);
    w->had_ns += (double)(k->had_ns - t->had_ns);
    w->wanted_ns += (double)(k->wanted_ns - t->wanted_ns);
}

static void add(struct speed_phase *p, struct speed_window *w,
                const struct effort_sum *made)
{
    p->calls += made->calls;
    p->out_ns += made->out_ns;
    w->calls += (double)made->calls;
    w->out_ns += (double)made->out_ns;
    w->in_ns += (double)made->in_ns;
}

static void read_one(struct speed *s, struct speed_task *t,
                     const struct hct_rank *k, uint32_t phase, bool begins)
{
    uint64_t calls = iterations_calls(k);
    bool counts = t->calls && phase < SPEED_PHASES && calls >= t->calls &&
                  k->out_ns >= t->out_ns && k->in_ns >= t->in_ns;
    struct effort_sum made = { 0 };

    if (counts) {
        made.calls = (float)(calls - t->calls);
        made.out_ns = (float)(k->out_ns - t->out_ns);
        made.in_ns = (float)(k->in_ns - t->in_ns);
        add(&t->phase[phase], &s->open[phase], &made);
        add_share(&t->phase[phase], &s->open[phase], t, k);
    }
    if (s->effort)
        effort_add(s->effort, (uint32_t)(t - s->task),
                   counts ? phase : SPEED_PHASES, &made, k->instructions,
                   k->cycles);
    t->node = k->node <= s->ntasks ? k->node : 0;
    s->nodes = t->node > s->nodes ? t->node : s->nodes;
    t->from = begins ? t->site : t->from;
    t->site = k->site;
    t->calls = calls;
    t->in_ns = k->in_ns;
    t->out_ns = k->out_ns;
    t->had_ns = k->had_ns;
    t->wanted_ns = k->wanted_ns;
}

/* Nothing is in the open window yet. */
static bool begins(const struct speed *s, uint32_t phase)
{
    return phase < SPEED_PHASES && !(s->open[phase].calls > 0);
}

void speed_read(struct speed *s, const struct hct_snapshot *in, uint32_t phase)
{
    bool begun_here = begins(s, phase);

    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & HCT_PAGE)
            read_one(s, &s->task[i], k, phase, begun_here);
    }
    if (phase < SPEED_PHASES && !s->open[phase].began_ns)
        s->open[phase].began_ns = in->now_ns;
}

bool speed_is_round(const struct speed *s, const struct hct_snapshot *in,
                    uint32_t phase)
{
    bool begun_here = begins(s, phase);

    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        const struct speed_task *t = &s->task[i];

        if ((k->flags & HCT_PAGE) && (begun_here ? t->site : t->from) != k->site)
            return false;
    }
    return true;
}

/* What is in the window that is open. */
static void forget(struct speed_phase *p)
{
    p->calls = p->out_ns = p->had_ns = p->wanted_ns = 0;
}

void speed_drop(struct speed *s, uint32_t phase)
{
    s->open[phase] = (struct speed_window){ 0 };
    for (uint32_t i = 0; i < s->ntasks; i++)
        forget(&s->task[i].phase[phase]);
}

/* How far may a window be off what is usual? One in which the task has written
 * something, or was stopped, counts for no more than that. */
static double most_apart(const struct speed_phase *p)
{
    return 4 * ((double)p->noise + speed_finest);
}

/* What is far off, as a stall, counts for no more than what is usual. */
static void learn(struct speed_phase *p, float x)
{
    float apart = x - p->before, most = (float)most_apart(p);

    if (isnan(x))
        return;
    if (p->n >= KNOWN && fabsf(apart) > most)
        apart = apart > 0 ? most : -most;
    if (p->n < MEMORY)
        p->n++;
    if (p->n > 1)
        p->noise += (fabsf(apart) - p->noise) / (p->n - 1);
    p->before += p->n > 1 ? apart / p->n : apart;
}

/* What all tasks of each node had in the window that is over, in the words of
 * the place that is its number, - 1. */
static void add_nodes(struct speed *s, uint32_t phase)
{
    for (uint32_t i = 0; i < s->nodes; i++) {
        s->words[i] = s->shift[i] = 0;
        s->task[i].node_tasks = 0;
    }
    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct speed_task *t = &s->task[i];

        if (!t->node)
            continue;
        s->words[t->node - 1] += (double)t->phase[phase].had_ns;
        s->shift[t->node - 1] += (double)t->phase[phase].wanted_ns;
        s->task[t->node - 1].node_tasks++;
    }
}

/* The logarithm of what the load left that task of its processor. */
static double left_of(const struct speed *s, const struct speed_task *t,
                      uint32_t phase)
{
    const struct speed_phase *p = &t->phase[phase];
    struct load own = { (double)p->had_ns, (double)p->wanted_ns };
    struct load others = { 0 };
    uint32_t n = t->node ? s->task[t->node - 1].node_tasks : 0;

    if (n > 1) {
        others.had_ns = (s->words[t->node - 1] - own.had_ns) / (n - 1);
        others.wanted_ns = (s->shift[t->node - 1] - own.wanted_ns) / (n - 1);
    }
    return load_leaves(&own, &others);
}

/* Of all tasks, to that place of the ring; where nobody else is there it is all
 * of it. */
static void close_parts(struct speed *s, uint32_t phase, uint32_t at)
{
    const struct speed_window *w = &s->open[phase];
    bool used = share_is_of_others(w->had_ns, w->wanted_ns);

    if (used)
        add_nodes(s, phase);
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->parts[i].ring[at] = used ? (float)left_of(s, &s->task[i], phase) : 0;
    for (uint32_t i = 0; used && i < s->nodes; i++)
        s->task[i].node_tasks = 0;
}

/* A task's window at that place of the ring is over. */
static void close_one(struct speed *s, struct speed_task *t, uint32_t phase,
                      uint32_t at)
{
    struct speed_phase *p = &t->phase[phase];
    float time = p->calls > 0 && p->out_ns > 0 ? logf(p->out_ns / p->calls)
                                               : NAN;

    t->ring[at] = s->share.used ? time + s->parts[t - s->task].ring[at] : time;
    forget(p);
}

/* By what have time and work of some tasks changed since the window before, if
 * that was of the same phase? */
static void compare(struct speed *s, uint32_t at, uint32_t was_at)
{
    struct speed_window *w = &s->ring[at];
    double part = exp(share_log(w->had_ns, w->wanted_ns));
    size_t n = 0;

    w->part = s->share.used ? part : 1;
    if (s->windows == 0 || s->ring[was_at].phase != w->phase || !(w->had_ns > 0))
        return;
    for (uint32_t i = 0; i < s->ntasks; i += 1 + s->ntasks / COMPARED) {
        const struct speed_task *t = &s->task[i];
        double is = (double)s->parts[i].ring[at];
        double was = (double)s->parts[i].ring[was_at];
        double apart = (double)(t->ring[at] - t->ring[was_at]);

        if (isnan(apart))
            continue;
        s->words[n] = fabs(s->share.used ? apart - is + was : apart);
        s->shift[n++] = fabs(s->share.used ? apart : apart + is - was);
    }
    if (n)
        share_add(&s->share, polish_median(s->words, n),
                  polish_median(s->shift, n), part);
}

void speed_close(struct speed *s, uint32_t phase, uint64_t now_ns,
                 uint32_t frozen)
{
    uint32_t at = (uint32_t)(s->windows % SPEED_RING);
    uint64_t oldest = speed_oldest(s);
    uint32_t old_at = (uint32_t)(oldest % SPEED_RING);
    uint32_t old = s->ring[old_at].phase;
    bool is_old = s->windows == oldest + SPEED_NEWS && old != frozen;

    close_parts(s, phase, at);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct speed_task *t = &s->task[i];

        if (is_old)
            learn(&t->phase[old], t->ring[old_at]);
        close_one(s, t, phase, at);
    }
    s->ring[at] = s->open[phase];
    s->ring[at].phase = (uint8_t)phase;
    s->ring[at].ended_ns = now_ns;
    compare(s, at, (uint32_t)((s->windows + SPEED_RING - 1) % SPEED_RING));
    s->open[phase] = (struct speed_window){ .began_ns = now_ns };
    s->windows++;
}

static uint64_t last_ones(const struct speed *s, uint64_t n)
{
    return s->windows > n ? s->windows - n : 0;
}

uint64_t speed_first(const struct speed *s)
{
    return last_ones(s, SPEED_RING);
}

uint64_t speed_oldest(const struct speed *s)
{
    uint64_t oldest = last_ones(s, SPEED_NEWS);

    return oldest > s->settled ? oldest : s->settled;
}

static bool is_of(const struct speed *s, uint64_t window, uint32_t phase)
{
    return s->ring[window % SPEED_RING].phase == phase;
}

void speed_relearn(struct speed *s, uint32_t phase, uint64_t since)
{
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct speed_task *t = &s->task[i];

        t->phase[phase].n = t->phase[phase].before = t->phase[phase].noise = 0;
        for (uint64_t w = speed_first(s); w < since && w < s->windows; w++)
            if (is_of(s, w, phase))
                t->ring[w % SPEED_RING] = NAN;
    }
}

void speed_turn(struct speed *s)
{
    float sign;

    share_turn(&s->share);
    sign = s->share.used ? 1 : -1;
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct speed_task *t = &s->task[i];

        for (uint32_t p = 0; p < SPEED_PHASES; p++)
            t->phase[p].n = t->phase[p].before = t->phase[p].noise =
                t->phase[p].recent = 0;
        for (uint32_t at = 0; at < SPEED_RING; at++)
            t->ring[at] += sign * s->parts[i].ring[at];
        for (uint64_t w = speed_first(s); w < speed_oldest(s); w++)
            learn(&t->phase[s->ring[w % SPEED_RING].phase],
                  t->ring[w % SPEED_RING]);
    }
    for (uint64_t w = speed_first(s); w < s->windows; w++) {
        struct speed_window *x = &s->ring[w % SPEED_RING];

        x->part = s->share.used ? exp(share_log(x->had_ns, x->wanted_ns)) : 1;
    }
}

double speed_took(const struct speed *s, uint64_t window)
{
    const struct speed_window *w = &s->ring[window % SPEED_RING];

    return w->part * (w->in_ns + w->out_ns) / w->calls;
}

uint64_t speed_since(const struct speed *s, uint32_t phase, uint32_t n,
                     uint32_t *found)
{
    uint64_t since = s->windows;

    *found = 0;
    for (uint64_t w = s->windows; w > speed_oldest(s) && *found < n; w--)
        if (is_of(s, w - 1, phase)) {
            since = w - 1;
            ++*found;
        }
    return since;
}

/* ------------------------------------------------------- of some windows */

struct speed_span speed_span(const struct speed *s, uint32_t phase,
                             uint64_t from, uint64_t to)
{
    struct speed_span v = { 0 };

    for (uint64_t w = from > speed_oldest(s) ? from : speed_oldest(s);
         w < to && w < s->windows; w++)
        if (is_of(s, w, phase))
            v.at[v.n++] = (uint32_t)(w % SPEED_RING);
    return v;
}

struct speed_span speed_one(const struct speed *s, uint32_t phase,
                            uint64_t window)
{
    struct speed_span v = { 0 };

    if (window >= speed_first(s) && window < s->windows &&
        is_of(s, window, phase))
        v.at[v.n++] = (uint32_t)(window % SPEED_RING);
    return v;
}

/* ... of the last ones before that. */
static struct speed_span span_before(const struct speed *s, uint32_t phase,
                               uint64_t since)
{
    uint64_t from = since;
    uint32_t n = 0;

    for (; from > speed_oldest(s) && n < SPEED_RECENT; from--)
        n += is_of(s, from - 1, phase);
    return speed_span(s, phase, from, since);
}

/* The mean of a task's windows, or NaN; what is far from their middle one
 * counts for less. */
static double mean(const struct speed_task *t, uint32_t phase,
                   const struct speed_span *span, double *n)
{
    double v[SPEED_NEWS], words[SPEED_NEWS], sum = 0, most, middle;
    double low = INFINITY, high = -INFINITY;
    uint32_t k = 0;

    for (uint32_t i = 0; i < span->n; i++) {
        double x = (double)t->ring[span->at[i]];

        if (isnan(x))
            continue;
        low = x < low ? x : low;
        high = x > high ? x : high;
        sum += v[k++] = x;
    }
    *n = k;
    if (k == 0)
        return (double)NAN;
    most = most_apart(&t->phase[phase]);
    if (high - low <= most)     /* then none is */
        return sum / k;
    memcpy(words, v, k * sizeof(*v));
    middle = polish_median(words, k);
    sum = 0;
    for (uint32_t i = 0; i < k; i++)
        sum += fmin(fmax(v[i], middle - most), middle + most);
    return sum / k;
}

void speed_recall(struct speed *s, uint32_t phase, uint64_t since)
{
    struct speed_span last = span_before(s, phase, since);

    for (uint32_t i = 0; i < s->ntasks; i++) {
        double n;
        float x = (float)mean(&s->task[i], phase, &last, &n);

        if (!isnan(x))          /* else it was settled before */
            s->task[i].phase[phase].recent = x;
    }
}

void speed_settle(struct speed *s, uint64_t since)
{
    uint64_t oldest = speed_oldest(s);

    if (since > s->windows)
        since = s->windows;
    for (uint32_t i = 0; i < s->ntasks; i++)
        for (uint64_t w = oldest; w < since; w++)
            learn(&s->task[i].phase[s->ring[w % SPEED_RING].phase],
                  s->task[i].ring[w % SPEED_RING]);
    if (since > s->settled)
        s->settled = since;
}

/* How it was before some windows, those up to there being the span: by all that
 * was learnt, and what is in the ring. */
static double before(const struct speed_task *t, uint32_t phase,
                     const struct speed_span *there)
{
    const struct speed_phase *p = &t->phase[phase];
    double n, ring = mean(t, phase, there, &n);
    double known = (double)p->n;

    if (n + known < KNOWN)
        return (double)NAN;
    if (n < 1)
        return (double)p->before;
    return ((double)p->before * known + ring * n) / (known + n);
}

void speed_set_before(struct speed *s, uint32_t phase, uint64_t since)
{
    struct speed_span there = speed_span(s, phase, speed_oldest(s), since);

    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].before = (float)before(&s->task[i], phase, &there);
}

double speed_shift(const struct speed *s, uint32_t i, uint32_t phase,
                   const struct speed_span *span)
{
    const struct speed_task *t = &s->task[i];
    double n;

    return mean(t, phase, span, &n) - (double)t->before;
}

double speed_before(const struct speed *s, uint32_t phase, uint32_t rank,
                    uint64_t since)
{
    struct speed_span there = speed_span(s, phase, speed_oldest(s), since);

    return exp(before(&s->task[rank], phase, &there));
}

double speed_calls(const struct speed *s, uint64_t since, uint32_t phase,
                   double *ns)
{
    double calls = 0;

    *ns = 0;
    for (uint64_t w = since; w < s->windows; w++)
        if (is_of(s, w, phase)) {
            const struct speed_window *x = &s->ring[w % SPEED_RING];

            calls += x->calls;
            *ns += x->part * (x->in_ns + x->out_ns);
        }
    return calls;
}

/* Of a normal distribution the mean distance from the mean is 0.84 of the
 * middle one from number to number. */
double speed_noise(const struct speed *s, uint32_t i, uint32_t phase)
{
    const struct speed_task *t = &s->task[i];
    double v[SPEED_RING], was = (double)NAN;
    size_t n = 0;

    if (t->phase[phase].n >= KNOWN)
        return (double)t->phase[phase].noise;
    for (uint64_t w = speed_first(s); w < s->windows; w++) {
        double x = (double)t->ring[w % SPEED_RING];

        if (!is_of(s, w, phase) || isnan(x))
            continue;
        if (!isnan(was))
            v[n++] = fabs(x - was);
        was = x;
    }
    return n < STEPS ? 0 : 0.84 * polish_median(v, n);
}

double speed_part_grown(const struct speed *s, uint32_t i, uint32_t phase,
                        uint64_t since)
{
    double was = 0, is = 0;
    uint32_t n_was = 0, n_is = 0;

    for (uint64_t w = speed_first(s); w < s->windows; w++) {
        double part = (double)s->parts[i].ring[w % SPEED_RING];

        if (!is_of(s, w, phase))
            continue;
        if (w < since) {
            was += part;
            n_was++;
        } else {
            is += part;
            n_is++;
        }
    }
    return n_was && n_is ? is / n_is - was / n_was : (double)NAN;
}

double speed_recent(const struct speed *s, uint32_t i, uint32_t phase)
{
    const struct speed_phase *p = &s->task[i].phase[phase];

    return (double)(p->recent > 0 ? p->recent : s->task[i].before);
}


double speed_was(const struct speed *s, uint32_t i, uint32_t phase, double all)
{
    return speed_recent(s, i, phase) - all - (double)s->task[i].before;
}
