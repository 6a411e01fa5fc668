/* still.h - is the job hung? With better evidence than S_out: the counters of
 * all tasks.
 *
 * A task that makes calls other than questions is alive, and so is its job.
 * Still is a job in which no task moves. That is a hang, a verdict of this
 * model, when all of this holds:
 *   - nobody is suspended, moved, debugged or waits for a person's input;
 *   - few tasks are outside of MPI, the others wait;
 *   - each task that is outside is where a stack has shown that one has been
 *     before, and came back, or in the call itself (hct_rank.been); and it does
 *     not sleep for what will come: a time, a child, a file, a pipe, a lock
 *     that another process has. What was never seen there is not abnormal,
 *     but unknown: the program may be behind its loop, and write;
 *   - no task that is outside has been so at the same place for anything like
 *     as long before. If stays of n visits lasted at most L, one of c L is
 *     less likely than alpha where (n + 1) c^2 >= 1 / alpha: tails are taken
 *     to fall with the square at least. c is never less than 4;
 *   - where visits were few, the job has been still in k samples in a row, at
 *     ParaStack's random steps, where q^k <= alpha and q is the upper
 *     confidence bound of how often it was still before;
 *   - it lasts longer than the transient stalls of a system;
 *   - where an earlier run of the program, which ended well, has stayed behind
 *     the same place for long, it lasts twice as long: a phase of it is known.
 *     Before that there is no notice either.
 * Else, after some patience, there is a notice (still_notice.c): a line that says
 * who has been where for how long, once, and nothing more.
 * If all tasks wait in MPI, the times in which all waited are the measure, and
 * what is being sent needs its time. Where another thread of one that waits may
 * yet call MPI, it is as if that task were where none has been seen before.
 * Where something may be under way between nodes that would let one go on
 * (transit.h), it may be the network: then there is a notice that names it, and
 * no verdict. So it is where they wait for each other, but some ask in a loop
 * and may give up.
 * Deadlocks are mostly proven before (deadlock.h); else the hang is, later on.
 *
 * Whom the system has stopped for a while, or whom a disk or network keeps
 * waiting, uses no processor and does not wait for a signal. So the last
 * condition is not asked of
 *   - a task that sleeps until a signal comes: only other such times, after
 *     which one came, are a measure. In MPI, which asks for messages
 *     all the time, it is to blame wherever the others are. If others go on,
 *     and there is no reason to wait for it, it is a hang of its own;
 *   - a task that has used the processor so long, counted without the time
 *     that it was kept from it, as it never has at this place. That, too, is
 *     at least twice the longest time that the job has stood still, and at
 *     most a quarter of the time that it has been seen to move: a job that is
 *     young has shown little. */
#ifndef HCT_STILL_H
#define HCT_STILL_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/deadlock/deadlock.h"
#include "policies/deadlock/transit.h"
#include "policies/hct_policy.h"
#include "policies/lib/phasebook.h"

enum {
    STILL_PLACES = 4,           /* of a rank, and */
    STILL_POOLED = 16,          /* of all ranks, whose stays are kept */
    STILL_ENOUGH = 8,           /* visits that are a measure by themselves */
    STILL_LOOP = 4,             /* places of a rank that does nothing else */
    STILL_EARLIER = 2,          /* times longer than in any earlier run */
};

struct still_options {
    double alpha;
    uint64_t interval_ns, interval_max_ns;
    uint64_t least_ns, patience_ns;
    uint64_t sure_ns, work_ns;  /* in place of least_ns, as said above */
    uint64_t look_ns;
    struct deadlock_limits deadlock;
    uint32_t prove;
};

enum still_stuck {              /* where a rank was, of which it was said */
    STILL_INSIDE = 1,           /* in one call of MPI; 0: nothing was said */
    STILL_OUTSIDE, STILL_ASKS
};

struct still_rank {
    uint64_t progress;          /* calls but questions, the highest seen */
    uint64_t moved_ns;          /* when that was */
    uint64_t age_ns;            /* at the last look: of its stay */
    uint64_t cpu_ns, cpu_still_ns;      /* and what it was when first read
                                           after it stopped; 0: not yet */
    uint64_t own_ns, own_still_ns;      /* of its main thread */
    uint64_t own_base_ns, base_ns;      /* at a look with details, and when */
    uint32_t site;
    uint64_t polls, polls_ns;   /* its questions, some looks ago, and when */
    uint8_t asked;              /* it has asked all the time since */
    uint8_t questions;          /* looks since it moved before which it had asked */
    uint8_t known, in, asks, works;     /* works: in a call that waits for
                                           nobody, for long */
    uint8_t paused;             /* it has slept, here, until a signal comes */
    uint8_t napped;             /* ... for a time */
    uint8_t others;             /* when last seen in detail, in MPI, another
                                   thread of it might have called MPI, too */
    uint8_t low;                /* looks in a row with fewer calls */
    uint8_t stuck, went;        /* enum still_stuck; looks in a row in which it
                                   seems to go on */
    uint64_t stuck_progress;    /* when it was said that it is stuck */
    uint64_t top;               /* the most that its progress was ever seen at */
    /* where it has stayed for long, outside of MPI, and came back */
    struct { uint32_t site, visits; uint64_t longest_ns; } place[STILL_PLACES];
    /* of its present stay, from the last calls */
    uint32_t visits;
    uint64_t longest_ns;
    uint32_t call;
    int32_t mark;               /* of its last tag */
    uint32_t waits;             /* enum hct_waits, and since when */
    uint64_t waits_since_ns;
    /* Places that it has called from since one was added, less the time in which
     * nobody saw it; what all calls were then, and at the last look; and how often
     * its last calls were looked at since. */
    uint32_t loop[STILL_LOOP], loop_details;
    uint64_t loop_since_ns;
    struct still_calls {
        uint64_t n, out_ns;
    } loop_then, loop_last;
};

struct still {
    struct still_options options;
    uint64_t random, looks;
    uint64_t sample_ns, detail_ns, backoff_ns;
    uint64_t proven;            /* the set that the last look at details has
                                   found to wait for each other; 0: none */
    uint64_t asking;            /* ... found last, of whom some ask in a loop
                                   and may give up: a notice at most */
    uint64_t asking_ns, asking_due_ns;  /* when, and when to say so */
    uint64_t asks_ns;           /* so long it has to be so for that */
    uint64_t moved_ns;          /* the last time that anybody moved */
    uint64_t begun_ns;          /* the first time that anybody moved */
    uint64_t quiet_ns;          /* the longest that nobody did, and then did */
    uint64_t pause_ns;          /* the longest that a task slept until a
                                   signal came */
    uint64_t all_in_ns;         /* longest time that all waited in MPI */
    uint32_t all_ins;           /* how many such times of a second or more */
    struct phasebook phases;
    struct {
        uint32_t n, still;      /* samples, those in which nobody had moved */
    } phase[PHASEBOOK_MAX];
    /* Ranks number their places alone, but mostly alike: what others took
     * there makes us more patient. */
    struct { uint32_t site, call; uint64_t longest_ns; } place[STILL_POOLED];
    uint32_t streak;
    uint8_t reported;           /* enum hct_kind; a notice only of those who
                                   ask in a loop, and a verdict may follow */
    uint8_t moved, was_all_in;
    uint8_t alone;              /* it is about those that are stuck; others
                                   may go on */
    uint8_t blind;              /* some have no counters */
    uint8_t noticed;            /* something was said of it, and it is so yet */
    uint8_t early_noticed, loop_noticed;        /* once */
    uint8_t pad[7];
    uint64_t noticed_ns;
    uint64_t loop_detail_ns;    /* the last calls were looked at for that */
    uint64_t loop_seen_ns;      /* all tasks were seen, to the same end */
    uint64_t early_ns;          /* some are in MPI_Init and some not yet */
    uint64_t reported_ns;
    struct transit transit;     /* at the last look with details, */
    uint64_t transit_ns;        /* ... which was then */
};

void still_init(struct still *s, const struct hct_job *job,
                const struct still_options *options);

/* Where some tasks are known by their stacks only, nothing but deadlocks of
 * others are found: who has no counters may move unseen. */
void still_look(struct still *s, struct still_rank *ranks,
                struct deadlock_rank *work, const struct hct_snapshot *in,
                struct hct_out *out);

/* Does it take part, or will it soon? */
static inline bool still_alive(const struct hct_rank *k)
{
    return k->life == HCT_LIFE_RUNNING || k->life == HCT_LIFE_INIT;
}

static inline uint64_t still_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t still_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What it has had of a processor since it stands, and if that is known: of several
 * threads it may be another one that is shown now. */
static inline bool still_has_threads(const struct hct_rank *k)
{
    return k->level >= HCT_LEVEL_SERIALIZED && k->threads > 1;
}

static inline bool still_processor_known(const struct still_rank *w,
                                         const struct hct_rank *k)
{
    return still_has_threads(k) ? k->waited_cpu_us : w->own_ns;
}

static inline uint64_t still_used_ns(const struct still_rank *w,
                                     const struct hct_rank *k)
{
    if (still_has_threads(k))
        return k->waited_cpu_us ? (k->waited_cpu_us - 1) * (uint64_t)1000 : 0;
    return w->own_ns > w->own_still_ns ? w->own_ns - w->own_still_ns : 0;
}

/* Is it outside of MPI, or in a call as if it were? */
static inline bool still_outside(const struct still_rank *w)
{
    return !w->in || w->works;
}

/* Its calls but for questions. These are read a little later: of one who asks
 * in a loop, and has done little else, there may be more of them. */
static inline uint64_t still_progress(const struct hct_rank *k)
{
    return k->calls > k->polls ? k->calls - k->polls : 0;
}

/* Nothing is said of it yet, or only that some ask in a loop. */
static inline bool still_may_judge(const struct still *s)
{
    return !s->reported || s->reported == HCT_NOTICE;
}

/* ... or that it hangs: that may be proven later, where some have had little of
 * a processor yet. */
static inline bool still_may_prove(const struct still *s)
{
    return s->reported != HCT_DEADLOCK;
}

/* ------------------------------------------------------- still_moves.c */

/* What a look says of a rank that was seen in it: has it moved? Then that is
 * put down in both. */
void still_look_at_rank(struct still *s, struct still_rank *w,
                        const struct hct_rank *k,
                        const struct hct_snapshot *in);

/* The last calls of a rank that is outside: has it been there before? */
void still_read_flights(struct still_rank *ranks,
                        const struct hct_snapshot *in);

/* What other threads might do is seen in detail only. */
void still_read_threads(struct still_rank *ranks,
                        const struct hct_snapshot *in);

/* ------------------------------------------------------- still_prove.c */

/* Are there tasks that may wait for each other? Then details are wanted. */
bool still_suspicious(const struct still *s, const struct still_rank *ranks,
                      const struct hct_snapshot *in);

/* A look at details: is there a deadlock, and if not, what is under way? Says
 * so; *work is left as deadlock_set() does. */
void still_look_at_detail(struct still *s, struct still_rank *ranks,
                          struct deadlock_rank *work,
                          const struct hct_snapshot *in, struct hct_out *out);

/* Do all of them stand, and not for long? Then the next one is soon. */
bool still_is_young(const struct still *s, const struct hct_snapshot *in);

/* When the next one is wanted (now_ns): at once for a proof, of those who ask
 * in a loop when it is time to say so. */
uint64_t still_next_detail(const struct still *s,
                           const struct hct_snapshot *in);

/* Of those who were seen to ask in a loop, and wait for each other, something
 * better will be said, or has been; that holds until somebody moves. */
bool still_asking_yet(const struct still *s, const struct hct_snapshot *in);

/* Is it known what was under way since the job stands still? */
bool still_transit_known(const struct still *s);

/* ------------------------------------------------------- still_limit.c */

/* Does it sleep in MPI until a signal comes? */
bool still_pauses_in(const struct still_rank *w, const struct hct_rank *k);

/* How long a rank may stay where it is, outside of MPI; *seen: how often it
 * has been there before. */
uint64_t still_allowed_outside(const struct still *s,
                               const struct still_rank *w,
                               const struct hct_rank *k,
                               const struct hct_snapshot *in, uint32_t *seen);

/* The longest stay of any task that is known of where it is. */
uint64_t still_longest(const struct still *s, const struct still_rank *w);

/* Outside of MPI, and that can be judged at all? Not where it has never been
 * seen, and not when it sleeps for what will come. */
bool still_judged_outside(const struct still_rank *w,
                          const struct hct_rank *k);

/* How long all of them may wait in MPI. */
uint64_t still_allowed_inside(const struct still *s,
                              const struct still_rank *ranks,
                              const struct hct_snapshot *in);

/* ------------------------------------------------------- still_again.c */

/* It is said now that this rank does not go on; asks: it asks in a loop. */
void still_about(struct still_rank *w, const struct hct_rank *k, bool asks);

/* Do those that were said not to go on, after all? Then they are forgotten. */
bool still_goes_on(const struct still *s, struct still_rank *ranks,
                   const struct hct_snapshot *in);

/* --------------------------------------------------------- still_say.c */

/* "; an earlier run was 6.1 s at this place"; "" if none is known. */
enum { STILL_THEN = 64 };
const char *still_then(char buf[STILL_THEN], const struct hct_rank *k);

/* What keeps it outside, in words: ", and uses the processor". */
enum { STILL_HOW = 120 };
const char *still_how(char buf[STILL_HOW], const struct still_rank *w,
                      const struct hct_rank *k, uint64_t still_ns);

/* The hang in words; outside: how many ranks are outside of MPI, to blame. */
void still_say(const struct still *s, const struct still_rank *ranks,
               const struct hct_snapshot *in, uint32_t outside, double score,
               uint64_t longest_ns, struct hct_out *out);

/* That rank r sleeps for good, while others go on. */
void still_say_alone(const struct still *s, const struct still_rank *w,
                     const struct hct_snapshot *in, uint32_t r,
                     struct hct_out *out);

/* ------------------------------------------------------ still_notice.c */

/* Notices, of a job that stands still; of one that begins; and of one all of
 * whose tasks do the same few calls for ever. */
void still_notice(struct still *s, const struct still_rank *ranks,
                  const struct hct_snapshot *in, struct hct_out *out);
void still_notice_early(struct still *s, const struct hct_snapshot *in,
                        struct hct_out *out);
void still_notice_loop(struct still *s, struct still_rank *ranks,
                       const struct hct_snapshot *in, struct hct_out *out);

#endif
