/* speed.c - see speed.h. */
#include "policies/slow/speed.h"

#include <math.h>
#include <string.h>

#include "policies/slow/iterations.h"
#include "policies/smm/polish.h"

enum {
    KNOWN = 4,                  /* windows that say how it was before */
    RECENT = 5,                 /* ... and how it was just now */
    AT_ONCE = 4,                /* ... and how it was at first */
    MEMORY = 64,                /* of so many windows it is the mean */
    MANY = 256,                 /* tasks: some are far off by chance */
};
static const double deviations = 6;
/* Nobody is told from the others by less. */
static const double finest = 0.02;

_Static_assert((int)EFFORT_PHASES == (int)SPEED_PHASES, "the same phases");

/* ------------------------------------------------------------- what is read */

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
                     const struct hct_rank *k, uint32_t phase)
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
    }
    if (s->effort)
        effort_add(s->effort, (uint32_t)(t - s->task),
                   counts ? phase : SPEED_PHASES, &made, k->instructions,
                   k->cycles);
    t->node = k->node <= s->ntasks ? k->node : 0;
    t->calls = calls;
    t->in_ns = k->in_ns;
    t->out_ns = k->out_ns;
}

void speed_read(struct speed *s, const struct hct_snapshot *in, uint32_t phase)
{
    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & HCT_PAGE)
            read_one(s, &s->task[i], k, phase);
    }
    if (phase < SPEED_PHASES && !s->open[phase].began_ns)
        s->open[phase].began_ns = in->now_ns;
}

void speed_drop(struct speed *s, uint32_t phase)
{
    s->open[phase] = (struct speed_window){ 0 };
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].phase[phase].calls = s->task[i].phase[phase].out_ns = 0;
}

/* How far may a window be off what is usual? One in which the task has written
 * something, or was stopped, counts for no more than that. */
static double most_apart(const struct speed_phase *p)
{
    return 4 * ((double)p->noise + finest);
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

void speed_close(struct speed *s, uint32_t phase, uint64_t now_ns,
                 uint32_t frozen)
{
    uint32_t at = (uint32_t)(s->windows % SPEED_RING);
    uint32_t old = s->ring[at].phase;
    bool falls_out = s->windows >= SPEED_RING && old != frozen;

    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct speed_task *t = &s->task[i];
        struct speed_phase *p = &t->phase[phase];

        if (falls_out)
            learn(&t->phase[old], t->ring[at]);
        t->ring[at] = p->calls > 0 && p->out_ns > 0 ? logf(p->out_ns / p->calls)
                                                    : NAN;
        p->calls = p->out_ns = 0;
    }
    s->ring[at] = s->open[phase];
    s->ring[at].phase = (uint8_t)phase;
    s->ring[at].ended_ns = now_ns;
    s->open[phase] = (struct speed_window){ .began_ns = now_ns };
    s->windows++;
}

static uint64_t oldest(const struct speed *s)
{
    return s->windows > SPEED_RING ? s->windows - SPEED_RING : 0;
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
        for (uint64_t w = oldest(s); w < since && w < s->windows; w++)
            if (is_of(s, w, phase))
                t->ring[w % SPEED_RING] = NAN;
    }
}

uint64_t speed_since(const struct speed *s, uint32_t phase, uint32_t n,
                     uint32_t *found)
{
    uint64_t since = s->windows;

    *found = 0;
    for (uint64_t w = s->windows; w > oldest(s) && *found < n; w--)
        if (is_of(s, w - 1, phase)) {
            since = w - 1;
            ++*found;
        }
    return since;
}

/* ------------------------------------------------------------- who is slow */

/* Places in the ring of the windows of a phase from one up to another: the same
 * for all tasks. */
struct span { uint32_t n, at[SPEED_RING]; };

static struct span span_of(const struct speed *s, uint32_t phase, uint64_t from,
                           uint64_t to)
{
    struct span v = { 0 };

    for (uint64_t w = from > oldest(s) ? from : oldest(s);
         w < to && w < s->windows; w++)
        if (is_of(s, w, phase))
            v.at[v.n++] = (uint32_t)(w % SPEED_RING);
    return v;
}

/* ... of the last ones before that. */
static struct span span_before(const struct speed *s, uint32_t phase,
                               uint64_t since)
{
    uint64_t from = since;
    uint32_t n = 0;

    for (; from > oldest(s) && n < RECENT; from--)
        n += is_of(s, from - 1, phase);
    return span_of(s, phase, from, since);
}

/* The mean of a task's windows, or NaN; what is far from their middle one
 * counts for less. */
static double mean(const struct speed_task *t, uint32_t phase,
                   const struct span *span, double *n)
{
    double v[SPEED_RING], words[SPEED_RING], sum = 0, most, middle;
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
    struct span last = span_before(s, phase, since);

    for (uint32_t i = 0; i < s->ntasks; i++) {
        double n;
        float x = (float)mean(&s->task[i], phase, &last, &n);

        if (!isnan(x))          /* else it was settled before */
            s->task[i].phase[phase].recent = x;
    }
}

void speed_settle(struct speed *s, uint64_t since)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        for (uint64_t w = oldest(s); w < since && w < s->windows; w++) {
            float *x = &s->task[i].ring[w % SPEED_RING];

            learn(&s->task[i].phase[s->ring[w % SPEED_RING].phase], *x);
            *x = NAN;
        }
}

/* How it was before some windows, those up to there being the span: by all that
 * was learnt, and what is in the ring. */
static double before(const struct speed_task *t, uint32_t phase,
                     const struct span *there)
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

/* From now on, what tasks are slower by is so than before that window. */
static void set_before(struct speed *s, uint32_t phase, uint64_t since)
{
    struct span there = span_of(s, phase, oldest(s), since);

    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].before = (float)before(&s->task[i], phase, &there);
}

static double shift_of(const struct speed *s, uint32_t i, uint32_t phase,
                       const struct span *span)
{
    const struct speed_task *t = &s->task[i];
    double n;

    return mean(t, phase, span, &n) - (double)t->before;
}

/* The middle one, of two the lesser: half of the tasks may be on one node. NaN
 * of none. */
static double middle(double *v, size_t n)
{
    size_t most = 0;

    if (n == 0 || n % 2)
        return polish_median(v, n);
    for (size_t i = 1; i < n; i++)
        if (v[i] > v[most])
            most = i;
    v[most] = v[n - 1];
    return polish_median(v, n - 1);
}

static void add_to_node(struct speed *s, uint32_t node, double x)
{
    struct speed_task *t = &s->task[node - 1];

    t->node_shift += (float)x;
    t->node_tasks++;
}

/* The middle of what nodes are in the mean; NaN if there is one only. */
static double middle_of_nodes(struct speed *s)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct speed_task *t = &s->task[i];

        if (t->node_tasks)
            s->words[n++] = (double)t->node_shift / t->node_tasks;
        t->node_shift = 0;
        t->node_tasks = 0;
    }
    return n > 1 ? middle(s->words, n) : (double)NAN;
}

/* Of all tasks, in some windows; each task's is in shift, where that is not
 * NULL. A node that is slow may have most of the tasks: then the other nodes
 * are what is usual. */
static double all_alike(struct speed *s, uint32_t phase,
                        const struct span *span, double *shift)
{
    size_t n = 0;
    double tasks, nodes;

    for (uint32_t i = 0; i < s->ntasks; i++) {
        double x = shift_of(s, i, phase, span);

        if (shift)
            shift[i] = x;
        if (isnan(x))
            continue;
        s->words[n++] = x;
        if (s->task[i].node)
            add_to_node(s, s->task[i].node, x);
    }
    tasks = middle(s->words, n);
    nodes = middle_of_nodes(s);
    return tasks > 0 && nodes < tasks ? fmax(nodes, 0) : tasks;
}

/* The deviation; that of those who are not slower, should most be. */
static double usual(struct speed *s)
{
    size_t n = 0, less = 0;
    double all;

    for (uint32_t i = 0; i < s->ntasks; i++)
        if (!isnan(s->shift[i]))
            s->words[n++] = fabs(s->shift[i]);
    all = n ? middle(s->words, n) : 0;
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->shift[i] <= 0)
            s->words[less++] = -s->shift[i];
    return POLISH_MAD * (less ? fmin(all, middle(s->words, less)) : all);
}

/* ns outside of MPI for a call, if it had gone on like all others. */
static double normal_of(const struct speed *s, uint32_t i, double alike)
{
    return exp((double)s->task[i].before + alike);
}

static double calls_of(const struct speed *s, uint64_t since, uint32_t phase,
                       double *ns)
{
    double calls = 0;

    *ns = 0;
    for (uint64_t w = since; w < s->windows; w++)
        if (is_of(s, w, phase)) {
            const struct speed_window *x = &s->ring[w % SPEED_RING];

            calls += x->calls;
            *ns += x->in_ns + x->out_ns;
        }
    return calls;
}

static size_t put(struct speed_odd *v, size_t n, size_t k,
                  const struct speed_odd *o)
{
    size_t at;

    if (k == 0 || (n == k && o->extra_ns <= v[n - 1].extra_ns))
        return n;
    at = n < k ? n++ : n - 1;
    for (; at > 0 && v[at - 1].extra_ns < o->extra_ns; at--)
        v[at] = v[at - 1];
    v[at] = *o;
    return n;
}

struct judged {
    uint32_t phase;
    double spread, alike, unsure;
    double least;               /* who is slower by less is not odd, and */
    double sure;                /* ... by its own noise, divided by that */
    double was;                 /* all were slower by just before, as alike is now */
    double call_ns;             /* what a call takes, in MPI and out of it */
    double gain_ns, loss_ns;    /* for a call: of the odd, of those with less */
    double chance_ns;           /* ... of those with as much more, but not odd: so
                                   much of the loss is chance, too */
    double others_ns;           /* what all but the odd take outside for a call */
    double net_ns, net_ns2;     /* ... less than just before, together; and the
                                   variance of that, by chance */
    double new_ns;              /* what the odd take longer than just before */
};

/* From what on is that task odd? What it varies by itself counts, too. */
static double least_of(const struct speed *s, uint32_t i,
                       const struct judged *j)
{
    double own = 4 * (double)s->task[i].phase[j->phase].noise / j->sure;

    return own > j->least ? own : j->least;
}

/* How it was just before; where nobody has looked then, as it always was. */
static double recent_of(const struct speed *s, uint32_t i, uint32_t phase)
{
    const struct speed_phase *p = &s->task[i].phase[phase];

    return (double)(p->recent > 0 ? p->recent : s->task[i].before);
}

/* So much slower were all just before than ever before. */
static double all_recent(struct speed *s, const struct judged *j)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->ntasks; i++) {
        double x = recent_of(s, i, j->phase) - (double)s->task[i].before;

        if (!isnan(x))
            s->words[n++] = x;
    }
    return middle(s->words, n);
}

/* What a task has less to do for a call than just before; less than 0: more. */
static double loss_of(const struct speed *s, uint32_t i, const struct judged *j,
                      double least)
{
    const struct speed_task *t = &s->task[i];
    double is = (double)t->before + s->shift[i];
    double less = recent_of(s, i, j->phase) - j->was - is;
    double most = s->ntasks > MANY ? least : least / 2;

    if (isnan(less) ||
        fabs(less) < fmax(finest, fmin(deviations * j->spread, most)))
        return 0;
    return exp(is + j->alike) * (exp(less) - 1);
}

/* By what was it slower just before, if all were by so much? */
static double was_of(const struct speed *s, uint32_t i, uint32_t phase,
                     double all)
{
    return recent_of(s, i, phase) - all - (double)s->task[i].before;
}

/* What it has less to do, or more, than just before. */
static void add_net(const struct speed *s, uint32_t i, struct judged *j)
{
    double was = exp(recent_of(s, i, j->phase));
    double is = exp((double)s->task[i].before + s->shift[i] + j->alike);

    if (isnan(was))
        return;
    if (s->task[i].odd)
        j->new_ns += is - was;
    else
        j->net_ns += was - is;
    j->net_ns2 += pow(was * (double)s->task[i].phase[j->phase].noise / j->sure,
                      2);
}

static void judge_one(struct speed *s, uint32_t i, struct judged *j,
                      const struct speed_limit *limit, struct speed_found *f,
                      struct speed_odd *odd, size_t k)
{
    struct speed_odd o = { .rank = i };
    double least = least_of(s, i, j), normal, loss;

    s->task[i].odd = 0;
    if (isnan(s->shift[i]))
        return;
    normal = normal_of(s, i, j->alike);
    loss = loss_of(s, i, j, least);
    if (loss > 0)
        j->loss_ns += loss;
    if (s->shift[i] >= least && s->shift[i] + j->alike >= least &&
        was_of(s, i, j->phase, j->was) <= 0.45 * s->shift[i]) {
        o.times = exp(s->shift[i]);
        o.extra_ns = normal * (o.times - 1);
        o.share = o.extra_ns / j->call_ns;
    }
    if (!(o.extra_ns > 0) || o.share < limit->share) {
        j->others_ns += normal;
        add_net(s, i, j);
        if (loss < 0)
            j->chance_ns -= loss;
        return;
    }
    s->task[i].odd = 1;
    add_net(s, i, j);
    j->gain_ns += o.extra_ns;
    put(odd, f->nodd < k ? f->nodd : k, k, &o);
    f->nodd++;
}

/* Is what some have less about what others have more? */
static bool is_about(double less, double more)
{
    return less > 0.6 * more && less < 1.7 * more;
}

/* Have others as much less to do as the odd have more? Some of them, all a
 * little, or some less and some more: what all vary by is much more than what
 * one can have taken over, in a large job. */
static bool has_moved(const struct judged *j)
{
    double loss = fmax(j->loss_ns - j->chance_ns, 0), all = loss;

    if (j->alike < -fmax(finest / 2, j->unsure))
        all += j->others_ns * (exp(-j->alike) - 1);
    return loss > 0.4 * j->gain_ns || is_about(all, j->gain_ns) ||
           (is_about(j->net_ns, j->new_ns) &&
            j->net_ns > 4 * sqrt(j->net_ns2));
}

bool speed_judge(struct speed *s, uint32_t phase, uint64_t since, uint64_t from,
                 const struct speed_limit *limit, struct speed_found *f,
                 struct speed_odd *odd, size_t k)
{
    struct span span = span_of(s, phase, from, s->windows);
    struct judged j = { .phase = phase, .unsure = limit->unsure };
    double ns, calls;

    *f = (struct speed_found){ 0 };
    set_before(s, phase, since);
    j.alike = all_alike(s, phase, &span, s->shift);
    calls = calls_of(s, from, phase, &ns);
    if (span.n < limit->windows || isnan(j.alike) || !(calls > 0))
        return false;
    f->alike = exp(j.alike);
    j.was = all_recent(s, &j);
    f->was = exp(j.was);
    j.call_ns = ns / calls;
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->shift[i] -= j.alike;
    j.spread = usual(s);
    j.least = fmax(log(limit->factor),
                   fmin(deviations * fmax(j.spread, finest / 2), 1));
    j.sure = sqrt(span.n);
    for (uint32_t i = 0; i < s->ntasks; i++)
        judge_one(s, i, &j, limit, f, odd, k);
    f->share = (1 - 1 / f->alike) * j.others_ns / s->ntasks / j.call_ns;
    f->moved = f->nodd && has_moved(&j);
    f->of = span.n;
    return true;
}

void speed_agree(struct speed *s, uint32_t phase, struct speed_found *f,
                 const struct speed_odd *worst)
{
    double half = (worst ? s->shift[worst->rank] : log(f->alike)) / 2;
    uint32_t n = 0;

    f->windows = f->earlier = 0;
    if (!worst && 2 * half < finest)
        return;                 /* mostly so, and each window costs much */
    for (uint64_t w = s->windows; w > oldest(s); w--) {
        struct span one = span_of(s, phase, w - 1, w);
        double x;

        if (one.n == 0)
            continue;
        x = all_alike(s, phase, &one, NULL);
        if (worst)
            x = shift_of(s, worst->rank, phase, &one) - x;
        if (!(x > half))
            break;
        n++;
    }
    f->windows = n < f->of ? n : f->of;
    f->earlier = n - f->windows;
}

static struct span last_of(const struct span *span)
{
    struct span last = { .n = span->n < AT_ONCE ? span->n : AT_ONCE };

    for (uint32_t i = 0; i < last.n; i++)
        last.at[i] = span->at[span->n - last.n + i];
    return last;
}

/* What the worst one, or all, are slower by in some windows. */
static double slower(struct speed *s, uint32_t phase, const struct span *span,
                     const struct speed_odd *worst)
{
    double all = all_alike(s, phase, span, NULL);

    return worst ? shift_of(s, worst->rank, phase, span) - all : all;
}

/* From two windows to the two behind the next one, in which it may begin. */
static double highest_step(const double *v, uint32_t n)
{
    double most = 0;

    for (uint32_t i = 3; i + 1 < n; i++)
        most = fmax(most, (v[i] + v[i + 1] - v[i - 3] - v[i - 2]) / 2);
    return most;
}

struct speed_rise speed_rise(struct speed *s, uint32_t phase, uint64_t since,
                             const struct speed_found *f,
                             const struct speed_odd *worst)
{
    struct span span = span_of(s, phase, since, s->windows);
    struct span last = last_of(&span);
    double was = worst ? was_of(s, worst->rank, phase, log(f->was))
                       : log(f->was);
    double v[SPEED_RING + 3];
    uint32_t n = 0;

    was = fmax(was, 0);
    for (; since >= oldest(s) && n < 3; n++)
        v[n] = was;
    for (uint32_t i = 0; i < span.n; i++) {
        struct span one = { .n = 1, .at = { span.at[i] } };

        v[n] = slower(s, phase, &one, worst);
        n += !isnan(v[n]);
    }
    return (struct speed_rise){ .step = highest_step(v, n),
                                .now = slower(s, phase, &last, worst) - was };
}

double speed_trend(struct speed *s, uint32_t phase, uint64_t since)
{
    struct span there = span_of(s, phase, oldest(s), since), last, earlier;

    if (there.n < 2 * AT_ONCE)
        return 0;
    last = last_of(&there);
    there.n -= AT_ONCE;
    earlier = last_of(&there);
    return all_alike(s, phase, &last, NULL) -
           all_alike(s, phase, &earlier, NULL);
}

double speed_before(const struct speed *s, uint32_t phase, uint32_t rank,
                    uint64_t since)
{
    struct span there = span_of(s, phase, oldest(s), since);

    return exp(before(&s->task[rank], phase, &there));
}
