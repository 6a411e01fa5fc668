/* slow_say.c - what the policy slow has found, in words. */
#include "policies/slow/slow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "policies/lib/words.h"

enum { WHO = WORDS_RANKS + 24, WHERE = 160, WHY = 80, TOLD_MAX = 5 };

/* "task 3", "tasks 3,7", "node 2 (tasks 4-7)" */
static const char *who(char buf[WHO], const struct slow_suspicion *x,
                       const uint32_t *ranks, uint32_t n)
{
    char list[WORDS_RANKS];
    const char *numbers = words_ranks(list, ranks, n);

    numbers += n == 1 ? sizeof("rank") : sizeof("ranks");
    if (x->node)
        snprintf(buf, WHO, "node %" PRIu32 " (task%s %s)", x->node,
                 n == 1 ? "" : "s", numbers);
    else
        snprintf(buf, WHO, "task%s %s", n == 1 ? "" : "s", numbers);
    return buf;
}

static const char *where(char buf[WHERE], const struct region_grown *g,
                         const struct hct_snapshot *in)
{
    buf[0] = '\0';
    if (g && g->step_ns > 0)
        snprintf(buf, WHERE, ": between %s and %s",
                 g->step.call ? hct_call(in, g->step.call)->name
                              : "the beginning",
                 hct_call(in, g->step.to_call)->name);
    return buf;
}

/* Ranks of all that are odd, and blames them. */
static uint32_t blame(const struct speed *speed, struct hct_out *out,
                      const uint32_t **ranks)
{
    uint32_t first = out->nranks, n = 0;

    for (uint32_t i = 0; i < speed->ntasks; i++)
        if (speed->task[i].odd) {
            words_blame(out, i);
            n++;
        }
    *ranks = out->ranks + first;
    return out->nranks - first < n ? out->nranks - first : n;
}

static void say_step(uint32_t rank, const struct region_grown *g,
                     const struct hct_snapshot *in, struct hct_out *out)
{
    char at[WHERE], longer[WORDS_TIME];

    if (!g || !(g->step_ns > 0))
        return;
    words_line(out, (int32_t)rank, "%s longer each time%s, %.1f times as long "
               "as before", words_time(longer, (uint64_t)g->each_ns),
               where(at, g, in), g->times);
    words_places(out, g->step.site, 0);
}

/* Why? As far as the processor's counters tell. */
static const char *by_effort(char buf[WHY], const struct effort_change *c)
{
    switch (c->cause) {
    case EFFORT_WORK:
        snprintf(buf, WHY, ", with %.1f times the instructions",
                 c->instructions);
        break;
    case EFFORT_MEMORY:
        snprintf(buf, WHY, ", memory is slow (%.1f times the cycles for an "
                 "instruction)", c->each);
        break;
    case EFFORT_CLOCK:
        snprintf(buf, WHY, ", at %.0f %% of the clock", 100 * c->clock);
        break;
    default:
        return "";
    }
    return buf;
}

/* ... or the kernel's account of the processor: only what runs counts. */
static const char *how(char buf[WHY], const struct slow_suspicion *x,
                       const struct region_grown *g)
{
    if (slow_kept(x, g))
        return ", kept from the processor";
    if (g && x->found.nodd && g->asleep_ns > x->extra_ns / 2)
        return ", most of it asleep";
    return by_effort(buf, &x->effort);
}

/* Who executes more instructions does not do the same, in the same calls. */
static const char *same(const struct slow_suspicion *x)
{
    return x->effort.cause == EFFORT_WORK ? "calls" : "work";
}

static void say_odd(const struct slow_suspicion *x, struct hct_verdict *v,
                    const struct region_grown *g, const struct speed *speed,
                    const struct hct_snapshot *in, struct hct_out *out)
{
    char name[WHO], at[WHERE], since[WORDS_TIME], buf[WHY];
    const char *why = how(buf, x, g);
    const uint32_t *ranks;
    uint32_t n = blame(speed, out, &ranks);

    v->score = words_score(x->change.p);
    words_line(out, HCT_NONE,
               "%s compute%s %.1f times as long as before for the same %s%s, "
               "since %s%s, %.0f %% of the job's time",
               who(name, x, ranks, n), n == 1 || x->node ? "s" : "",
               x->odd[0].times, why == buf ? same(x) : "work", why,
               words_time(since, v->age_ns), where(at, g, in),
               100 * x->odd[0].share);
    say_step(x->odd[x->shown].rank, g, in, out);
    for (uint32_t i = 1; i < x->found.nodd && i < TOLD_MAX; i++)
        words_line(out, (int32_t)x->odd[i].rank, "computes %.1f times as long as "
                   "before, compared with the others", x->odd[i].times);
}

/* Nobody is to blame. */
static void say_all(const struct slow_suspicion *x, struct hct_verdict *v,
                    const struct region_grown *g,
                    const struct hct_snapshot *in, struct hct_out *out)
{
    char at[WHERE], since[WORDS_TIME], why[WHY];

    words_line(out, HCT_NONE, "all tasks compute %.1f times as long as before for "
               "the same calls%s, since %s%s", x->found.alike,
               by_effort(why, &x->effort), words_time(since, v->age_ns),
               where(at, g, in));
}

/* Of a machine that others use nobody knows whether it is they who take more of
 * it, or all tasks who are slow, where that is little: the load of one changes by
 * a quarter in minutes. */
static bool may_be_load(const struct slow_suspicion *x,
                        const struct region_grown *g)
{
    static const double used = 0.5, plain = 1.5;

    return g->part > used && x->found.alike < plain;
}

bool slow_kept(const struct slow_suspicion *x, const struct region_grown *g)
{
    double all = fmax(x->found.alike - 1, 0);

    if (!g)
        return false;
    if (x->of_work)             /* that it had a processor for, or alone had none */
        return x->found.nodd && x->alone;
    /* What all are kept for longer is not what the one is slower by, nor is what
       it is kept in MPI where it sleeps for longer outside. */
    if (x->found.nodd)
        return !(g->asleep_ns > x->extra_ns / 2) &&
               g->starved_ns - all * g->takes_ns > x->extra_ns / 2;
    return !g->sleeps &&
           (g->starved_ns > x->extra_ns / 2 || may_be_load(x, g));
}

void slow_say(const struct slow_suspicion *x, const struct region_grown *grown,
              const struct speed *speed, const struct hct_snapshot *in,
              struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_SLOWDOWN);

    if (!v)
        return;
    v->phase = hct_rank(in, 0)->phase;
    v->age_ns = in->now_ns - x->began_ns;
    v->where = HCT_WHERE_COMPUTATION;
    if (x->found.nodd)
        say_odd(x, v, grown, speed, in, out);
    else
        say_all(x, v, grown, in, out);
}

void slow_say_over(const struct slow_suspicion *x, struct hct_out *out)
{
    if (!words_verdict(out, HCT_PROGRESS))
        return;
    if (x->found.nodd)
        words_line(out, HCT_NONE, "who was slow is as fast as before");
    else
        words_line(out, HCT_NONE, "it is as fast as before");
}
