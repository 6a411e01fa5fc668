/* watch.c - hangs by counters, see watch.h. */
#include "policies/watch.h"

#include <math.h>
#include <string.h>

#include "policies/parastack.h"
#include "policies/sout.h"
#include "policies/words.h"

#define MS ((uint64_t)1000000)
#define SECOND (1000 * MS)

enum {
    LONG_MS = 500,              /* shorter stays are never a measure */
    AT_WORK = 10,               /* who uses the processor, or the disk, has so
                                   many times the patience */
};

void watch_init(struct watch *s, const struct hct_job *job,
                const struct watch_options *options)
{
    s->options = *options;
    s->random = job->seed;
    s->backoff_ns = 100 * MS;
}

double watch_bound(uint32_t x, uint32_t n)
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

double watch_factor(uint32_t n, double alpha)
{
    return fmax(4, sqrt(1 / (alpha * (n + 1.0))));
}

static bool alive(const struct hct_rank *k)
{
    return k->life == HCT_LIFE_RUNNING;
}

/* Is it in a loop that only asks? */
static bool asking(const struct hct_snapshot *in, const struct hct_rank *k)
{
    const struct hct_call *c = hct_call(in, k->call);

    return (k->flags & HCT_PAGE) && (c->flags & HCT_CALL_POLL) &&
           (c->class_ == HCT_CLASS_TEST || c->class_ == HCT_CLASS_PROBE) &&
           (k->age_ns < 10 * MS || (k->flags & HCT_IN_MPI));
}

/* ------------------------------------------------------- what has moved */

static void remember_pooled(struct watch *s, const struct watch_rank *w,
                            uint64_t stay_ns)
{
    unsigned at = 0;

    for (unsigned i = 0; i < WATCH_POOLED; i++) {
        if (s->place[i].site == w->site && s->place[i].call == w->call) {
            at = i;
            break;
        }
        if (s->place[i].longest_ns < s->place[at].longest_ns)
            at = i;
    }
    if (stay_ns <= s->place[at].longest_ns)
        return;
    s->place[at].site = w->site;
    s->place[at].call = w->call;
    s->place[at].longest_ns = stay_ns;
}

static void remember_place(struct watch_rank *w, uint64_t stay_ns)
{
    unsigned at = 0;

    for (unsigned i = 0; i < WATCH_PLACES; i++) {
        if (w->place[i].visits && w->place[i].site == w->site) {
            at = i;
            break;
        }
        if (w->place[i].visits < w->place[at].visits)
            at = i;
    }
    if (w->place[at].site != w->site || !w->place[at].visits) {
        w->place[at].site = w->site;
        w->place[at].visits = 0;
        w->place[at].longest_ns = 0;
    }
    w->place[at].visits++;
    if (stay_ns > w->place[at].longest_ns)
        w->place[at].longest_ns = stay_ns;
}

static void look_at_rank(struct watch *s, struct watch_rank *w,
                         const struct hct_rank *k,
                         const struct hct_snapshot *in)
{
    uint64_t progress = k->calls - k->polls;
    bool in_mpi = parastack_in(in, k), moved;

    if (k->flags & HCT_PAGE) {
        /* the question that it is asking now has not been counted yet */
        if ((k->flags & HCT_IN_MPI) && k->threads < 2 &&
            (hct_call(in, k->call)->flags & HCT_CALL_POLL) && progress)
            progress--;
        /* a call is counted when it begins; its end is a move, too, and so
         * is a tag: the program says where it is */
        moved = progress > w->progress || k->mark != w->mark ||
                (w->known && w->in != in_mpi && !w->asks && !asking(in, k));
        if (progress < w->progress)
            progress = w->progress;
    } else {
        progress = w->progress + (w->known && w->in != in_mpi);
        moved = progress > w->progress;
    }
    if (!w->known || moved) {
        uint64_t entered = k->age_ns < in->now_ns ? in->now_ns - k->age_ns : 0;

        if (w->known && !w->in && w->age_ns > LONG_MS * MS) {
            remember_place(w, in->now_ns - w->moved_ns);
            remember_pooled(s, w, in->now_ns - w->moved_ns);
        }
        w->moved_ns = !w->known || !(k->flags & HCT_PAGE) ||
                      entered < w->moved_ns || asking(in, k)
            ? in->now_ns : entered;
        w->progress = progress;
        w->cpu_still_ns = k->cpu_ns;
        w->visits = 0;
        w->longest_ns = 0;
        s->moved |= w->known;
        if (w->moved_ns > s->moved_ns)
            s->moved_ns = w->moved_ns;
    }
    w->known = 1;
    w->in = in_mpi;
    w->asks = asking(in, k);
    w->age_ns = in->now_ns - w->moved_ns;
    w->cpu_ns = k->cpu_ns;
    w->site = k->site;
    w->call = k->call;
    w->mark = k->mark;
}

/* Has anybody a reason to stand still that is none of the program's? */
static bool excused(const struct hct_snapshot *in)
{
    bool running = false;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->life < HCT_LIFE_RUNNING ||
            (k->flags & (HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                         HCT_STDIN | HCT_STOPPED)) ||
            (alive(k) && !(k->flags & HCT_OBSERVED)))
            return true;
        running |= alive(k);
    }
    return !running;
}

/* ------------------------------------------------------------- how long */

/* The last calls of a rank that is outside: has it been there before? */
static void read_flights(struct watch_rank *ranks,
                         const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i + 1 < in->nflights; i++) {
        const struct hct_flight *f = hct_flight(in, i);
        const struct hct_flight *next = hct_flight(in, i + 1);
        struct watch_rank *w;
        uint64_t stay;

        if (f->rank >= in->nranks || next->rank != f->rank)
            continue;
        w = &ranks[f->rank];
        if (i == 0 || hct_flight(in, i - 1)->rank != f->rank) {
            w->visits = 0;
            w->longest_ns = 0;
        }
        if (w->in || f->site != w->site || f->left_ns < next->entered_ns)
            continue;
        stay = f->left_ns - next->entered_ns;
        w->visits++;
        if (stay > w->longest_ns)
            w->longest_ns = stay;
    }
}

/* How long a rank may stay where it is, outside of MPI. */
static uint64_t allowed_outside(const struct watch *s,
                                const struct watch_rank *w,
                                const struct hct_rank *k, uint32_t *seen)
{
    uint32_t visits = w->visits;
    uint64_t longest = w->longest_ns, most = 0;
    double limit;

    for (unsigned i = 0; i < WATCH_POOLED; i++)
        if (s->place[i].site == w->site && s->place[i].call == w->call &&
            s->place[i].longest_ns > longest)
            longest = s->place[i].longest_ns;

    for (unsigned i = 0; i < WATCH_PLACES; i++) {
        if (!w->place[i].visits)
            continue;
        if (w->place[i].longest_ns > most)
            most = w->place[i].longest_ns;
        if (w->place[i].site != w->site)
            continue;
        visits += w->place[i].visits;
        if (w->place[i].longest_ns > longest)
            longest = w->place[i].longest_ns;
    }
    if (k->site_calls > visits && k->site_calls < UINT32_MAX)
        visits = (uint32_t)k->site_calls;
    *seen = visits;
    if (!(k->flags & HCT_PAGE) || visits < 2 || (k->flags & HCT_SLEEPS)) {
        bool works = (k->flags & HCT_SLEEPS) || !k->cpu_ns ||
                     k->cpu_ns - w->cpu_still_ns > w->age_ns / 20;

        limit = fmax((double)s->options.patience_ns * (works ? AT_WORK : 1),
                     watch_factor(visits, s->options.alpha) * (double)most);
    } else {
        limit = fmax((double)s->options.least_ns,
                     watch_factor(visits, s->options.alpha) * (double)longest);
    }
    return limit < 1e18 ? (uint64_t)limit : (uint64_t)1e18;
}

/* How long all of them may wait in MPI. */
static uint64_t allowed_inside(const struct watch *s,
                               const struct hct_snapshot *in)
{
    uint64_t bytes = 0;
    bool slow = false;
    double limit = (double)s->options.least_ns;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        const struct hct_call *c = hct_call(in, k->call);

        if (!alive(k))
            continue;
        if ((k->flags & HCT_PAGE) && k->bytes > bytes)
            bytes = k->bytes;
        slow |= (k->flags & HCT_SLEEPS) || c->class_ == HCT_CLASS_IO ||
                strncmp(c->name, "MPI_File_", 9) == 0 ||
                ((c->flags & HCT_CALL_PART) && (k->flags & HCT_IN_MPI));
    }
    if (slow)
        limit = (double)s->options.patience_ns;
    limit += (double)bytes * 100;       /* 10 MB/s */
    limit = fmax(limit, watch_factor(s->all_ins, s->options.alpha) *
                        (double)s->all_in_ns);
    return limit < 1e18 ? (uint64_t)limit : (uint64_t)1e18;
}

/* ---------------------------------------------------------- the samples */

/* Still since the last sample? Learns; returns the chance that a healthy job
 * has stood still for as many in a row. */
static double sample(struct watch *s, const struct hct_snapshot *in,
                     uint64_t since_ns)
{
    uint32_t phase = hct_rank(in, 0)->phase, i = phase % WATCH_PHASES;
    bool still = s->moved_ns < since_ns;

    if (!s->phase[i].used || s->phase[i].phase != phase) {
        memset(&s->phase[i], 0, sizeof(s->phase[i]));
        s->phase[i].used = 1;
        s->phase[i].phase = phase;
        s->streak = 0;
    }
    if (still) {
        s->streak++;
    } else {
        s->phase[i].n += s->streak + 1;
        s->phase[i].still += s->streak;
        s->streak = 0;
        if (s->phase[i].n > 100000) {           /* forget slowly */
            s->phase[i].n /= 2;
            s->phase[i].still /= 2;
        }
    }
    return pow(watch_bound(s->phase[i].still, s->phase[i].n), s->streak);
}

static void judge(struct watch *s, struct watch_rank *ranks,
                  const struct hct_snapshot *in, double chance,
                  struct hct_out *out)
{
    uint64_t still = in->now_ns - s->moved_ns;
    uint32_t outside = 0, running = 0;
    uint32_t visits = UINT32_MAX, seen;
    bool long_enough = true;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (!alive(k))
            continue;
        running++;
        if (ranks[i].in)
            continue;
        outside++;
        if (in->now_ns - ranks[i].moved_ns <
            allowed_outside(s, &ranks[i], k, &seen))
            long_enough = false;
        if (seen < visits)
            visits = seen;
    }
    if (outside == 0) {
        long_enough = still >= allowed_inside(s, in);
        visits = s->all_ins;
    }
    /* Each of these is less likely than alpha. */
    if (visits >= WATCH_ENOUGH && long_enough && chance > s->options.alpha)
        chance = s->options.alpha;
    /* A hang of few holds up the others; where most are at work, wait. */
    if (outside > (running + 1) / 2 || !long_enough ||
        still < s->options.least_ns)
        return;
    if (chance > s->options.alpha &&
        still < 2 * AT_WORK * s->options.patience_ns)
        return;                         /* too early for statistics */
    watch_say(s, ranks, in, outside, 1 - chance, out);
    s->reported = HCT_HANG;
    s->reported_ns = in->now_ns;
}

/* -------------------------------------------------------------- deadlock */

/* Are there tasks that may wait for each other? Then details are wanted. */
static bool suspicious(const struct watch *s, const struct watch_rank *ranks,
                       const struct hct_snapshot *in)
{
    uint32_t blocked = 0, old = 0, running = 0;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        uint64_t age = in->now_ns - ranks[i].moved_ns;

        if (!alive(k))
            continue;
        running++;
        if (!ranks[i].in || !(k->flags & HCT_PAGE))
            continue;
        blocked += age >= s->options.deadlock.still_ns / 2;
        old += age >= SECOND;
    }
    return (blocked && blocked == running) || old >= 2 ||
           (old == 1 && running < in->nranks);
}

static void prove(struct watch *s, const struct watch_rank *ranks,
                  struct deadlock_rank *work, const struct hct_snapshot *in,
                  struct hct_out *out)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        work[i].still_ns = ranks[i].known ? in->now_ns - ranks[i].moved_ns : 0;
    if (deadlock_find(in, work, &s->options.deadlock, out) == 0)
        return;
    s->reported = HCT_DEADLOCK;
    s->reported_ns = in->now_ns;
    for (uint32_t i = 0; i < in->nranks; i++)
        if (work[i].state == DEADLOCK_BLOCKED) {
            s->about = i;
            break;
        }
    s->about_progress = ranks[s->about].progress;
}

/* ------------------------------------------------------------------ look */

static void moves_again(struct watch *s, const struct watch_rank *ranks,
                        const struct hct_snapshot *in, struct hct_out *out)
{
    char time[WORDS_TIME];

    if (s->reported == HCT_DEADLOCK ? ranks[s->about].progress ==
        s->about_progress && alive(hct_rank(in, s->about)) : !s->moved)
        return;
    if (words_verdict(out, HCT_PROGRESS))
        words_line(out, HCT_NONE, "the job moves again, %s after that",
                   words_time(time, in->now_ns - s->reported_ns));
    s->reported = 0;
}

static void stands_still(struct watch *s, struct watch_rank *ranks,
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

void watch_look(struct watch *s, struct watch_rank *ranks,
                struct deadlock_rank *work, const struct hct_snapshot *in,
                struct hct_out *out)
{
    uint64_t was_moved_ns = s->moved_ns, interval = s->options.interval_ns;
    bool all_in = true, sampled = in->now_ns >= s->sample_ns;
    double chance = 1;

    out->wake_ns = in->now_ns + s->options.look_ns;
    s->moved = 0;
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & HCT_OBSERVED)
            look_at_rank(s, &ranks[i], k, in);
        if (alive(k))
            all_in &= ranks[i].in;
    }
    if (s->looks++ == 0 || excused(in)) {
        stands_still(s, ranks, in);
        return;
    }
    if (s->moved && s->was_all_in && in->now_ns > was_moved_ns + SECOND &&
        !s->reported) {
        s->all_ins++;
        if (in->now_ns - was_moved_ns > s->all_in_ns)
            s->all_in_ns = in->now_ns - was_moved_ns;
    }
    s->was_all_in = all_in;
    if (s->reported)
        moves_again(s, ranks, in, out);
    if (in->has_detail) {
        read_flights(ranks, in);
        if (s->options.prove && !s->reported)
            prove(s, ranks, work, in, out);
        s->detail_ns = in->now_ns + s->backoff_ns;
        if (s->backoff_ns < 5 * SECOND)
            s->backoff_ns *= 2;
    }
    if (sampled) {
        uint64_t next = in->now_ns + parastack_step(&s->random, interval);

        if (s->sample_ns)
            chance = sample(s, in, s->sample_ns > interval
                            ? s->sample_ns - interval / 2 : 0);
        s->sample_ns = next;
    }
    if (s->moved && in->now_ns - s->moved_ns < SECOND &&
        !suspicious(s, ranks, in))
        s->backoff_ns = 100 * MS;
    if (!s->reported && sampled)
        judge(s, ranks, in, chance, out);
    if (!s->reported && in->now_ns >= s->detail_ns &&
        (suspicious(s, ranks, in) ||
         in->now_ns - s->moved_ns > s->options.least_ns / 2)) {
        out->need |= HCT_NEED_DETAIL;
        out->wake_ns = in->now_ns + s->options.look_ns / 2;
    } else if (s->sample_ns && s->sample_ns < out->wake_ns) {
        out->wake_ns = s->sample_ns;
    }
}
