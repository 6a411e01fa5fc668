/* windows.h - pieces of a job's time that are compared with each other: of one
 * phase, and of some iterations each.
 *
 * What was done since the look before belongs to the phase that the job is
 * in, if it was in it then, too. Of a phase that lasts for some windows,
 * what is left of it at its end makes none; a piece of a short one is as
 * good as any. What was seen while phases changed makes windows only where
 * it is always so.
 *
 * Of few iterations those that are but half in a window make most of what windows
 * differ by: of three, each with one computation before four calls, a task that has
 * made its last computation or not yet is off by a third. So such a window ends at a
 * look at which all tasks are at the place at which it began, and is of whole
 * iterations of all of them then. */
#ifndef HCT_PACE_WINDOWS_H
#define HCT_PACE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/lib/phasebook.h"
#include "policies/pace/iterations.h"
#include "policies/pace/speed.h"

struct windows {
    uint64_t least_ns;          /* a window lasts for so long at least, and */
    double iterations;          /* ... for so many of these */
    struct phasebook phases;
    struct iterations loop;     /* of the task ref */
    uint32_t ref, was_at;       /* phase of the look before */
    bool ended;                 /* a window, in this stay of the phase */
    bool round;                 /* the last one ended where it began */
    bool torn[SPEED_PHASES];    /* the open one is of several pieces */
    bool began, settles;        /* settles: the next one is not to be trusted */
    uint64_t at_ns, loop_calls[SPEED_PHASES], lasts_ns[SPEED_PHASES];
    uint64_t ref_calls;
    uint64_t most_ns;           /* the one that is over has to end then; 0: none */
};

void windows_init(struct windows *w, uint64_t least_ns, double iterations);

/* Is there a task whose page counts iterations? The first one does. */
bool windows_can(struct windows *w, const struct hct_snapshot *in);

/* One look more. True: a window of *phase is over, and is to be closed;
 * *unsure is the part of it that may be of the iteration before or after it. */
bool windows_look(struct windows *w, struct speed *s,
                  const struct hct_snapshot *in, uint32_t *phase,
                  double *unsure);

/* Nothing can be said of what goes on now: begin anew at the next look. */
void windows_interrupt(struct windows *w);

#endif
