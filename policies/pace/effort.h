/* effort.h - what does its work cost a task of the processor: instructions,
 * and cycles for them, where these can be read?
 *
 * time = instructions * cycles for each * time of a cycle
 *
 * so that of the logarithm of a factor each has a share: a task that computes
 * longer has more to do, or waits for memory, or has a slow clock. Waiting in
 * MPI costs instructions and cycles, too, and how many for a ns of it is told
 * by those who have to wait for longer since somebody is slow, and do the
 * same.
 *
 * How it was before is known for each phase. What was done in the last windows
 * is kept apart: that it was slow is not noticed at once. All memory is the
 * caller's, some 220 bytes a task. */
#ifndef HCT_PACE_EFFORT_H
#define HCT_PACE_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

enum { EFFORT_PHASES = 9,       /* of the phasebook, and one that is mixed */
       EFFORT_RECENT = 8 };     /* windows that are kept apart */

struct effort_sum {
    float calls, in_ns, out_ns, instructions, cycles;
};

struct effort_task {
    uint64_t instructions, cycles;      /* as read last; 0: not known */
    struct effort_sum before[EFFORT_PHASES];
    struct effort_sum now;      /* the last windows; of a suspicion all of it */
};

struct effort {                 /* all zero but the first two: nothing seen */
    uint32_t ntasks;            /* 0: there is no room for so many */
    struct effort_task *task;   /* borrowed, ntasks */
    uint32_t phase, windows;    /* that now is of, and how many */
    bool suspected;             /* they are not how it was before */
};

/* A task has made so many calls in that phase, for which it took so long; its
 * counters stand so. Phase EFFORT_PHASES: nobody knows in which. */
void effort_add(struct effort *e, uint32_t task, uint32_t phase,
                const struct effort_sum *made, uint64_t instructions,
                uint64_t cycles);

/* A window of the phase is over. */
void effort_close(struct effort *e, uint32_t phase);

/* From now on that phase is slow, and how it was before it is not learnt from
 * that; the other one: as before, or that it is so from now on. */
void effort_suspect(struct effort *e, uint32_t phase);
void effort_dismiss(struct effort *e, bool other);

enum effort_cause { EFFORT_UNKNOWN, EFFORT_WORK, EFFORT_MEMORY, EFFORT_CLOCK };

struct effort_change {          /* so many times as before, outside of MPI: */
    uint32_t cause;             /* enum effort_cause: most of it */
    double time;                /* for a call */
    double instructions;        /* the same */
    double each;                /* cycles for one of these */
    double clock;               /* cycles a second */
};

/* Why does that task compute longer than before it was suspected? alike(i):
 * does task i do what it did, and wait for those that do not? False: not
 * known. */
bool effort_explain(const struct effort *e, uint32_t task,
                    bool (*alike)(const void *arg, uint32_t i), const void *arg,
                    struct effort_change *c);

#endif
