/* speed.h - who computes longer for the same work? Of each task, what it spends
 * outside of MPI for a call that it makes, window by window: against itself
 * before, and against what all others have done meanwhile.
 *
 * All times are logarithms, so that factors are differences. What a task is
 * slower by than before, less the median of that over all tasks, is what it is
 * slower by than its like; the deviation over all tasks (MAD) says what is
 * usual. What has always been so is in both. Where a task has more to do and
 * others have less, work has moved, and nobody is slow.
 *
 * A place of the phasebook has windows of its own, and so has what was seen
 * while a phase gave way to another one. All memory is the caller's, some 300
 * bytes a task. */
#ifndef HCT_SPEED_H
#define HCT_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/lib/phasebook.h"
#include "policies/slow/effort.h"

enum {
    SPEED_RING = 16,            /* windows that are kept one by one */
    SPEED_MIXED = PHASEBOOK_MAX,
    SPEED_PHASES,
};

struct speed_phase {
    float calls, out_ns;        /* of the window that is open */
    float before, noise;        /* log ns a call, as it was before the ring; mean
                                   of how far that was off */
    float n;                    /* windows that say so; 0: none */
    float recent;               /* log ns a call, just before what is judged; 0:
                                   as before */
};

struct speed_task {
    uint64_t calls, in_ns, out_ns;      /* as read last */
    struct speed_phase phase[SPEED_PHASES];
    float ring[SPEED_RING];     /* log ns a call; NaN: it made none */
    float before;               /* log ns a call, as it is judged against */
    uint32_t odd;               /* 1: speed_judge() found it slow */
    uint32_t node;              /* of this task; 0: not known */
    /* Of the node whose number is this one's place here, + 1. */
    float node_shift;           /* sum of its tasks */
    uint32_t node_tasks;
};

struct speed_window {           /* of all tasks together */
    uint8_t phase;
    double calls, in_ns, out_ns;
    uint64_t began_ns, ended_ns;
};

struct speed {
    uint32_t ntasks;
    uint64_t windows;           /* closed so far */
    struct speed_window open[SPEED_PHASES];
    struct speed_window ring[SPEED_RING];       /* by number, modulo */
    struct speed_task *task;    /* borrowed, ntasks */
    double *shift, *words;      /* borrowed, ntasks */
    struct effort *effort;      /* borrowed: hears of all that is read; or NULL */
};

/* What tasks have done since they were read last belongs to that phase; PHASES:
 * nobody knows to what, and it is not counted. */
void speed_read(struct speed *s, const struct hct_snapshot *in, uint32_t phase);

/* Forgets what is in the open window. */
void speed_drop(struct speed *s, uint32_t phase);

/* The open window of a phase is over. What falls out of the ring is how it was
 * before, but of windows of the phase frozen; PHASES: of none. */
void speed_close(struct speed *s, uint32_t phase, uint64_t now_ns,
                 uint32_t frozen);

/* How it was just before that window is what is judged against, too. */
void speed_recall(struct speed *s, uint32_t phase, uint64_t since);

/* What was before that window is how it was before, and leaves the ring. */
void speed_settle(struct speed *s, uint64_t since);

/* How it was before in that phase: as since that window, from now on. */
void speed_relearn(struct speed *s, uint32_t phase, uint64_t since);

/* The number of the window with so many of the same phase from it on; of those
 * in the ring. *found: how many there are. */
uint64_t speed_since(const struct speed *s, uint32_t phase, uint32_t n,
                     uint32_t *found);

struct speed_limit {
    uint32_t windows;           /* that tell it, at least */
    double factor;              /* so many times as long, at least */
    double share;               /* of the time, that this costs it */
    double unsure;              /* part of a window that may be of the iteration
                                   before or after it */
};

struct speed_odd {
    uint32_t rank;
    double times;               /* as long as before, and than the others */
    double extra_ns;            /* longer for a call */
    double share;               /* of its time, that this is */
};

struct speed_found {
    double alike;               /* all tasks: so many times as long as before; */
    double was;                 /* ... and just before it */
    double share;               /* of the time, that this is */
    uint32_t nodd;              /* slower than that; more may be than are in odd */
    bool moved;                 /* ... but others have less to do instead */
    uint32_t of;                /* windows that this is of */
    uint32_t windows, earlier;  /* what speed_agree() says of them */
};

/* Of the windows of a phase from one on, against how it was before that called
 * since: who is slow? odd has room for k, worst first; of all tasks,
 * task[i].odd says it, and shift[i] what it is slower by than before, and than
 * all. False: too few windows, or nothing is known of how it was before. */
bool speed_judge(struct speed *s, uint32_t phase, uint64_t since, uint64_t from,
                 const struct speed_limit *limit, struct speed_found *f,
                 struct speed_odd *odd, size_t k);

/* In how many windows in a row up to now is the worst one of what was judged
 * just now slow, by half of that at least, or, if it is NULL, are all? windows:
 * of those that were judged; earlier: so many just before these. */
void speed_agree(struct speed *s, uint32_t phase, struct speed_found *f,
                 const struct speed_odd *worst);

/* What the worst one, or all if it is NULL, are slower by in the last windows
 * than just before since, log; and by what at most they became so from one
 * window to the next. Work that grows bit by bit has no such step. */
struct speed_rise { double step, now; };
struct speed_rise speed_rise(struct speed *s, uint32_t phase, uint64_t since,
                             const struct speed_found *f,
                             const struct speed_odd *worst);

/* By what did all become slower in as many windows before one, log, against as
 * many before these? */
double speed_trend(struct speed *s, uint32_t phase, uint64_t since);

/* What that task spends outside of MPI for a call, ns, as it was before a
 * window; NaN: nobody knows. */
double speed_before(const struct speed *s, uint32_t phase, uint32_t rank,
                    uint64_t since);

#endif
