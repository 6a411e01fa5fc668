/* still_prove.c - when a deadlock is looked for, and when it is proven: in two
 * looks at details between which nobody has moved. */
#include "policies/hang/still.h"

#define SECOND ((uint64_t)1000000000)
#define RECENT_NS (10 * SECOND)         /* longer than between two details, where
                                           one may be torn */
#define OLD_NS (500 * (uint64_t)1000000)        /* stands, while others go on */
#define YOUNG_NS (1200 * (uint64_t)1000000)     /* has most proofs */
enum { RAN_NS = 50000 };                /* to ask for messages some times */

bool still_suspicious(const struct still *s, const struct still_rank *ranks,
                      const struct hct_snapshot *in)
{
    uint32_t blocked = 0, old = 0, running = 0;
    bool loops = false;         /* alone, while others go on */

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        uint64_t age = in->now_ns - ranks[i].moved_ns;

        if (!still_alive(k))
            continue;
        running++;
        if (!ranks[i].in || !(k->flags & HCT_PAGE))
            continue;
        blocked += age >= s->options.deadlock.still_ns / 2;
        old += age >= OLD_NS;
        loops |= ranks[i].asks && age >= s->options.deadlock.spin_ns;
    }
    return (blocked && blocked == running) || old >= 2 || loops ||
           (old == 1 && running < in->nranks);
}

/* A message that was sent is found when its receiver runs: those that wait
 * must have run since the last one that stands moved. In MPI_Finalize a task
 * sleeps mostly: of that one it has to be seen. */
static void mark_starved(const struct still *s, struct still_rank *ranks,
                         struct deadlock_rank *work,
                         const struct hct_snapshot *in)
{
    uint64_t latest = 0;

    for (uint32_t i = 0; i < in->nranks; i++)
        if (in->now_ns - ranks[i].moved_ns >= s->options.deadlock.still_ns / 2)
            latest = still_max(latest, ranks[i].moved_ns);
    for (uint32_t i = 0; i < in->nranks; i++) {
        uint64_t own = hct_rank(in, i)->own_cpu_ns;
        struct still_rank *w = &ranks[i];

        if (own && (w->base_ns <= latest || own < w->own_base_ns)) {
            w->base_ns = in->now_ns;
            w->own_base_ns = own;
        }
        work[i].starved = own ? own - w->own_base_ns < RAN_NS
                              : hct_rank(in, i)->life == HCT_LIFE_FINALIZE;
    }
}

/* How long a task has looked for messages since it stands: by its own processor
 * time, as far as that has been seen; or by the clock, if it has had a
 * two-hundredth of small_ns of a processor (some thousand looks: who yields on a
 * busy machine gets no more), and a hundredth of what its data may take; in
 * MPI_Finalize not by the clock. Who has moved just now is not among those since
 * whom the others have to have run. */
static uint64_t span_of(const struct still *s, const struct still_rank *w,
                        const struct hct_rank *k, uint64_t still_ns)
{
    const uint64_t small_ns = s->options.deadlock.small_ns;
    const uint64_t first_ns = small_ns / 200;
    bool finalizes = k->life == HCT_LIFE_FINALIZE;
    bool naps = finalizes && !(k->flags & HCT_RUNS);
    uint64_t used_ns, own_ns, most_ns;

    if (!still_processor_known(w, k) || !(k->flags & HCT_IN_MPI) ||
        still_ns < s->options.deadlock.still_ns)
        return naps ? 0 : still_ns;
    used_ns = still_min(still_used_ns(w, k), still_ns);
    own_ns = deadlock_span(&s->options.deadlock, used_ns, finalizes,
                           naps);
    most_ns = used_ns < first_ns ? used_ns * 200
              : small_ns + (used_ns - first_ns) * 100;
    return naps ? own_ns : still_max(own_ns, still_min(still_ns, most_ns));
}

/* Since when they stand, and so long. */
static void measure(const struct still *s, const struct still_rank *ranks,
                    struct deadlock_rank *work, const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct still_rank *w = &ranks[i];
        struct deadlock_rank *to = &work[i];

        to->still_ns = w->known ? in->now_ns - w->moved_ns : 0;
        to->span_ns = span_of(s, w, hct_rank(in, i), to->still_ns);
    }
}

/* Of the tasks that are in the set, and how far they are; never 0. */
static uint64_t signature(const struct still_rank *ranks,
                          const struct deadlock_rank *work, uint32_t n)
{
    uint64_t h = 1;

    for (uint32_t i = 0; i < n; i++)
        if (work[i].state == DEADLOCK_BLOCKED)
            h = (h ^ i ^ ranks[i].progress << 24) * 0x9e3779b97f4a7c15u;
    return h | 1;
}

/* Whoever moves while the tasks of a job are read, one after the other, has
 * moved after that: what is under way is not known any more then. */
bool still_transit_known(const struct still *s)
{
    return s->transit_ns >= s->moved_ns + s->options.deadlock.still_ns;
}

/* It is said of those in the set. */
static void about_set(struct still *s, struct still_rank *ranks,
                      const struct deadlock_rank *work,
                      const struct hct_snapshot *in, enum hct_kind kind)
{
    s->reported = kind;
    s->reported_ns = in->now_ns;
    s->alone = 1;
    for (uint32_t i = 0; i < in->nranks; i++) {
        ranks[i].stuck = 0;
        if (work[i].state == DEADLOCK_BLOCKED)
            still_about(&ranks[i], hct_rank(in, i), work[i].spins);
    }
}

/* How long the next one of the set has stood that has not stood so long yet. */
static uint64_t next_age(const struct deadlock_rank *work, uint32_t n,
                         uint64_t ns)
{
    uint64_t age_ns = 0;

    for (uint32_t i = 0; i < n; i++)
        if (work[i].state == DEADLOCK_BLOCKED && work[i].still_ns < ns)
            age_ns = still_max(age_ns, work[i].still_ns);
    return age_ns ? age_ns : ns;
}

/* They wait for each other in the end, but some of them may give up: there is no
 * model of that, and so only a notice, after patience, of those that have stood
 * so long. The next one is worth a word only after twice the time. A look may be
 * torn, of tasks that ask all the time: it need not be the next one that finds
 * them again. */
static void notice_asking(struct still *s, struct still_rank *ranks,
                          struct deadlock_rank *work,
                          const struct hct_snapshot *in, struct hct_out *out)
{
    struct deadlock_limits limits = s->options.deadlock;
    uint64_t age_ns = deadlock_age(in, work), was = s->asking, steps;

    s->asking = signature(ranks, work, in->nranks);
    s->asking_ns = in->now_ns;
    s->asking_due_ns = in->now_ns + s->asks_ns -
                       next_age(work, in->nranks, s->asks_ns);
    if (s->reported)
        return;
    limits.still_ns = still_max(limits.still_ns, s->asks_ns);
    if (age_ns < s->asks_ns && deadlock_set(in, work, &limits, &steps) > 0) {
        s->asking = signature(ranks, work, in->nranks);
        s->asking_due_ns = in->now_ns;
        age_ns = deadlock_age(in, work);
    }
    if (s->asking != was || age_ns < s->asks_ns)
        return;
    deadlock_say_asking(in, work, age_ns, out);
    about_set(s, ranks, work, in, HCT_NOTICE);
}

/* The tasks of a job are not read at the same moment. Those that are found to
 * wait for each other in two looks, and have not moved between, have all been
 * so at one moment: that is the proof. */
static void prove(struct still *s, struct still_rank *ranks,
                  struct deadlock_rank *work, const struct hct_snapshot *in,
                  struct hct_out *out)
{
    struct deadlock_limits limits = s->options.deadlock;
    uint64_t was = s->proven, steps;
    uint32_t n;

    limits.spin_ns = UINT64_MAX;        /* a proof needs no loops */
    n = deadlock_set(in, work, &limits, &steps);
    s->proven = n && s->options.prove ? signature(ranks, work, in->nranks) : 0;
    if (s->proven && s->proven == was) {
        deadlock_say(in, work, out);
        about_set(s, ranks, work, in, HCT_DEADLOCK);
    }
    if (n == 0 && s->options.prove &&
        deadlock_set(in, work, &s->options.deadlock, &steps) > 0)
        notice_asking(s, ranks, work, in, out);
}

bool still_asking_yet(const struct still *s, const struct hct_snapshot *in)
{
    bool said = s->reported == HCT_NOTICE;

    return s->asking && (in->now_ns - s->asking_ns < RECENT_NS ||
                         (said && s->moved_ns <= s->asking_ns));
}

bool still_is_young(const struct still *s, const struct hct_snapshot *in)
{
    uint64_t still_ns = in->now_ns - s->moved_ns;

    return still_ns >= s->options.deadlock.still_ns / 2 && still_ns < YOUNG_NS;
}

/* ... and no later than when all have stood for so long. */
static uint64_t not_behind(const struct still *s, const struct hct_snapshot *in,
                           uint64_t next_ns, uint64_t age_ns)
{
    return in->now_ns < s->moved_ns + age_ns
        ? still_min(next_ns, s->moved_ns + age_ns) : next_ns;
}

uint64_t still_next_detail(const struct still *s,
                           const struct hct_snapshot *in)
{
    uint64_t next_ns = in->now_ns + (s->proven ? 0 : s->backoff_ns);

    if (still_is_young(s, in))
        next_ns = still_min(next_ns, in->now_ns + s->options.look_ns / 4 * 3);
    if (!s->reported && still_asking_yet(s, in))
        next_ns = still_min(next_ns, still_max(in->now_ns, s->asking_due_ns));
    next_ns = not_behind(s, in, next_ns, s->options.deadlock.spin_ns);
    return not_behind(s, in, next_ns, s->options.look_ns +
                      deadlock_takes_ns(&s->options.deadlock,
                                        DEADLOCK_MUCH));
}

void still_look_at_detail(struct still *s, struct still_rank *ranks,
                          struct deadlock_rank *work,
                          const struct hct_snapshot *in, struct hct_out *out)
{
    uint64_t steps;

    still_read_flights(ranks, in);
    still_read_threads(ranks, in);
    if (!still_may_prove(s))
        return;
    mark_starved(s, ranks, work, in);
    measure(s, ranks, work, in);
    prove(s, ranks, work, in, out);
    s->transit = transit_find(in, work, &steps);
    s->transit_ns = in->now_ns;
}
