/* speed.h - how long does each task compute? What it spends outside of MPI for
 * a call that it makes, in time or, where others use the machine, in what it
 * has of a processor (share.h), window by window: the last one by one, what was
 * before as a mean. Windows stay in the ring for some time when they are in
 * that mean, too: how somebody became slow is seen in them (rise.h). All times
 * are logarithms, so that factors are differences.
 *
 * A place of the phasebook has windows of its own, and so has what was seen
 * while a phase gave way to another one. All memory is the caller's, some 700
 * bytes a task. */
#ifndef HCT_SPEED_H
#define HCT_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/lib/phasebook.h"
#include "policies/pace/effort.h"
#include "policies/pace/share.h"

/* Nobody is told from the others by less, log. */
static const double speed_finest = 0.02;

enum {
    SPEED_RING = 48,            /* windows that are kept one by one, and of */
    SPEED_NEWS = 16,            /* ... these the last at most are in no mean */
    SPEED_RECENT = 5,           /* that say how it was just before */
    SPEED_MIXED = PHASEBOOK_MAX,
    SPEED_PHASES,
};

struct speed_phase {
    float calls, out_ns;        /* of the window that is open */
    float had_ns, wanted_ns;    /* ... of its processor */
    float before, noise;        /* log ns a call, as it was before the ring; mean
                                   of how far that was off */
    float n;                    /* windows that say so; 0: none */
    float recent;               /* log ns a call, just before what is judged; 0:
                                   as before */
};

struct speed_task {
    uint64_t calls, in_ns, out_ns;      /* as read last */
    uint64_t had_ns, wanted_ns;
    struct speed_phase phase[SPEED_PHASES];
    float ring[SPEED_RING];     /* log ns a call; NaN: it made none */
    float before;               /* log ns a call, as speed_set_before() says */
    uint32_t odd;               /* 1: it was found slow */
    uint32_t node;              /* of this task; 0: not known */
    /* Of the call that it had made last, when it was read, and when the window
       began that it was read for then; 0: not known. */
    uint32_t site, from;
    /* Of the node whose number is this one's place here, + 1. */
    float node_shift;           /* sum of its tasks */
    uint32_t node_tasks;
};

/* Of the same windows, log of what the task had of its processor; apart, since
 * it is seldom looked at. */
struct speed_parts { float ring[SPEED_RING]; };

struct speed_window {           /* of all tasks together */
    uint8_t phase;
    double calls, in_ns, out_ns;
    double had_ns, wanted_ns;   /* of its processors */
    double part;                /* of time that counts: all, or what was had */
    uint64_t began_ns, ended_ns;
};

struct speed {
    uint32_t ntasks;
    uint32_t nodes;             /* the highest number of one */
    uint64_t windows;           /* closed so far */
    uint64_t settled;           /* up to that one they are in the means */
    struct speed_window open[SPEED_PHASES];
    struct speed_window ring[SPEED_RING];       /* by number, modulo */
    struct speed_task *task;    /* borrowed, ntasks */
    struct speed_parts *parts;  /* borrowed, ntasks */
    double *shift, *words;      /* borrowed, ntasks */
    struct share share;         /* which of the two counts */
    struct effort *effort;      /* borrowed: hears of all that is read; or NULL */
};

/* What tasks have done since they were read last belongs to that phase;
 * PHASES: nobody knows to what, and it is not counted. */
void speed_read(struct speed *s, const struct hct_snapshot *in, uint32_t phase);

/* Has each task come to the place in the program again at which the open window of
 * that phase began? Then what it has done since are whole rounds of its loop. */
bool speed_is_round(const struct speed *s, const struct hct_snapshot *in,
                    uint32_t phase);

/* Forgets what is in the open window. */
void speed_drop(struct speed *s, uint32_t phase);

/* The open window of a phase is over. What is no news any more is how it was
 * before, but of windows of the phase frozen; PHASES: of none. */
void speed_close(struct speed *s, uint32_t phase, uint64_t now_ns,
                 uint32_t frozen);

/* The other one of time and work counts from now on, in the windows that are
 * kept, too: how it was before them is forgotten. */
void speed_turn(struct speed *s);

/* What a call took in a window, of the one that counts. */
double speed_took(const struct speed *s, uint64_t window);

/* How it was just before that window: speed_recent(), from now on. */
void speed_recall(struct speed *s, uint32_t phase, uint64_t since);

/* What was before that window is how it was before, and no news any more. */
void speed_settle(struct speed *s, uint64_t since);

/* How it was before in that phase: as since that window, from now on. */
void speed_relearn(struct speed *s, uint32_t phase, uint64_t since);

/* The number of the window with so many of the same phase from it on; of those
 * that are news. *found: how many there are. */
uint64_t speed_since(const struct speed *s, uint32_t phase, uint32_t n,
                     uint32_t *found);

/* The first of the windows that are in no mean yet, and the first of all that
 * are kept one by one. */
uint64_t speed_oldest(const struct speed *s);
uint64_t speed_first(const struct speed *s);

/* Places in the ring of the windows of a phase from one up to another, that
 * are news: the same for all tasks. speed_one(): of that window alone, be it
 * news or not; none of another phase. */
struct speed_span { uint32_t n, at[SPEED_NEWS]; };
struct speed_span speed_span(const struct speed *s, uint32_t phase,
                             uint64_t from, uint64_t to);
struct speed_span speed_one(const struct speed *s, uint32_t phase,
                            uint64_t window);

/* From now on, what a task is slower by is so than before that window: of a
 * span of windows, log; NaN: nobody knows. */
void speed_set_before(struct speed *s, uint32_t phase, uint64_t since);
double speed_shift(const struct speed *s, uint32_t i, uint32_t phase,
                   const struct speed_span *span);

/* By what has the part of its processor that a task had changed since that
 * window of the phase, against those before it, log; NaN: nobody knows. */
double speed_part_grown(const struct speed *s, uint32_t i, uint32_t phase,
                        uint64_t since);

/* How far off are windows of a task, log: the mean, as was learnt, or, of a job
 * that has just begun, from one of the windows that are kept to the next. */
double speed_noise(const struct speed *s, uint32_t i, uint32_t phase);

/* Log ns a call just before; where nobody has looked then, as it always was. */
double speed_recent(const struct speed *s, uint32_t i, uint32_t phase);

/* By what was it slower just before, log, if all were by so much? */
double speed_was(const struct speed *s, uint32_t i, uint32_t phase, double all);

/* Calls of all tasks since that window, and how long these took. */
double speed_calls(const struct speed *s, uint64_t since, uint32_t phase,
                   double *ns);

/* What that task spends outside of MPI for a call, ns, as it was before a
 * window; NaN: nobody knows. */
double speed_before(const struct speed *s, uint32_t phase, uint32_t rank,
                    uint64_t since);

#endif
