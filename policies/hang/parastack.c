/* parastack.c - the published method, see parastack.h. Numbers of sections are
 * those of the paper. */
#include "policies/hang/parastack.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "policies/deadlock/transit.h"
#include "policies/lib/lot.h"
#include "policies/lib/words.h"

enum { CHECK_NS = 100 * 1000 * 1000, BLAMED = 12, WAITING = 64 };

uint64_t parastack_step(uint64_t *state, uint64_t interval_ns)
{
    return lot_below(state, interval_ns + 1) + interval_ns / 2;
}

bool parastack_in(const struct hct_snapshot *in, const struct hct_rank *k)
{
    unsigned class_ = hct_call(in, k->call)->class_;

    if (k->life == HCT_LIFE_INIT || k->life == HCT_LIFE_FINALIZE)
        return true;
    if (k->flags & HCT_IN_MPI)
        return true;
    /* Section 6: any thread, where several may communicate. */
    if ((k->flags & HCT_PAGE) && k->threads > 1 &&
        k->level != HCT_LEVEL_SINGLE && k->level != HCT_LEVEL_FUNNELED &&
        k->threads_in > 0)
        return true;
    /* Section 4: between two questions of a loop; a task that has asked just
     * now and computes for long is out. */
    return (k->flags & HCT_PAGE) && k->age_ns < CHECK_NS / 10 &&
           (class_ == HCT_CLASS_TEST || (class_ == HCT_CLASS_PROBE &&
            (hct_call(in, k->call)->flags & HCT_CALL_POLL)));
}

/* Section 3.3: two disjoint random sets. */
static void choose_sets(struct parastack *p, uint32_t nranks)
{
    p->nset = nranks / 2 < PARASTACK_C ? nranks / 2 : PARASTACK_C;
    if (p->nset == 0)
        p->nset = 1;
    for (uint32_t n = 0; nranks > 1 && n < 2 * p->nset;) {
        uint32_t r = (uint32_t)lot_below(&p->random, nranks);
        bool taken = false;

        for (uint32_t i = 0; i < n; i++)
            taken |= p->set[i / p->nset][i % p->nset] == r;
        if (!taken) {
            p->set[n / p->nset][n % p->nset] = r;
            n++;
        }
    }
}

void parastack_init(struct parastack *p, const struct hct_job *job,
                    const struct parastack_options *options)
{
    p->options = *options;
    p->random = job->seed;
    choose_sets(p, job->nranks);
}

static void forget_streaks(struct parastack *p)
{
    for (unsigned i = 0; i < PARASTACK_LOWS; i++)
        p->streak[i].n = 0;
    p->nlow = p->checks = 0;
}

static void end_streak(struct parastack_streak *s, uint64_t now_ns)
{
    if (s->n && now_ns - s->began_ns > s->longest_ns)
        s->longest_ns = now_ns - s->began_ns;
    s->n = 0;
}

/* It was none of a hang: m learns its values. */
static void end_streaks(struct parastack *p, struct sout *m, uint64_t now_ns)
{
    for (uint32_t i = 0; i < p->nlow; i++)
        sout_add(m, p->low[i]);
    for (unsigned i = 0; i < PARASTACK_LOWS; i++)
        end_streak(&p->streak[i], now_ns);
    forget_streaks(p);
}

static void moves_again(struct parastack *p, struct hct_out *out)
{
    if (p->reported && words_verdict(out, HCT_PROGRESS))
        words_line(out, HCT_NONE, "the job moves again");
    p->reported = 0;
}

/* Section 6: a model for each phase, which goes on when the phase comes again.
 * Whoever begins one does not hang. */
static struct sout *model_of(struct parastack *p, const struct hct_snapshot *in,
                             struct hct_out *out)
{
    uint32_t of = p->options.mode == PARASTACK_ALL ? in->nranks : p->nset;
    struct sout *before = &p->model[p->phases.at], *m;
    enum phasebook_turn turn = phasebook_turn(&p->phases, hct_rank(in, 0));

    m = &p->model[p->phases.at];
    if (turn == PHASEBOOK_STAYS)
        return m;
    end_streaks(p, before, in->now_ns);
    moves_again(p, out);
    if (turn == PHASEBOOK_NEW)
        sout_init(m, of, p->options.interval_ns,
                  p->options.mode == PARASTACK_FIXED ? p->options.interval_ns
                                          : p->options.interval_max_ns);
    return m;
}

static uint32_t count_out(const struct parastack *p,
                          const struct hct_snapshot *in, uint32_t *of)
{
    uint32_t n = 0;

    *of = p->options.mode == PARASTACK_ALL ? in->nranks : p->nset;
    for (uint32_t i = 0; i < *of; i++) {
        uint32_t r = p->options.mode == PARASTACK_ALL ? i
                                                      : p->set[p->uses][i];

        n += r < in->nranks && !parastack_in(in, hct_rank(in, r));
    }
    return n;
}

/* What is low, of each kind; k is 0 where nothing is. Two tests share the chance
 * of a false alarm. */
static void limits(const struct parastack *p, const struct sout *m,
                   struct sout_limit *l)
{
    double alpha = p->options.alpha;

    memset(l, 0, PARASTACK_LOWS * sizeof(*l));
    if (p->options.mode == PARASTACK_FIXED) {
        l[PARASTACK_LOW].k = p->options.fixed;
    } else if (sout_limit(m, alpha, 0, &l[PARASTACK_LOW]) &&
               l[PARASTACK_LOW].level == 0 && p->options.mode == PARASTACK_ALL &&
               sout_limit(m, alpha / 2, 1, &l[PARASTACK_ONE])) {
        l[PARASTACK_LOW].k = sout_times(l[PARASTACK_LOW].q, alpha / 2);
    }
    if (!l[PARASTACK_ONE].k)
        l[PARASTACK_ONE] = l[PARASTACK_LOW];
}

/* One sample. True: a streak is long enough. */
static bool sample(struct parastack *p, struct sout *m,
                   const struct hct_snapshot *in)
{
    struct sout_limit l[PARASTACK_LOWS];
    uint32_t of, level, out = count_out(p, in, &of);
    bool enough = false;

    if (++p->observed % PARASTACK_SWAP == 0)
        p->uses = !p->uses;
    level = sout_level(m, out, of);
    limits(p, m, l);
    if (!l[PARASTACK_ONE].k || level > l[PARASTACK_ONE].level) {
        /* A hang must not teach the model that hangs are usual: the values
         * of a streak count when it is over. */
        end_streaks(p, m, in->now_ns);
        sout_add(m, level);
        return false;
    }
    if (p->nlow < SOUT_LEVELS)
        p->low[p->nlow++] = (uint16_t)level;
    for (unsigned i = PARASTACK_LOWS; i-- > 0;) {
        struct parastack_streak *s = &p->streak[i];

        if (level > l[i].level) {
            end_streak(s, in->now_ns);
            continue;
        }
        if (s->n++ == 0)
            s->began_ns = in->now_ns;
        s->q = l[i].q;
        if (s->n >= l[i].k) {
            p->low_by = (uint8_t)i;
            enough = true;
        }
    }
    return enough;
}

static bool judged(const struct hct_snapshot *in)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->life < HCT_LIFE_RUNNING || !(k->flags & HCT_OBSERVED) ||
            (k->flags & (HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                         HCT_STDIN | HCT_STOPPED)))
            return false;
        running += k->life == HCT_LIFE_RUNNING;
    }
    return running > 0;
}

/* Is what is known of a stack what has been counted already? */
static bool stale(const struct parastack_rank *ranks,
                  const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if ((k->flags & HCT_STACK) && k->life == HCT_LIFE_RUNNING &&
            k->sample == ranks[i].sample)
            return true;
    }
    return false;
}

static void count_stacks(struct parastack_rank *ranks,
                         const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        ranks[i].sample = hct_rank(in, i)->sample;
}

uint32_t parastack_stacks(const struct hct_snapshot *in)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < in->nranks; i++)
        n += (hct_rank(in, i)->flags & HCT_STACK) != 0;
    return n;
}

/* Who is to blame, so that the host adds where that is, and how that is
 * known. */
static void say_stacks(const struct parastack_rank *ranks,
                       const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t n = 0, some[16], all = parastack_stacks(in);
    char who[WORDS_RANKS];

    if (all == 0)
        return;
    for (uint32_t i = 0; i < in->nranks && n < BLAMED; i++) {
        const char *call = hct_call(in, hct_rank(in, i)->call)->name;

        if (!ranks[i].out_always)
            continue;
        words_line(out, (int32_t)i, "rank %" PRIu32 " is outside of MPI%s%s",
                   i, *call ? ", after " : "", call);
        n++;
    }
    n = 0;
    for (uint32_t i = 0; i < in->nranks && n < 16; i++)
        if (hct_rank(in, i)->flags & HCT_STACK)
            some[n++] = i;
    words_line(out, HCT_NONE, "states come from stacks, looked at now and "
               "then: %s%s %s no wrapper library",
               words_ranks(who, some, n), all > n ? " and more" : "",
               all == 1 ? "has" : "have");
}

static void remember(struct parastack_rank *ranks,
                     const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        ranks[i].call = k->call;
        ranks[i].in = parastack_in(in, k);
        ranks[i].out_always = !ranks[i].in;
    }
}

static bool asks(const struct hct_snapshot *in, uint32_t call)
{
    const struct hct_call *c = hct_call(in, call);

    return (c->flags & HCT_CALL_POLL) &&
           (c->class_ == HCT_CLASS_TEST || c->class_ == HCT_CLASS_PROBE);
}

/* Section 3.3, transient slow-downs: does anybody go through different
 * functions, or in and out of one that does not just ask? */
static bool steps_on(struct parastack_rank *ranks,
                     const struct hct_snapshot *in)
{
    bool steps = false;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        bool now = parastack_in(in, k);

        if (ranks[i].call != k->call)
            steps |= !asks(in, ranks[i].call) || !asks(in, k->call);
        else if (ranks[i].in != now)
            steps |= !asks(in, k->call);
        ranks[i].out_always = ranks[i].out_always && !now;
    }
    return steps;
}

static bool on_several_nodes(const struct hct_snapshot *in)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        uint32_t node = hct_rank(in, i)->node;

        if (first && node && node != first)
            return true;
        first = first ? first : node;
    }
    return false;
}

/* Nobody is out: what they send each other is not known, and the network may
 * keep it for as long as it likes. */
static bool may_be_network(const struct parastack *p,
                           const struct parastack_rank *ranks,
                           const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        if (ranks[i].out_always)
            return false;
    return p->options.patience_ns && on_several_nodes(in);
}

static void notice(struct parastack *p, const struct hct_snapshot *in,
                   struct hct_out *out)
{
    const struct parastack_streak *s = &p->streak[p->low_by];
    const struct transit unknown = { .what = TRANSIT_PERHAPS };
    uint64_t age_ns = in->now_ns - s->began_ns;
    char transit[TRANSIT_TEXT], fates[WORDS_FATES], time[WORDS_TIME];
    struct hct_verdict *v;

    if (age_ns < p->options.patience_ns || age_ns < 2 * s->longest_ns)
        return;
    p->noticed_ns = age_ns;
    if (p->reported || !(v = words_verdict(out, HCT_NOTICE)))
        return;
    p->reported = HCT_NOTICE;
    v->phase = hct_rank(in, 0)->phase;
    v->where = HCT_WHERE_COMMUNICATION;
    v->age_ns = age_ns;
    for (uint32_t i = 0; i < in->nranks && i < WAITING; i++)
        words_blame(out, i);
    words_line(out, HCT_NONE, "all tasks are in MPI in %" PRIu32 " looks in a "
               "row, %s%s", s->n, words_time(time, age_ns),
               *words_fates(fates, in) ? fates
               : transit_text(transit, in, &unknown));
}

static void report(struct parastack *p, const struct parastack_rank *ranks,
                   const struct hct_snapshot *in, struct hct_out *out)
{
    const struct parastack_streak *s = &p->streak[p->low_by];
    struct hct_verdict *v = words_verdict(out, HCT_HANG);
    uint32_t n = 0, some[16];
    char who[WORDS_RANKS], time[WORDS_TIME];

    if (!v)
        return;
    for (uint32_t i = 0; i < in->nranks; i++)
        if (ranks[i].out_always) {
            words_blame(out, i);
            if (n < 16)
                some[n] = i;
            n++;
        }
    v->phase = hct_rank(in, 0)->phase;
    v->where = n ? HCT_WHERE_COMPUTATION : HCT_WHERE_COMMUNICATION;
    v->score = p->options.mode == PARASTACK_FIXED ? 0.5
                                                  : 1 - pow(s->q, s->n);
    v->score = words_score(v->score);
    v->longest_ms = words_ms(s->longest_ns);
    v->age_ns = in->now_ns - s->began_ns;
    words_time(time, v->age_ns);
    if (n)
        words_line(out, HCT_NONE, "hang in the computation: %s out of MPI in "
                   "%" PRIu32 " looks in a row, %s",
                   words_ranks(who, some, n < 16 ? n : 16), s->n, time);
    else
        words_line(out, HCT_NONE, "hang in the communication: all tasks are "
                   "in MPI in %" PRIu32 " looks in a row, %s", s->n, time);
    say_stacks(ranks, in, out);
    words_propose(out, HCT_REPORT);
    p->reported = HCT_HANG;
}

static void check(struct parastack *p, struct parastack_rank *ranks,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    if (steps_on(ranks, in)) {
        if (!p->slow && p->options.mode != PARASTACK_FIXED &&
            words_verdict(out, HCT_SLOWDOWN))
            words_line(out, HCT_NONE, "slow: few tasks are out of MPI, and "
                       "some of them step on");
        p->slow = 1;
        forget_streaks(p);
        return;
    }
    p->next_ns = in->now_ns + CHECK_NS;
    if (++p->checks <= PARASTACK_CHECKS)
        return;
    p->checks = 0;
    if (may_be_network(p, ranks, in))
        notice(p, in, out);
    else
        report(p, ranks, in, out);
}

/* Of what a notice was said, a task may be out since: asked at twice the age. */
static bool may_check(const struct parastack *p, const struct hct_snapshot *in)
{
    return !p->reported ||
           (p->reported == HCT_NOTICE &&
            in->now_ns - p->streak[p->low_by].began_ns >= 2 * p->noticed_ns);
}

void parastack_look(struct parastack *p, struct parastack_rank *ranks,
                    const struct hct_snapshot *in, struct hct_out *out)
{
    if (!judged(in)) {
        forget_streaks(p);
        p->next_ns = in->now_ns + p->options.interval_ns;
    } else if (in->now_ns >= p->next_ns && stale(ranks, in)) {
        p->next_ns = in->now_ns + CHECK_NS;
    } else if (in->now_ns >= p->next_ns) {
        struct sout *m = model_of(p, in, out);
        uint64_t interval = m->interval_ns;

        count_stacks(ranks, in);
        p->next_ns = in->now_ns + (p->options.mode == PARASTACK_FIXED
            ? interval : parastack_step(&p->random, interval));
        if (p->checks) {
            check(p, ranks, in, out);
        } else if (sample(p, m, in)) {
            if (may_check(p, in)) {
                remember(ranks, in);
                p->checks = 1;
                p->next_ns = in->now_ns + CHECK_NS;
            }
        } else if (p->streak[PARASTACK_ONE].n == 0) {
            moves_again(p, out);
            p->slow = 0;
        }
    }
    out->wake_ns = p->next_ns;
}
