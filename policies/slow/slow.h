/* slow.h - the inside of the policy slow: what it knows of a job, and in which
 * stage it is.
 *
 *   WATCH --the pace has dropped--> SUSPECT --who, twice, and where--> TOLD
 *     ^                                |                                 |
 *     +---- other work, or nothing ----+                                 |
 *     +---------------------- as fast as before again -------------------+
 *
 * A window that is over goes to the file of its stage: watch.c, suspicion.c,
 * told.c.
 *
 * Invariants. How it was before is not learnt from the phase that is suspected
 * as long as it is. Models are asked for twice in a suspicion: at its
 * beginning, and before the word. What has gone by of its own accord, as a
 * second of two phases that nobody has marked, has to last twice as long when
 * it comes again. */
#ifndef HCT_SLOW_H
#define HCT_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/pace/effort.h"
#include "policies/pace/pace.h"
#include "policies/pace/speed.h"
#include "policies/pace/windows.h"
#include "policies/slow/models.h"
#include "policies/slow/odd.h"
#include "policies/slow/region.h"

enum slow_stage { SLOW_WATCH, SLOW_SUSPECT, SLOW_TOLD };
enum {
    SLOW_ODD = 16,              /* tasks that are named one by one */
    SLOW_RAISED = 2,            /* windows behind a change: one is suspected */
    SLOW_ODD_WINDOWS = 3, SLOW_ALL_WINDOWS = 4, /* that tell it */
    SLOW_ALONE = 8,             /* windows of before, where there is nobody to
                                   compare with: all tasks are slow */
};
/* Slower by less than this is no suspicion. */
static const double slow_least_rise = 1.03;
/* Who computes so many times as long as before is suspected whatever the pace;
 * and how sure that is: of six deviations, by Chebyshev. */
static const double slow_plain = 1.3, slow_likely = 1 - 1 / 36.0;

struct slow_suspicion {
    uint32_t stage;             /* enum slow_stage */
    uint32_t phase;
    uint64_t since, began_ns;   /* the first window, and when that began */
    uint64_t from;              /* no window before that is judged; 0: since */
    double known_ns;            /* so long it was otherwise before */
    uint32_t windows;           /* closed while it lasts */
    uint32_t elsewhere;         /* of other phases, in a row */
    uint32_t agreed;            /* in so many of these in a row the same was
                                   found */
    uint32_t by_speed;          /* 1: somebody computes longer, whatever the pace */
    uint32_t waits;             /* 1: it is certain, but has to last for longer
                                   than what went by before */
    bool seen[2];               /* in a window all were slow; somebody was */
    double trend;               /* what all were slower by before, log */
    double step;                /* the highest of the task step_of */
    uint32_t step_of;           /* the number of tasks: all */
    struct models models;       /* of the beginning */
    uint32_t witness;           /* whose model is among them for crowd.h */
    uint32_t kept_at;           /* after so many windows */
    uint32_t asked;             /* windows since models are to decide */
    uint32_t again;             /* times that the wrong tasks were kept */
    struct pace_change change;
    struct odd_found found;
    struct odd_task odd[SLOW_ODD];
    uint32_t shown;             /* of these: whose step is told */
    bool alone;                 /* that one had much less of its processor than
                                   another one of its node */
    bool of_work;               /* what it takes longer is work, not time */
    double extra_ns;            /* that it takes longer for a call; all are slow:
                                   the one that counts; NaN: not known */
    uint32_t node;              /* all tasks of which are slow; 0: none */
    struct effort_change effort;        /* of the one that is shown */
};

struct slow {
    uint64_t look_ns;
    struct odd_limit limit;
    struct windows windows;
    uint64_t models_ns;         /* not before */
    uint64_t lasted_ns[SPEED_PHASES][2];        /* the longest that went by, of
                                   all; of somebody */
    /* + 1: in windows from that one on somebody was found slow, and it went by
       without a word. They do not say how it was just before; 0: none. */
    uint64_t doubt[SPEED_PHASES];
    struct pace pace[SPEED_PHASES];
    struct speed speed;
    struct effort effort;
    struct slow_suspicion x;
    struct region now;
    /* and behind it, for each task, two words, a struct speed_task, a struct
       speed_parts and, if there is room, a struct effort_task */
};

/* Is what it takes longer time in which it was kept from the processor, by
 * half at least? What it would be kept for as it has more to compute is not:
 * amid as many others each ms of work costs as much as before. But who looks
 * for messages all the time is kept in MPI, too: of tasks that sleep outside
 * of it, before as now, nothing follows from that. */
bool slow_kept(const struct slow_suspicion *x, const struct region_grown *g);

/* Says it: what grown tells of the first of the tasks, NULL: nothing. */
void slow_say(const struct slow_suspicion *x, const struct region_grown *grown,
              const struct speed *speed, const struct hct_snapshot *in,
              struct hct_out *out);
void slow_say_over(const struct slow_suspicion *x, struct hct_out *out);

#endif
