/* still.c - hangs by counters, see still.h. */
#include "policies/hang/still.h"

#include <math.h>

#include "policies/hang/parastack.h"
#include "policies/lib/words.h"

#define MS ((uint64_t)1000000)
#define SECOND (1000 * MS)

void still_init(struct still *s, const struct hct_job *job,
                const struct still_options *options)
{
    s->options = *options;
    s->random = job->seed;
    s->backoff_ns = 100 * MS;
    s->asks_ns = options->patience_ns;
}

/* Upper bound of a probability, seen x times of n: of Wilson's score interval
 * (E. B. Wilson, JASA 22, 1927), 97.5 %. */
static double bound(uint32_t x, uint32_t n)
{
    const double z = 1.96, zz = z * z;
    double p;

    if (n == 0)
        return 1;
    p = (double)x / n;
    return fmin(1, (p + zz / (2 * n) +
                    z * sqrt(p * (1 - p) / n + zz / (4.0 * n * n))) /
                   (1 + zz / n));
}

/* Has anybody a reason to stand still that is none of the program's? To begin
 * takes the time it takes, unless somebody sleeps over it. */
static bool excused(const struct hct_snapshot *in)
{
    bool running = false, sleeper = false;

    for (uint32_t i = 0; i < in->nranks && !sleeper; i++)
        sleeper = hct_rank(in, i)->life == HCT_LIFE_INIT &&
                  (hct_rank(in, i)->flags & HCT_PAUSES);
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->life < (sleeper ? HCT_LIFE_INIT : HCT_LIFE_RUNNING) ||
            (k->flags & (HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                         HCT_STDIN | HCT_STOPPED)) ||
            (still_alive(k) && !(k->flags & HCT_OBSERVED)))
            return true;
        running |= still_alive(k);
    }
    return !running;
}

/* ---------------------------------------------------------- the samples */

/* Somebody has moved: the streak counts, with so many samples that follow. */
static void learn(struct still *s, uint32_t phase, uint32_t more)
{
    s->phase[phase].n += s->streak + more;
    s->phase[phase].still += s->streak;
    s->streak = 0;
    if (s->phase[phase].n > 100000) {           /* forget slowly */
        s->phase[phase].n /= 2;
        s->phase[phase].still /= 2;
    }
}

/* Still since the last sample? Learns. */
static void sample(struct still *s, const struct hct_snapshot *in,
                   uint64_t since_ns)
{
    uint32_t before = s->phases.at;
    enum phasebook_turn turn = phasebook_turn(&s->phases, hct_rank(in, 0));

    if (turn != PHASEBOOK_STAYS)
        learn(s, before, 0);
    if (turn == PHASEBOOK_NEW)
        s->phase[s->phases.at].n = s->phase[s->phases.at].still = 0;
    if (s->moved_ns < since_ns)
        s->streak++;
    else
        learn(s, s->phases.at, 1);
}

/* That a healthy job has stood still in as many samples in a row. */
static double chance_of(const struct still *s, const struct hct_snapshot *in)
{
    uint32_t i = s->phases.at;

    if (!phasebook_is_at(&s->phases, hct_rank(in, 0)))
        return 1;               /* no sample in this phase yet */
    return pow(bound(s->phase[i].still, s->phase[i].n), s->streak);
}

/* What a look at all says, as far as it counts for a verdict. */
struct judged {
    uint32_t outside, running, visits;
    uint64_t longest_ns;        /* as long as this was a stay, or a wait of all,
                                   before */
    uint64_t still_ns;          /* nobody has moved since then */
    double chance;              /* that a healthy job stands so still */
    bool all, long_enough, pauses, pauses_in;
};

static struct judged judge_outside(const struct still *s,
                                   const struct still_rank *ranks,
                                   const struct hct_snapshot *in)
{
    struct judged j = { .visits = UINT32_MAX, .all = true,
                        .long_enough = true };
    uint32_t seen;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        const struct still_rank *w = &ranks[i];

        if (!still_alive(k))
            continue;
        j.running++;
        j.pauses |= (k->flags & HCT_PAUSES) != 0;
        j.pauses_in |= still_pauses_in(w, k);
        if (!still_outside(w)) {
            j.all &= !w->others;
            continue;
        }
        j.outside++;
        j.all &= still_judged_outside(w, k);
        j.longest_ns = still_max(j.longest_ns,
                                 still_max(still_longest(s, w), k->earlier_ns));
        if (in->now_ns - w->moved_ns < still_allowed_outside(s, w, k, in,
                                                             &seen))
            j.long_enough = false;
        if (seen < j.visits)
            j.visits = seen;
    }
    return j;
}

/* --------------------------------------------------------- the evidence */

/* A hang of few holds up the others; where most are at work, wait. */
static bool few_are_outside(const struct still *s, const struct judged *j,
                            const struct hct_snapshot *in)
{
    (void)s, (void)in;
    return j->outside <= (j->running + 1) / 2;
}

/* Else it is not abnormal what they do, but unknown. */
static bool all_have_been_there(const struct still *s, const struct judged *j,
                                const struct hct_snapshot *in)
{
    (void)s, (void)in;
    return j->all;
}

static bool longer_than_ever(const struct still *s, const struct judged *j,
                             const struct hct_snapshot *in)
{
    (void)s, (void)in;
    return j->long_enough;
}

static bool longer_than_stalls(const struct still *s, const struct judged *j,
                               const struct hct_snapshot *in)
{
    (void)in;
    return j->still_ns >= s->options.sure_ns;
}

static bool unlikely(const struct still *s, const struct judged *j,
                     const struct hct_snapshot *in)
{
    (void)in;
    return j->chance <= s->options.alpha;
}

/* If all wait in MPI, may nobody be released by what is under way? Who sleeps
 * there until a signal comes would not even look. Of one who has ended before its
 * time nothing comes any more. */
static bool nothing_under_way(const struct still *s, const struct judged *j,
                              const struct hct_snapshot *in)
{
    char fates[WORDS_FATES];

    return j->outside || j->pauses_in || *words_fates(fates, in) ||
           (still_transit_known(s) && s->transit.what == TRANSIT_NOTHING);
}

/* Of those who ask in a loop, and wait for each other, something better will be
 * said. */
static bool nobody_asks(const struct still *s, const struct judged *j,
                        const struct hct_snapshot *in)
{
    return j->outside || j->pauses_in || !still_asking_yet(s, in);
}

/* All of it has to hold for a hang to be spoken of. */
static const struct evidence {
    bool (*holds)(const struct still *s, const struct judged *j,
                  const struct hct_snapshot *in);
    uint32_t need;              /* enum hct_need: of a look that may show it */
} evidence[] = {
    /* ParaStack, section 4: the faulty ones are outside, the others wait */
    { few_are_outside, 0 },
    { all_have_been_there, 0 },         /* hct_rank.been: what stacks say */
    { longer_than_ever, 0 },            /* still_limit.c: of alpha, visits */
    { longer_than_stalls, 0 },          /* sure_ns */
    /* ParaStack, section 3.1: k samples in a row, q^k <= alpha; 3.2: q */
    { unlikely, 0 },
    { nothing_under_way, HCT_NEED_DETAIL },     /* transit.h */
    { nobody_asks, 0 },
};

static bool all_holds(const struct still *s, const struct judged *j,
                      const struct hct_snapshot *in, struct hct_out *out)
{
    for (size_t i = 0; i < sizeof(evidence) / sizeof(evidence[0]); i++)
        if (!evidence[i].holds(s, j, in)) {
            if (!still_transit_known(s))
                out->need |= evidence[i].need;
            return false;
        }
    return true;
}

static struct judged judge_all(const struct still *s,
                               const struct still_rank *ranks,
                               const struct hct_snapshot *in)
{
    struct judged j = judge_outside(s, ranks, in);

    j.still_ns = in->now_ns - s->moved_ns;
    j.chance = chance_of(s, in);
    if (j.outside == 0) {
        j.long_enough = j.still_ns >= still_allowed_inside(s, ranks, in);
        j.visits = s->all_ins;
        j.longest_ns = s->all_in_ns;
    }
    /* Each of these is less likely than alpha. */
    if ((j.visits >= STILL_ENOUGH || j.pauses) && j.long_enough &&
        j.chance > s->options.alpha)
        j.chance = s->options.alpha;
    return j;
}

static void judge(struct still *s, struct still_rank *ranks,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    struct judged j = judge_all(s, ranks, in);

    if (!all_holds(s, &j, in, out))
        return;
    still_say(s, ranks, in, j.outside, 1 - j.chance,
              still_max(j.longest_ns, s->quiet_ns), out);
    s->reported = HCT_HANG;
    s->reported_ns = in->now_ns;
    s->alone = 0;
}

/* A task that sleeps until a signal comes, while others find something to do:
 * for as long as all of them may stand still. */
static void judge_alone(struct still *s, struct still_rank *ranks,
                        const struct hct_snapshot *in, struct hct_out *out)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        uint32_t visits = STILL_ENOUGH;
        uint64_t limit = s->options.least_ns;

        if (!(k->flags & HCT_PAUSES) || k->life != HCT_LIFE_RUNNING)
            continue;
        if (!ranks[i].in && !still_judged_outside(&ranks[i], k))
            continue;
        if (!ranks[i].in)
            limit = still_max(limit, still_allowed_outside(s, &ranks[i], k, in,
                                                 &visits));
        if (visits < STILL_ENOUGH || in->now_ns - ranks[i].moved_ns < limit)
            continue;
        still_say_alone(s, &ranks[i], in, i, out);
        s->reported = HCT_HANG;
        s->reported_ns = in->now_ns;
        s->alone = 1;
        still_about(&ranks[i], k, ranks[i].asks);
        return;
    }
}

/* ------------------------------------------------------------------ look */

static void moves_again(struct still *s, struct still_rank *ranks,
                        const struct hct_snapshot *in, struct hct_out *out)
{
    char time[WORDS_TIME];

    if (!still_goes_on(s, ranks, in))
        return;
    if (words_verdict(out, HCT_PROGRESS))
        words_line(out, HCT_NONE, "the job moves again, %s after that",
                   words_time(time, in->now_ns - s->reported_ns));
    if (s->reported == HCT_NOTICE)
        s->asks_ns = 2 * (s->asks_ns + in->now_ns - s->reported_ns);
    s->reported = s->noticed = 0;
}

/* What was noticed is over, which nobody has to be told. */
static void notice_is_over(struct still *s, const struct hct_snapshot *in,
                           struct hct_out *out)
{
    char time[WORDS_TIME];

    if (words_verdict(out, HCT_PROGRESS))
        words_line(out, HCT_NONE, "the job moves again, %s after the notice",
                   words_time(time, in->now_ns - s->noticed_ns));
    s->noticed = 0;
}

static void stands_still(struct still *s, struct still_rank *ranks,
                         const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        ranks[i].moved_ns = in->now_ns;
        ranks[i].age_ns = 0;
    }
    s->moved_ns = in->now_ns;
    s->streak = 0;
    s->sample_ns = 0;
}

/* When details are due. If all have come to wait in MPI since the last ones, these
 * are not put off for what was seen before. */
static uint64_t detail_due_ns(const struct still *s,
                              const struct hct_snapshot *in,
                              uint64_t stands_ns)
{
    return s->was_all_in && s->transit_ns < s->moved_ns + stands_ns &&
           still_is_young(s, in) ? still_min(s->detail_ns, in->now_ns)
                                 : s->detail_ns;
}

/* When, and with details? Of a job that has just come to stand as soon as that may
 * be worth a look at these. */
static void next_look(const struct still *s, const struct still_rank *ranks,
                      const struct hct_snapshot *in, struct hct_out *out)
{
    const uint64_t still_ns = in->now_ns - s->moved_ns;
    const uint64_t half_ns = s->options.look_ns / 2;
    const uint64_t stands_ns = s->options.deadlock.still_ns / 2;
    const uint64_t due_ns = detail_due_ns(s, in, stands_ns);

    if (still_may_prove(s) && in->now_ns + half_ns >= due_ns &&
        (still_suspicious(s, ranks, in) || still_ns > s->options.least_ns / 2)) {
        out->need |= HCT_NEED_DETAIL;
        out->wake_ns = s->proven ? in->now_ns + s->options.look_ns / 8
                       : still_max(in->now_ns + half_ns, due_ns);
        return;
    }
    if (s->sample_ns && s->sample_ns < out->wake_ns)
        out->wake_ns = s->sample_ns;
    if (still_ns >= half_ns && still_ns < stands_ns)
        out->wake_ns = still_min(out->wake_ns, s->moved_ns + stands_ns);
}

/* Between looks at details there is more and more time, but not before a hang
 * would be spoken of by its model: a proof comes first where there is one. */
static uint64_t most_backoff_ns(const struct still *s,
                                const struct hct_snapshot *in)
{
    return (in->now_ns - s->moved_ns < 10 * SECOND ? 1 : 5) * SECOND;
}

void still_look(struct still *s, struct still_rank *ranks,
                struct deadlock_rank *work, const struct hct_snapshot *in,
                struct hct_out *out)
{
    uint64_t was_moved_ns = s->moved_ns, interval = s->options.interval_ns;
    bool all_in = true, sampled = in->now_ns >= s->sample_ns;

    s->blind = parastack_stacks(in) > 0;
    out->wake_ns = in->now_ns + s->options.look_ns;
    s->moved = 0;
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & HCT_OBSERVED)
            still_look_at_rank(s, &ranks[i], k, in);
        if (still_alive(k))
            all_in &= ranks[i].in;
    }
    if (s->noticed && s->moved && !s->reported)
        notice_is_over(s, in, out);
    if (!s->noticed && !s->blind)
        still_notice_early(s, in, out);
    if (s->looks++ == 0 || excused(in)) {
        stands_still(s, ranks, in);
        return;
    }
    if (s->moved && s->was_all_in && in->now_ns > was_moved_ns + SECOND &&
        still_may_judge(s)) {
        s->all_ins++;
        if (in->now_ns - was_moved_ns > s->all_in_ns)
            s->all_in_ns = in->now_ns - was_moved_ns;
    }
    s->was_all_in = all_in;
    if (s->reported)
        moves_again(s, ranks, in, out);
    if (in->has_detail) {
        still_look_at_detail(s, ranks, work, in, out);
        s->detail_ns = still_next_detail(s, in);
        if (s->backoff_ns < most_backoff_ns(s, in) && !still_is_young(s, in))
            s->backoff_ns *= 2;
    }
    if (sampled) {
        uint64_t next = in->now_ns + parastack_step(&s->random, interval);

        if (s->sample_ns)
            sample(s, in, s->sample_ns > interval
                            ? s->sample_ns - interval / 2 : 0);
        s->sample_ns = next;
    }
    if (s->moved && in->now_ns - s->moved_ns < SECOND &&
        !still_suspicious(s, ranks, in))
        s->backoff_ns = 100 * MS;
    if (still_may_judge(s) && !s->blind)
        judge(s, ranks, in, out);
    if (still_may_judge(s) && !s->blind)
        judge_alone(s, ranks, in, out);
    if (!s->reported && !s->noticed && !s->blind && !still_asking_yet(s, in))
        still_notice(s, ranks, in, out);
    if (!s->reported && !s->noticed && !s->blind && !still_asking_yet(s, in))
        still_notice_loop(s, ranks, in, out);
    next_look(s, ranks, in, out);
}
