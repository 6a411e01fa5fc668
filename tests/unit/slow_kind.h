/* slow_kind.h - what happens to the simulated jobs of slow_job.h: who has how
 * much to do in an iteration, what makes one slow and what only looks like
 * it. */
#ifndef HECTOR_TESTS_SLOW_KIND_H
#define HECTOR_TESTS_SLOW_KIND_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"

enum slow_kind {
    SLOW_CLEAN,
    SLOW_IMBALANCE,             /* always there, and another one each time */
    SLOW_WANDERS,               /* one task has more to do for a while, a
                                   neighbour as much less */
    SLOW_SPREADS,               /* ... and all others a little less */
    SLOW_PHASES,                /* phases that are marked, one of them heavy */
    SLOW_UNMARKED,              /* nobody says so, but the steps are others */
    SLOW_OUTPUT,                /* one task alone does something now and then */
    SLOW_BYTES,                 /* ... or calls that move more */
    SLOW_OVERLOAD,              /* all wait for a processor */
    SLOW_STALL,                 /* a task, once, for some seconds */
    SLOW_STARTS,                /* all have less to do in the first seconds */
    SLOW_ALTERNATES,            /* ... or every few seconds */
    SLOW_CHECKPOINT,            /* all write, now and then, some for longer */
    SLOW_PRINTS,                /* task 0 does something every ten rounds */
    SLOW_ASKS,                  /* ... waits for input, or a socket, now longer,
                                   now shorter */
    SLOW_FARM,                  /* no rounds: all do pieces of very different
                                   lengths */
    SLOW_MIX,                   /* costly rounds among cheap ones: more */
    SLOW_HELD,                  /* suspended, moved, or stopped by a signal */
    SLOW_ENDS,                  /* a task is through, others have its work */
    SLOW_TAILS,                 /* now and then a task takes much longer */
    SLOW_GATHERS,               /* one task has more to do, and more to send */
    SLOW_GUSTS,                 /* what lies between takes longer, at times */
    SLOW_GROWS,                 /* all have a little more to do in each round, as
                                   where time steps become finer */
    SLOW_DRIFTS,                /* ... one has, and all others a little less */
    SLOW_STORM,                 /* a place with more to do moves through them */
    SLOW_BALANCED,              /* what was uneven is evened out once */
    SLOW_REFINES,               /* a mesh that adapts: now and then each task gets
                                   another part, of another surface */
    SLOW_WARMS,                 /* each computes longer until its code is
                                   compiled, the one sooner, the other later */
    SLOW_TURBO,                 /* the clock is higher at first, and falls */
    SLOW_DOUBLES,               /* a sweep: twice the work, and the bytes, each
                                   time */
    SLOW_CROWDED,               /* another job begins on one node, and leaves */
    SLOW_RANK, SLOW_NODE, SLOW_ALL,     /* slow from at_s on */
    SLOW_STARVED,               /* a task alone has less of its processor from then
                                   on: a quota, or somebody who is bound to it */
    SLOW_KINDS,
};

static const char *const slow_kinds[SLOW_KINDS] = {
    "clean", "imbalance", "work that wanders", "work from all to one",
    "heavier phase", "... that is not marked", "output of one task",
    "more work in the same calls", "overloaded machine", "short stall",
    "less work at the beginning", "much and little in turn", "checkpoints",
    "task 0 prints", "task 0 waits for input", "pieces of any length",
    "more of the costly rounds", "held, moved or stopped", "a task ends early",
    "long tails", "work that gathers", "a network with others on it",
    "work that grows", "work that drifts to one", "a storm", "balanced once",
    "a mesh that adapts", "code that is compiled", "a clock that falls",
    "a sweep of sizes", "another job on one node",
    "slow rank", "slow node", "all slow", "starved rank",
};

/* What a processor counts of those that are slow; NOTHING: it does not. */
enum slow_counts {
    SLOW_COUNTS_NOTHING, SLOW_COUNTS_WORK, SLOW_COUNTS_MEMORY, SLOW_COUNTS_CLOCK,
};

enum { SLOW_CALLS = 4, SLOW_STATES = 2 * SLOW_CALLS };

struct slow_task {
    uint64_t calls, in_ns, out_ns, visits[SLOW_STATES];
    double load;                /* static */
    uint64_t seg_ns[SLOW_CALLS];        /* of this one, before each call */
    uint64_t pause_ns[SLOW_CALLS];      /* ... of which it waits for no processor */
    uint64_t left_ns, end_ns;   /* when it left the last call; and the next */
    uint64_t edge_n[SLOW_STATES], edge_out[SLOW_STATES], edge_in[SLOW_STATES];
    uint64_t edge_bytes[SLOW_STATES];
    uint64_t delayed_ns, ran_ns;        /* was kept from a processor; had one */
    /* Of this one, before each call and in the last; asleep for the rest. */
    double had_ns[SLOW_CALLS], kept_ns[SLOW_CALLS], kept_in_ns;
    double owed_s;              /* it has waited for longer than it should */
    double slower;              /* in this iteration */
    double gusts;               /* logarithm of how busy its processor is now */
    double instructions, cycles;
};

struct slow_job {
    enum slow_kind kind, also;  /* also: what a job that becomes slow is like;
                                   SLOW_CLEAN, PHASES, OUTPUT, CHECKPOINT,
                                   PRINTS, GUSTS */
    uint32_t tasks, nodes, target;      /* target: rank or node, from 0 */
    double iteration_s, spread, common, transfer, factor, at_s, until_s;
    enum slow_counts counts;
    /* What a real machine does besides; 0: not. */
    double late_s;              /* a look comes so much later, in the mean */
    double apart_s;             /* ... and readings of nodes are so far apart */
    double load;                /* others on each processor, in the mean, which
                                   itself changes */
    double eases;               /* from at_s on what lies between takes so much
                                   of what it took; 0: as before */
    bool no_models;             /* none ever come */
    double quota;               /* of a processor that a task has, each tenth of
                                   a second */
    double every_s;             /* of what comes and goes */
    double lasts_s;             /* SLOW_ALTERNATES: that much of it; 0: half */
    double quicker;             /* the policy's windows are so many times as
                                   short; 0: as usual */
    double second_s;            /* SLOW_RANK: from then on the next one is slow,
                                   too; 0: never */
    const struct hct_policy *policy;
    struct hct_job job;
    struct hct_snapshot in;
    struct hct_rank *rank;      /* owned, as what follows */
    struct slow_task *task;
    struct hct_model *model;
    struct hct_state *state;
    struct hct_edge *edge;
    void *known;
    uint32_t *blamed;
    struct hct_out out;
    struct hct_verdict verdicts[8];
    struct hct_line lines[64];
    struct hct_proposal proposals[8];
    uint64_t random, now_ns, begin_ns, end_ns, iterations;
    uint64_t held_ns;           /* the first iteration behind at_s began */
    uint64_t asked;             /* models read */
    double step_s;              /* processor time of the policy */
    uint32_t set, was_set;      /* of the iteration: which steps it has */
    uint32_t phase;
    double gusts[2];            /* logarithm of how busy all are now */
    bool stalled;
    uint32_t call[SLOW_CALLS];
};

static const uint64_t slow_call_ns = 2000;      /* one that waits for nobody */
static const double slow_start_s = 6, slow_held_s = 10;

static inline double slow_uniform(struct slow_job *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static inline double slow_normal(struct slow_job *s)
{
    return sqrt(-2 * log(slow_uniform(s))) * cos(6.283185307 * slow_uniform(s));
}

static inline double slow_log_normal(struct slow_job *s, double sigma)
{
    return exp(sigma * slow_normal(s) - sigma * sigma / 2);
}

static inline uint32_t slow_node(const struct slow_job *s, uint32_t rank)
{
    return rank * s->nodes / s->tasks;
}

/* About how long an iteration is, on that machine. */
static inline double slow_length_s(const struct slow_job *s)
{
    return s->iteration_s * fmax(1 + s->load, s->quota > 0 ? 1 / s->quota : 1);
}

static const double slow_also_factor = 1.5, slow_grows_s = 240;

/* The same number below 1 for each task and turn. */
static inline double slow_part(const struct slow_job *s, uint32_t i,
                               uint32_t turn)
{
    uint64_t z = (s->job.seed * 64 + i) * 0x9e3779b97f4a7c15u +
                 turn * 0xd1342543de82ef95u;

    z = (z ^ z >> 31) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* What that task has of the whole mesh, times the number of tasks. */
static inline double slow_mesh(const struct slow_job *s, uint32_t i,
                               uint32_t turn)
{
    double all = 0, mine = 0;

    for (uint32_t k = 0; k < s->tasks; k++) {
        double x = pow(s->factor, 2 * slow_part(s, k, turn) - 1);

        all += x;
        mine = k == i ? x : mine;
    }
    return mine * s->tasks / all;
}

/* Work that changes by itself, for all in their own way. */
static inline double slow_becomes(const struct slow_job *s, uint32_t i,
                                  double t)
{
    double turns = t / s->every_s, apart = slow_part(s, i, 0);

    switch (s->kind) {
    case SLOW_REFINES:          /* of a mean that grows a little */
        return pow(1.05, floor(turns)) * slow_mesh(s, i, (uint32_t)turns);
    case SLOW_WARMS:
        return turns < 0.5 + apart ? s->factor : 1;
    case SLOW_TURBO:            /* of each node in its second */
        apart = slow_part(s, slow_node(s, i), 0);
        return t < s->at_s + apart ? 1 / s->factor : 1;
    case SLOW_DOUBLES:
        return pow(2, fmin(floor(turns), 6));
    default:
        return 1;
    }
}

/* Work that changes bit by bit, or moves. */
static inline double slow_moves(const struct slow_job *s, uint32_t i, double t)
{
    double at = fmax(t - s->at_s, 0), n = (double)s->tasks, far;

    switch (s->kind) {
    case SLOW_GROWS:
        return pow(s->factor, at / slow_grows_s);
    case SLOW_DRIFTS:
        at = (s->factor - 1) * fmin(at / slow_grows_s, 1);
        return i == s->target ? 1 + at : 1 - at / (n - 1);
    case SLOW_STORM:
        far = fabs(fmod(t / s->every_s, n) - (double)i);
        far = fmin(far, n - far);
        return 1 + (s->factor - 1) * exp(-far * far / 2);
    case SLOW_BALANCED:
        if (at > 0 || (i == s->tasks - 1 && i % 2 == 0))
            return 1;           /* pairs, each of which is uneven */
        at = (s->factor - 1) * (1 + i / 2) / (s->tasks / 2);
        return i % 2 ? 1 + at : 1 - at;
    default:
        return slow_becomes(s, i, t);
    }
}

static inline bool slow_is(const struct slow_job *s, enum slow_kind kind)
{
    return s->kind == kind || s->also == kind;
}

/* How much more than usual has that task to do, or how much slower is it? */
static inline double slow_times(struct slow_job *s, uint32_t i, double t)
{
    uint32_t turn = (uint32_t)(t / s->every_s);
    bool on = t >= s->at_s && t < s->until_s;

    switch (s->kind) {
    case SLOW_IMBALANCE:
        return 0.5 + slow_uniform(s);
    case SLOW_WANDERS:
        return turn % s->tasks == i ? s->factor
               : (turn + 1) % s->tasks == i ? 2 - s->factor : 1;
    case SLOW_SPREADS:
        return turn % s->tasks == i
                   ? s->factor : 1 - (s->factor - 1) / (s->tasks - 1);
    case SLOW_ALTERNATES:
        if (s->lasts_s > 0)
            return t - turn * s->every_s > s->every_s - s->lasts_s ? s->factor
                                                                   : 1;
        return turn % 2 ? s->factor : 1;
    case SLOW_PHASES:
    case SLOW_UNMARKED:
        return turn % 2 ? s->factor : 1;
    case SLOW_GUSTS:            /* where that is most of it: a busy machine */
        return turn % 2 && s->transfer > 1 ? 1.4 : 1;
    case SLOW_STARTS:
        return t < slow_start_s ? 1 / s->factor : 1;
    case SLOW_MIX:
        return s->set ? 5 * s->factor : 1;
    case SLOW_ENDS:
        return on ? 1 + 1.0 / s->tasks : 1;
    case SLOW_TAILS:
        return slow_uniform(s) < 0.02 ? 2 + 8 * slow_uniform(s) : 1;
    case SLOW_FARM:
        return slow_log_normal(s, 1);
    case SLOW_GATHERS:
    case SLOW_RANK:
        if (s->second_s > 0 && t >= s->second_s && i == s->target + 1)
            return s->factor;
        return on && i == s->target ? s->factor : 1;
    case SLOW_NODE:
    case SLOW_CROWDED:
        return on && slow_node(s, i) == s->target ? s->factor : 1;
    case SLOW_BYTES:
    case SLOW_OVERLOAD:
    case SLOW_ALL:
        return on ? s->factor : 1;
    default:
        return slow_moves(s, i, t);
    }
}

/* It waits for something else than a processor: for a disk, somebody's answer, a
 * signal. That takes no longer where others compute. */
static inline void slow_pause(struct slow_task *k, unsigned call, double s)
{
    k->pause_ns[call] += (uint64_t)(s * 1e9);
}

/* For so much of what it was to compute it is kept from a processor. */
static inline void slow_keep(struct slow_task *k, unsigned call, double s)
{
    k->kept_ns[call] += s * 1e9;
    k->had_ns[call] -= s * 1e9;
}

/* Is it the first iteration that begins behind a turn of every_s? */
static inline bool slow_turns(const struct slow_job *s)
{
    return s->iterations % (uint64_t)(s->every_s / s->iteration_s + 1) == 0;
}

/* What is done beside the work, before the first call or the fourth. */
static inline void slow_beside(struct slow_job *s, enum slow_kind kind,
                               uint32_t i, double t, double work)
{
    struct slow_task *k = &s->task[i];
    bool once = !s->stalled && t >= s->at_s;
    double factor = kind == s->kind ? s->factor : slow_also_factor;

    switch (kind) {
    case SLOW_STALL:
        if (once && i == s->target)
            slow_pause(k, 3, factor);
        break;
    case SLOW_OUTPUT:
        if (i == s->target && slow_turns(s))
            slow_pause(k, 0, factor);
        break;
    case SLOW_CHECKPOINT:
        if (slow_turns(s))
            slow_pause(k, 0, factor * (1 + slow_uniform(s)));
        break;
    case SLOW_PRINTS:
        if (i == 0 && s->iterations % 10 == 0)
            slow_pause(k, 0, 0.5 * work);
        break;
    case SLOW_ASKS:
        if (i == 0)
            slow_pause(k, 0, -log(slow_uniform(s)) *
                             ((uint32_t)(t / s->every_s) % 2 ? 2 : 0.4));
        break;
    case SLOW_HELD:             /* a task that is moved alone, or all */
        if (once && (s->target % 3 != 1 || i == s->target))
            slow_pause(k, 3, slow_held_s);
        break;
    case SLOW_OVERLOAD:
        if (t < s->at_s)
            break;
        slow_keep(k, 3, work * (factor - 1));
        break;
    case SLOW_CROWDED:
        if (k->slower > 1)
            slow_keep(k, 3, work * (factor - 1));
        break;
    default:
        break;
    }
}

/* When has who begins then, and has a part of each period, worked for so
 * long? */
static inline double slow_throttled(double quota, double t, double work)
{
    static const double period = 0.1;
    double into = fmod(t, period), has = quota * period, left = has - into;

    if (quota <= 0 || quota >= 1 || work <= left)
        return work;
    work -= fmax(left, 0);
    return period - into + floor(work / has) * period + fmod(work, has);
}

/* With others on its processor, a task has its turn, and then all of them have
 * theirs. So what is kept from it is in proportion to what it computes, and
 * what is shorter than a turn is kept from nothing: who leaves MPI has looked
 * for a message just now, and so it has just come to its turn.
 *
 * That is what was measured on two processors. With 7 others on each, work of
 * 0.5 ms was kept in 1 % of 1,653 times, and 2, 10 and 50 ms took 6, 48 and
 * 181 ms longer. With 9, rounds of four tasks that compute for 2, 10, 50 and
 * 200 ms took 7.5, 9.9, 9 and 9.5 times as long outside of MPI, and in it 60
 * to 130 ms. Tasks that slept for 10 and 40 ms did so for 1.2 and 1.6 ms
 * longer. A wait of 20 ms before each piece, however short, as was simulated
 * here first, was seen nowhere. */
static const double slow_turn_s = 0.0014;

/* Of so many waits: a gamma distribution, three for each turn (0.58 of the
 * mean apart for one, 0.2 for ten). */
static inline double slow_waits(struct slow_job *s, double turns, double mean)
{
    double n = floor(turns + slow_uniform(s)), sum = 0;

    if (n > 12)                 /* then it is normal */
        return fmax(n * mean * (1 + sqrt(1 / (3 * n)) * slow_normal(s)), 0);
    for (unsigned i = 0; i < 3 * (unsigned)n; i++)
        sum -= log(slow_uniform(s)) * mean / 3;
    return sum;
}

/* The kernel is fair: who has waited for longer than the others waits for less
 * the next time. So what a task waits in all of a second is as it should be but
 * for 2 to 5 % (rounds of 10 and 50 ms, amid eight others). */
static const double slow_paid = 0.7;

/* How long others have its processor, until it has its turn again. */
static inline double slow_others_s(const struct slow_job *s,
                                   const struct slow_task *k)
{
    return s->load * exp(s->gusts[0] + s->gusts[1] + k->gusts) * slow_turn_s;
}

/* Is it the one that alone has less of its processor? */
static inline bool slow_is_starved(const struct slow_job *s,
                                   const struct slow_task *k, double t)
{
    return s->kind == SLOW_STARVED && k == &s->task[s->target] && t >= s->at_s;
}

/* What begins then takes longer on a machine with others on it, and the task
 * is kept from a processor for that. */
static inline void slow_delay(struct slow_job *s, struct slow_task *k,
                              unsigned call, double t)
{
    double work = (double)k->seg_ns[call] / 1e9, takes;
    double turns = fmax(work / slow_turn_s - 0.5, 0);
    double waits = s->load > 0 ? slow_waits(s, turns, slow_others_s(s, k)) : 0;
    double paid = fmin(slow_paid * k->owed_s, waits);

    k->owed_s += waits - paid - turns * slow_others_s(s, k);
    waits -= paid;

    /* Who has less of a processor than it may have is not held back, too. */
    takes = waits + (waits > work / s->quota - work
                         ? work : slow_throttled(s->quota, t + waits, work));
    /* With a quota of its own it has none for the rest of a period. */
    if (slow_is_starved(s, k, t))
        takes = s->target % 2 ? takes * s->factor
                              : slow_throttled(1 / s->factor, t, takes);
    k->seg_ns[call] = (uint64_t)(takes * 1e9);
    k->kept_ns[call] += (takes - work) * 1e9;
}

/* For how much of some time is a part of each period all there is? */
static inline double slow_throttled_in(double quota, double t, double lasts)
{
    static const double period = 0.1;
    double has = quota * period, end = t + lasts;

    if (quota <= 0 || quota >= 1)
        return 0;
    return (floor(end / period) - floor(t / period)) * (period - has) +
           fmax(fmod(end, period) - has, 0) - fmax(fmod(t, period) - has, 0);
}

/* Who waits in MPI looks for messages all the time, and has the same part of
 * its processor as who computes, turn by turn: of four tasks amid eight others
 * on each processor, those of rounds of 10 ms had 11 % of the time in MPI, of
 * 50 ms 11 %, and outside 10 and 11 %. */
static inline void slow_poll(struct slow_job *s, struct slow_task *k, double t,
                             double waits)
{
    double others = slow_others_s(s, k), turn = slow_turn_s + others, n;

    k->kept_in_ns = 1e9 * slow_throttled_in(s->quota, t, waits);
    if (s->load > 0 && waits > 0) {
        n = fmax(waits / turn, 1);
        others *= fmax(1 + sqrt(1 / (3 * n)) * slow_normal(s), 0);
        k->kept_in_ns = fmax(k->kept_in_ns,
                             1e9 * waits * others / (slow_turn_s + others));
    }
    /* Who else came to a crowded machine is there in MPI, too. */
    if ((s->kind == SLOW_OVERLOAD && t >= s->at_s) || slow_is_starved(s, k, t) ||
        (s->kind == SLOW_CROWDED && k->slower > 1))
        k->kept_in_ns += (1e9 * waits - k->kept_in_ns) * (1 - 1 / s->factor);
}

/* Who waits in MPI sees late that it need not any more: its turn comes when
 * the others have had theirs, twice or so. */
static inline uint64_t slow_late_ns(struct slow_job *s,
                                    const struct slow_task *k)
{
    return s->load > 0 ? (uint64_t)(-2e9 * log(slow_uniform(s)) *
                                    slow_others_s(s, k)) : 0;
}

/* Goes on in so many seconds by a deviation of so much. */
static inline void slow_blow(struct slow_job *s, double *gusts, double lasts_s,
                             double sigma)
{
    double keeps = exp(-slow_length_s(s) / lasts_s);

    *gusts = keeps * *gusts + sqrt(1 - keeps * keeps) * sigma * slow_normal(s);
}

/* How busy it is: all processors, in seconds and in minutes, and the one that
 * a task is on. Of 150 s of the same rounds the mean of all tasks was 0.11
 * apart in windows of a second (log), of which 0.77 was left in the next one
 * and 0.4 after five; a task was 0.07 from that mean. */
static inline void slow_blow_all(struct slow_job *s)
{
    slow_blow(s, &s->gusts[0], 5, 0.12);
    slow_blow(s, &s->gusts[1], 120, 0.25);
    for (uint32_t i = 0; i < s->tasks; i++)
        slow_blow(s, &s->task[i].gusts, 4, 0.1);
}

/* What is done outside of MPI before each call, and who does more. */
static inline void slow_draw_one(struct slow_job *s, uint32_t i, double t,
                                 double common)
{
    struct slow_task *k = &s->task[i];
    double work = s->iteration_s * k->load * common *
                  slow_log_normal(s, s->spread);
    double times = slow_times(s, i, t);

    if (s->also == SLOW_PHASES)
        times *= s->phase % 2 ? slow_also_factor : 1;
    k->slower = times;
    /* 70 % before the fourth call, which is what grows. */
    k->seg_ns[0] = (uint64_t)(0.3e9 * work);
    k->seg_ns[1] = k->seg_ns[2] = 3000;
    k->seg_ns[3] = (uint64_t)(work * 1e9 * fmax(times - 0.3, 0.01));
    for (unsigned c = 0; c < SLOW_CALLS; c++) {
        k->had_ns[c] = (double)k->seg_ns[c];
        k->kept_ns[c] = 0;
        k->pause_ns[c] = 0;
    }
    slow_beside(s, s->kind, i, t, work);
    slow_beside(s, s->also, i, t, work);
    if (s->load > 0 || s->quota > 0 || slow_is_starved(s, k, t)) {
        slow_delay(s, k, 0, t);
        slow_delay(s, k, 3, t + (double)k->seg_ns[0] / 1e9);
    }
    for (unsigned c = 0; c < SLOW_CALLS; c++)
        k->seg_ns[c] += k->pause_ns[c];
}

/* Which steps the next iteration has. */
static inline uint32_t slow_set(const struct slow_job *s, double t)
{
    if (s->kind == SLOW_UNMARKED)
        return (uint32_t)(t / s->every_s) % 2;
    if (s->kind == SLOW_MIX)
        return s->iterations % (t < s->at_s ? 10 : 3) == 0;
    /* Of half of them: in steps of their own. */
    return slow_is(s, SLOW_CHECKPOINT) && s->target % 2 && slow_turns(s);
}

static inline void slow_draw(struct slow_job *s)
{
    double t = (double)s->begin_ns / 1e9;
    double common = slow_log_normal(s, s->common);

    if (s->load > 0)
        slow_blow_all(s);
    s->was_set = s->set;
    s->set = slow_set(s, t);
    s->phase = slow_is(s, SLOW_PHASES) ? (uint32_t)(t / s->every_s) : 0;
    for (uint32_t i = 0; i < s->tasks; i++)
        slow_draw_one(s, i, t, common);
    if (t >= s->at_s && !s->stalled) {
        s->stalled = true;
        s->held_ns = s->begin_ns;
    }
}

/* Held in the first seconds of an iteration: what is seen of it then. */
static inline void slow_seen_held(const struct slow_job *s, struct hct_rank *r)
{
    bool mine = r->rank == s->target;
    double t = ((double)s->now_ns - (double)s->held_ns) / 1e9;

    if (!s->held_ns)
        return;
    if (t < slow_held_s && s->target % 3 == 0)
        r->flags |= HCT_SUSPENDED;
    else if (t < slow_held_s && s->target % 3 == 1)
        r->flags |= mine ? HCT_MIGRATING : 0;
    else if (t < slow_held_s && t > 0.3)
        r->flags |= HCT_STOPPED;
    else if (t >= slow_held_s && s->target % 3 == 1 && mine)
        r->node = s->nodes;     /* where it is from then on */
}

/* How long is what they wait for at the end of an iteration, ns? */
static inline double slow_transfer_ns(struct slow_job *s)
{
    double ns = s->transfer * s->iteration_s * 1e9 * slow_log_normal(s, 0.2);
    uint32_t turn = (uint32_t)((double)s->begin_ns / 1e9 / s->every_s);

    if (s->eases > 0 && (double)s->begin_ns / 1e9 >= s->at_s)
        ns *= s->eases;
    return slow_is(s, SLOW_GUSTS) && turn % 2 ? ns * 5 : ns;
}

/* What is seen of a task besides its calls. */
static inline void slow_seen(const struct slow_job *s, struct hct_rank *r)
{
    bool stands = !(r->flags & HCT_IN_MPI) && r->age_ns > 300000000;

    r->waits = HCT_WAITS_UNKNOWN;
    if (s->kind == SLOW_ASKS && r->rank == 0 && stands) {
        if (s->target % 2)
            r->waits = HCT_WAITS_SOCKET;
        else
            r->flags |= HCT_STDIN;
    }
    if (s->kind == SLOW_HELD)
        slow_seen_held(s, r);
    if (s->kind == SLOW_ENDS && (double)s->now_ns >= s->at_s * 1e9 &&
        r->rank == s->target)
        r->life = HCT_LIFE_FINALIZE;
}

#endif
