/* odd.c - see odd.h. */
#include "policies/slow/odd.h"

#include <math.h>

#include "policies/slow/alike.h"
#include "policies/smm/polish.h"

enum {
    MANY = 256,                 /* tasks: some are far off by chance */
    VARIED = 3,                 /* windows that say how all vary */
};
static const double deviations = 6;
/* Where that part of all tasks has more or less to do than just before, by more
 * than they vary, work was dealt out anew. */
static const double dealt = 0.1;

/* The deviation; that of those who are not slower, should most be. */
static double usual(struct speed *s)
{
    size_t n = 0, less = 0;
    double all;

    for (uint32_t i = 0; i < s->ntasks; i++)
        if (!isnan(s->shift[i]))
            s->words[n++] = fabs(s->shift[i]);
    all = n ? alike_middle(s->words, n) : 0;
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->shift[i] <= 0)
            s->words[less++] = -s->shift[i];
    return POLISH_MAD * (less ? fmin(all, alike_middle(s->words, less)) : all);
}

/* ns outside of MPI for a call, if it had gone on like all others. */
static double normal_of(const struct speed *s, uint32_t i, double alike)
{
    return exp((double)s->task[i].before + alike);
}

static size_t put(struct odd_task *v, size_t n, size_t k,
                  const struct odd_task *o)
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
    double was;                 /* as alike, just before */
    double call_ns;             /* what a call takes, in MPI and out of it */
    double gain_ns, loss_ns;    /* for a call: of the odd, of those with less */
    double chance_ns;           /* ... of those with as much more, but not odd: so
                                   much of the loss is chance, too */
    double others_ns;           /* what all but the odd take outside for a call */
    double net_ns, net_ns2;     /* ... less than just before, together; and the
                                   variance of that, by chance */
    double new_ns;              /* what the odd take longer than just before */
    /* Those, but for the odd, that changed by more than they vary by: how
       many, and what they have less or more to do than just before. */
    uint32_t turned;
    double fewer_ns, more_ns;
};

/* From what on is that task odd? What it varies by itself counts, too. */
static double least_of(const struct speed *s, uint32_t i,
                       const struct judged *j)
{
    double own = 4 * speed_noise(s, i, j->phase) / j->sure;

    return own > j->least ? own : j->least;
}

/* So much slower were all just before than ever before. */
static double all_recent(struct speed *s, const struct judged *j)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->ntasks; i++) {
        double x = speed_recent(s, i, j->phase) - (double)s->task[i].before;

        if (!isnan(x))
            s->words[n++] = x;
    }
    return alike_middle(s->words, n);
}

/* The deviation of what it is slower by than just before, by chance: of the
 * mean of the windows that are judged against that of those before them. A
 * normal distribution has 1.25 times its mean distance. */
static double chance_of(const struct speed *s, uint32_t i,
                        const struct judged *j)
{
    double noise = fmax(speed_noise(s, i, j->phase), speed_finest);

    return 1.25 * noise * sqrt(1 / (j->sure * j->sure) + 1.0 / SPEED_RECENT);
}

/* What a task has less to do for a call than just before; less than 0: more. */
static double loss_of(const struct speed *s, uint32_t i, const struct judged *j,
                      double least, double chance)
{
    const struct speed_task *t = &s->task[i];
    double is = (double)t->before + s->shift[i];
    double less = speed_recent(s, i, j->phase) - j->was - is;
    double usual = s->ntasks > MANY ? fmin(deviations * j->spread, least) : 0;

    if (isnan(less) || fabs(less) < fmax(fmax(usual, speed_finest),
                                         3 * chance))
        return 0;
    return exp(is + j->alike) * (exp(less) - 1);
}

/* What it has less to do, or more, than just before. */
static void add_net(const struct speed *s, uint32_t i, struct judged *j,
                    double chance)
{
    double was = exp(speed_recent(s, i, j->phase));
    double is = exp((double)s->task[i].before + s->shift[i] + j->alike);

    if (isnan(was))
        return;
    if (s->task[i].odd)
        j->new_ns += is - was;
    else
        j->net_ns += was - is;
    j->net_ns2 += pow(was * chance, 2);
}

/* Has it more to do, or less, than just before, by what it does not vary by? */
static void add_turned(const struct speed *s, uint32_t i, struct judged *j,
                       double chance)
{
    double was = exp(speed_recent(s, i, j->phase) - j->was + j->alike);
    double is = exp((double)s->task[i].before + s->shift[i] + j->alike);

    if (isnan(was) || fabs(log(is / was)) <= fmax(2 * speed_finest,
                                                  4 * chance))
        return;
    j->turned++;
    j->fewer_ns += fmax(was - is, 0);
    j->more_ns += fmax(is - was, 0);
}

static void judge_one(struct speed *s, uint32_t i, struct judged *j,
                      const struct odd_limit *limit, struct odd_found *f,
                      struct odd_task *odd, size_t k)
{
    struct odd_task o = { .rank = i };
    double least = least_of(s, i, j), normal, loss, chance;

    s->task[i].odd = 0;
    if (isnan(s->shift[i]))
        return;
    normal = normal_of(s, i, j->alike);
    chance = chance_of(s, i, j);
    loss = loss_of(s, i, j, least, chance);
    if (loss > 0)
        j->loss_ns += loss;
    if (s->shift[i] >= least && s->shift[i] + j->alike >= least &&
        speed_was(s, i, j->phase, j->was) <= 0.45 * s->shift[i]) {
        o.times = exp(s->shift[i]);
        o.extra_ns = normal * (o.times - 1);
        o.share = o.extra_ns / j->call_ns;
    }
    if (!(o.extra_ns > 0) || o.share < limit->share) {
        j->others_ns += normal;
        add_net(s, i, j, chance);
        add_turned(s, i, j, chance);
        if (loss < 0)
            j->chance_ns -= loss;
        return;
    }
    s->task[i].odd = 1;
    add_net(s, i, j, chance);
    j->gain_ns += o.extra_ns;
    put(odd, f->nodd < k ? f->nodd : k, k, &o);
    f->nodd++;
}

/* By what do all become slower or faster together from one window of the phase
 * to the next, where others use the machine? The deviation (MAD) before a
 * window: that work was dealt out anew once or twice does not make it larger. */
static double all_vary(struct speed *s, uint32_t phase, uint64_t since)
{
    const struct speed_window *last = &s->ring[(s->windows - 1) % SPEED_RING];
    double v[SPEED_RING], was = (double)NAN;
    size_t n = 0;

    if (!share_is_of_others(last->had_ns, last->wanted_ns))
        return 0;
    for (uint64_t w = speed_first(s); w < since; w++) {
        struct speed_span one = speed_one(s, phase, w);
        double x = one.n ? alike_about(s, phase, &one) : (double)NAN;

        if (isnan(x))
            continue;
        if (!isnan(was))
            v[n++] = fabs(x - was);
        was = x;
    }
    return n < VARIED ? 0 : POLISH_MAD * polish_median(v, n);
}

/* Is what some have less about what others have more? */
static bool is_about(double less, double more)
{
    return less > 0.6 * more && less < 1.7 * more;
}

/* Have many tasks other parts of the work than before, as where a mesh adapts,
 * a storm moves or the work is balanced? Whoever has more then is not slow. */
static bool is_dealt_anew(const struct judged *j, uint32_t nodd,
                          uint32_t ntasks)
{
    return j->turned > 0 && j->turned + nodd > dealt * ntasks &&
           j->fewer_ns > 0.4 * (j->new_ns + j->more_ns);
}

/* Have others as much less to do as the odd have more? Some of them, all a
 * little, or some less and some more: what all vary by is much more than what
 * one can have taken over, in a large job. What all have less of now and then,
 * as others leave them more of the machine, has not moved. */
static bool has_moved(struct speed *s, const struct judged *j, uint32_t nodd,
                      uint64_t since)
{
    double loss = fmax(j->loss_ns - j->chance_ns, 0), all = loss, together;
    double least = fmax(speed_finest / 2, j->unsure);
    bool net = is_about(j->net_ns, j->new_ns) &&
               j->net_ns > 4 * sqrt(j->net_ns2);

    if (loss > 0.5 * fmax(j->new_ns, j->gain_ns / 2) ||
        is_dealt_anew(j, nodd, s->ntasks))
        return true;
    if (!net && j->alike >= -least)
        return is_about(loss, j->gain_ns);
    together = all_vary(s, j->phase, since);
    if (j->alike < -fmax(least, 2 * together))
        all += j->others_ns * (exp(-j->alike) - 1);
    return is_about(all, j->gain_ns) ||
           (net && j->net_ns > 4 * hypot(sqrt(j->net_ns2),
                                         together * j->others_ns));
}

bool odd_may_be(struct speed *s, uint32_t phase, uint64_t since, double factor)
{
    struct speed_span span = speed_span(s, phase, since, s->windows);
    double alike, most = -INFINITY;

    speed_set_before(s, phase, since);
    alike = alike_of(s, phase, &span, s->shift);
    for (uint32_t i = 0; i < s->ntasks; i++)
        most = s->shift[i] > most ? s->shift[i] : most;
    return most - alike >= log(factor) || alike >= log(factor);
}

bool odd_judge(struct speed *s, uint32_t phase, uint64_t since, uint64_t from,
                 const struct odd_limit *limit, struct odd_found *f,
                 struct odd_task *odd, size_t k)
{
    struct speed_span span = speed_span(s, phase, from, s->windows);
    struct judged j = { .phase = phase, .unsure = limit->unsure };
    double ns, calls;

    *f = (struct odd_found){ 0 };
    speed_set_before(s, phase, since);
    j.alike = alike_of(s, phase, &span, s->shift);
    calls = speed_calls(s, from, phase, &ns);
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
                   fmin(deviations * fmax(j.spread, speed_finest / 2), 1));
    j.sure = sqrt(span.n);
    for (uint32_t i = 0; i < s->ntasks; i++)
        judge_one(s, i, &j, limit, f, odd, k);
    f->share = (1 - 1 / f->alike) * j.others_ns / s->ntasks / j.call_ns;
    f->moved = f->nodd && has_moved(s, &j, f->nodd, since);
    f->of = span.n;
    return true;
}
