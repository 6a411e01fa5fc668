/* say.c - see say.h. */
#include "policies/deadline/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "policies/deadline/evidence.h"
#include "policies/deadline/when.h"
#include "policies/lib/words.h"

enum { CLAUSE = 120, LINES = 3, FIRST = 4,
       STRAYS = 8 };            /* ends that have ended nothing */
/* A margin that has changed by less has not. */
static const double plain = 0.05;

static const char *how_long(char buf[WORDS_TIME], int64_t ns)
{
    return words_short(buf, (double)ns);
}

/* "; margin fell from 41 % to -16 % over the last 32" */
static const char *fell(char buf[CLAUSE], const struct due *d, double to)
{
    double v[MARGIN_POINTS], from = 0;
    uint32_t n = margin_points(&d->margin, v);

    buf[0] = '\0';
    if (n < MARGIN_LEAST)
        return buf;
    for (uint32_t i = 0; i < FIRST; i++)
        from += v[i] / FIRST;
    if (from - to > plain)
        snprintf(buf, CLAUSE, "; margin fell from %.0f %% to %.0f %% over the "
                 "last %" PRIu32, 100 * from, 100 * to, n);
    return buf;
}

static const char *held_by(uint32_t flags)
{
    return flags & HCT_STOPPED     ? ", while it was stopped by a signal"
           : flags & HCT_SUSPENDED ? ", while it was suspended by Hector"
           : flags & HCT_MIGRATING ? ", while it was moved"
           : flags & HCT_TRACED    ? ", while it was held by a debugger" : "";
}

/* "instance 1207 of rank 2 (MPI_Sendrecv)" */
static const char *which(char buf[CLAUSE], const struct outcome *o,
                         const struct hct_snapshot *in)
{
    char call[48] = "", rank[24] = "";

    if (o->call)
        snprintf(call, sizeof(call), " (%s)", hct_call(in, o->call)->name);
    if (o->rank != HCT_NO_RANK)
        snprintf(rank, sizeof(rank), " of rank %" PRIu32, o->rank);
    else if (o->who != HCT_NO_RANK && !o->open)
        snprintf(rank, sizeof(rank), ", last rank %" PRIu32, o->who);
    snprintf(buf, CLAUSE, "instance %" PRIu64 "%s%s", o->number, rank, call);
    return buf;
}

static struct hct_verdict *begin(struct due *d, enum hct_deadline_what what,
                                 double score, int64_t since_ns,
                                 const struct hct_snapshot *in,
                                 struct hct_out *out)
{
    struct hct_verdict *v;
    int64_t age = when_since(when_now(in->now_ns), since_ns);

    if (out->nverdicts >= out->verdicts_max ||
        out->nlines + LINES > out->lines_max)
        return NULL;            /* the next time */
    v = words_verdict(out, HCT_DEADLINE);
    v->deadline = d ? d->is.number : 0;
    v->what = what;
    v->score = score;
    v->age_ns = age > 0 ? (uint64_t)age : 0;
    return v;
}

static void blame(struct hct_verdict *v, uint32_t rank,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    if (rank >= in->nranks)
        return;
    if (out->nranks < out->ranks_max)
        words_blame(out, rank);
    v->phase = hct_rank(in, rank)->phase;
}

/* ---------------------------------------------------------- where time went */

static void say_last_in(const struct evidence *e, const struct outcome *o,
                        const struct hct_snapshot *in, struct hct_out *out)
{
    char after[WORDS_TIME];

    if (!e->round)
        return;
    words_line(
        out, (int32_t)e->round->last, "entered %s last, %s after rank %" PRIu32,
        hct_call(in, o->call)->name,
        how_long(after, when_since(e->round->last_ns, e->round->first_ns)),
        e->round->first);
}

static const char *by_look(char buf[CLAUSE], const struct evidence *e)
{
    char over[WORDS_TIME];

    words_time(over, (uint64_t)((double)e->over_s * 1e9));
    buf[0] = '\0';
    if (e->what == EVIDENCE_STARVED)
        snprintf(buf, CLAUSE,
                 "wanted a processor and had none for %.0f %% of %s",
                 100 * e->part, over);
    else if (e->what == EVIDENCE_SHARED)
        snprintf(buf, CLAUSE, "had a processor for %.0f %% of %s, and wanted one "
                 "at each look", 100 * e->part, over);
    else if (e->what == EVIDENCE_WORK)
        snprintf(buf, CLAUSE, "computed for %.0f %% more of %s than before",
                 100 * e->part, over);
    return buf;
}

static void say_where(struct deadline *s, const struct due *d,
                      const struct outcome *o, const struct hct_snapshot *in,
                      struct hct_verdict *v, struct hct_out *out)
{
    struct evidence e;
    char long_[WORDS_TIME], usual[WORDS_TIME], look[CLAUSE];
    const char *call = hct_call(in, o->call)->name;
    double more_out, more_in;
    bool before;

    evidence_find(s, d, o, in, &e);
    by_look(look, &e);
    more_out = e.split ? e.out_ns - e.usual_out_ns : 0;
    more_in = e.split ? e.in_ns - e.usual_in_ns : 0;
    before = more_out > more_in;
    if (e.split && fmax(more_in, more_out) > plain * (double)d->is.limit_ns) {
        v->where = before ? HCT_WHERE_COMPUTATION : HCT_WHERE_COMMUNICATION;
        words_line(out, (int32_t)o->who, "%s %s %s, usually %s%s%s",
                   words_short(long_, before ? e.out_ns : e.in_ns),
                   before ? "before" : "in", call,
                   words_short(usual, before ? e.usual_out_ns : e.usual_in_ns),
                   before && *look ? "; " : "", before ? look : "");
    } else if (*look) {
        v->where = HCT_WHERE_COMPUTATION;
        words_line(out, (int32_t)o->who, "%s", look);
    }
    if (!before)
        say_last_in(&e, o, in, out);
}

/* ----------------------------------------------------------------- verdicts */

static bool say_missed(struct deadline *s, struct due *d,
                       const struct hct_snapshot *in, struct hct_out *out)
{
    const struct news *n = &d->news;
    const struct outcome *o = &n->o;
    int64_t now_ns = when_now(in->now_ns);
    double to =
        hct_margin(o->due_ns, o->open ? now_ns : o->done_ns, d->is.limit_ns);
    char by[WORDS_TIME], in_all[CLAUSE] = "", off[CLAUSE] = "", is[CLAUSE],
        trend[CLAUSE], since[WORDS_TIME];
    struct hct_verdict *v =
        begin(d, HCT_DEADLINE_MISSED, d->is.firm ? 1 : words_score(1),
              o->due_ns, in, out);

    if (!v)
        return false;
    blame(v, o->who, in, out);
    how_long(by, when_since(o->open ? now_ns : o->done_ns, o->due_ns));
    if (n->missed > 1 && now_ns > n->since_ns)
        snprintf(in_all, sizeof(in_all), ", %" PRIu64 " in %s", n->missed,
                 how_long(since, when_since(now_ns, n->since_ns)));
    if (o->bound_ns > (double)when_since(o->open ? now_ns : o->done_ns, o->due_ns) / 10)
        snprintf(off, sizeof(off), ", of which clocks are %s at most",
                 words_short(since, (double)o->bound_ns));
    which(is, o, in);
    fell(trend, d, to);
    if (o->open)
        words_line(out, HCT_NONE,
                   "deadline %s: missed: %s was due %s ago and has "
                   "not ended%s%s%s%s%s",
                   d->is.text, is, by, off, in_all, held_by(o->held),
                   d->is.firm ? "; it is of no use any more" : "", trend);
    else
        words_line(out, HCT_NONE, "deadline %s: missed by %s%s in %s%s%s%s%s",
                   d->is.text, by, off, is, in_all, held_by(o->held),
                   d->is.firm ? "; it is of no use any more" : "", trend);
    if (!o->held)
        say_where(s, d, o, in, v, out);
    return true;
}

static bool say_declining(struct deadline *s, struct due *d,
                          const struct hct_snapshot *in, struct hct_out *out)
{
    const struct margin *m = &d->margin;
    uint32_t worst = margin_worst(m, s->knob.sustain);
    bool known = margin_is_known(m);
    char chance[CLAUSE] = "", trend[CLAUSE], unsure[CLAUSE] = "", rank[32] = "";
    struct hct_verdict *v = begin(d, HCT_DEADLINE_DECLINING,
                                  words_score(known ? m->chance : 0.5),
                                  d->news.since_ns, in, out);

    if (!v)
        return false;
    blame(v, worst, in, out);
    if (worst < in->nranks)
        snprintf(rank, sizeof(rank), ", worst of rank %" PRIu32, worst);
    if (known)
        snprintf(chance, sizeof(chance),
                 "; one of the next %" PRIu32 " is missed "
                 "with a chance of %.0f %%",
                 s->knob.horizon, 100 * m->chance);
    if (d->unsure)
        snprintf(unsure, sizeof(unsure),
                 "; %" PRIu64 " were late by no more than "
                 "clocks may be off",
                 d->unsure);
    words_line(out, HCT_NONE,
               "deadline %s: still met, with a margin of %.0f %% "
               "(%.0f +- %.0f %% so far)%s%s%s%s",
               d->is.text, 100 * d->news.margin, 100 * m->mean,
               100 * margin_deviation(m), rank, fell(trend, d, d->news.margin),
               chance, unsure);
    return true;
}

static bool say_met_again(struct due *d, const struct hct_snapshot *in,
                          struct hct_out *out)
{
    const struct news *n = &d->news;
    bool known = margin_is_known(&d->margin);
    char since[WORDS_TIME], missed[CLAUSE] = "";
    struct hct_verdict *v = begin(
        d, HCT_DEADLINE_MET_AGAIN,
        words_score(known ? 1 - d->margin.chance : 0.5), n->since_ns, in, out);

    if (!v)
        return false;
    if (n->missed)
        snprintf(missed, sizeof(missed), ", after %" PRIu64 " missed",
                 n->missed);
    words_line(out, HCT_NONE,
               "deadline %s: met again, with a margin of %.0f %%%s; "
               "it was worse for %s",
               d->is.text, 100 * n->margin, missed,
               how_long(since, (int64_t)v->age_ns));
    return true;
}

static bool say_never(struct deadline *s, struct due *d,
                      const struct hct_snapshot *in, struct hct_out *out)
{
    int64_t since_ns = s->running_ns > d->seen_ns ? s->running_ns : d->seen_ns;
    char since[WORDS_TIME];
    struct hct_verdict *v =
        begin(d, HCT_DEADLINE_NEVER, words_score(1), since_ns, in, out);

    if (!v)
        return false;
    if (d->events)
        words_line(out, HCT_NONE,
                   "deadline %s: its second label has not come in %s, "
                   "the first one %" PRIu64 " times",
                   d->is.text, how_long(since, (int64_t)v->age_ns), d->events);
    else
        words_line(out, HCT_NONE,
                   "deadline %s: no call with its label has come in %s",
                   d->is.text, how_long(since, (int64_t)v->age_ns));
    return true;
}

static bool say_short(struct due *d, const struct hct_snapshot *in,
                      struct hct_out *out)
{
    char off[WORDS_TIME];

    if (!begin(d, 0, words_score(1), when_now(in->now_ns), in, out))
        return false;
    words_line(out, HCT_NONE,
               "deadline %s: clocks may be off by %s, which is more "
               "than it allows: what is late by less is not known to be",
               d->is.text, words_short(off, (double)d->short_bound_ns));
    return true;
}

/* None of its ends has ended anything. */
static bool has_strays(const struct due *d)
{
    return d->events && d->strays >= STRAYS && d->strays == d->ends;
}

static bool say_strays(struct due *d, const struct hct_snapshot *in,
                       struct hct_out *out)
{
    if (!begin(d, 0, words_score(1), when_now(in->now_ns), in, out))
        return false;
    words_line(out, HCT_NONE,
               "deadline %s: none of %" PRIu64 " calls of its second label "
               "has had the marker of a call of the first one before it: an "
               "instance is of one marker",
               d->is.text, d->ends);
    return true;
}

static bool say_unfit(struct deadline *s, const struct hct_snapshot *in,
                      struct hct_out *out)
{
    if (!begin(NULL, 0, words_score(1), when_now(in->now_ns), in, out))
        return false;
    words_line(out, HCT_NONE,
               "deadlines: %" PRIu64 " instances found no room, and are "
               "not judged",
               s->unfit);
    return true;
}

static bool say_news(struct deadline *s, struct due *d,
                     const struct hct_snapshot *in, struct hct_out *out)
{
    switch (d->news.what) {
    case NEWS_DECLINING:
        return say_declining(s, d, in, out);
    case NEWS_MISSED:
        return say_missed(s, d, in, out);
    case NEWS_MET_AGAIN:
        return say_met_again(d, in, out);
    case NEWS_NEVER:
        return say_never(s, d, in, out);
    default:
        return true;
    }
}

bool say_all(struct deadline *s, const struct hct_snapshot *in,
             struct hct_out *out)
{
    bool all = true;

    for (uint32_t i = 0; i < HCT_DEADLINES_MAX; i++) {
        struct due *d = &s->due[i];

        if (d->news.what && say_news(s, d, in, out))
            d->news.what = NEWS_NONE;
        if (d->short_bound_ns && !d->short_said)
            d->short_said = say_short(d, in, out);
        if (has_strays(d) && !d->strays_said)
            d->strays_said = say_strays(d, in, out);
        all &= !d->news.what && (!d->short_bound_ns || d->short_said) &&
               (!has_strays(d) || d->strays_said);
    }
    if (s->unfit / 10 > s->unfit_said || (s->unfit && !s->unfit_said)) {
        if (say_unfit(s, in, out))
            s->unfit_said = s->unfit;
        else
            all = false;
    }
    return all;
}
