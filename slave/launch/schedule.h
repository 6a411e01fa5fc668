/* schedule.h - what the tasks of a job get of the processors, for its priority
 * and class: nice, SCHED_IDLE, SCHED_RR, as far as the kernel lets us.
 *
 * A task that waits in MPI computes all the time. In class realtime nothing else
 * runs on its processor then but for what the kernel keeps for others (5 % of
 * each second, sched_rt_runtime_us). So that class is given only where that limit
 * stands, where each task can have a processor and one is left: there this slave
 * runs, and all else that it has started; apart.h. It is SCHED_RR,
 * not FIFO, as threads of one task may share a processor. */
#ifndef HECTOR_SCHEDULE_H
#define HECTOR_SCHEDULE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proto/conf/priority.h"

struct schedule {               /* {0}: whatever tasks find */
    struct priority want;
    bool asked;                 /* something else than that was wanted once */
    bool realtime;              /* admitted: schedule_admit() */
    bool was_realtime, was_idle;        /* of the want before */
    int nice;
    cpu_set_t own, was_own;     /* realtime: processors of its tasks alone */
    char why[160];              /* why not realtime */
};

/* That is wanted from now on. */
void schedule_want(struct schedule *s, const struct priority *p);
/* May n more tasks have class realtime? Each gets a processor of its own, of
 * this node (apart.h). True also if it is not wanted; else s->why says why not,
 * and they get the rest. */
bool schedule_admit(struct schedule *s, unsigned n);
/* n of them have it no longer, or (UINT_MAX) all. */
void schedule_part(struct schedule *s, unsigned n);

/* May its threads be given a part of each period (reserve.h)? */
bool schedule_reserves(const struct schedule *s);

/* The least nice that this process may give to its own. */
int schedule_least_nice(void);

/* For who calls: between fork and exec, of a process with one thread. */
void schedule_take(const struct schedule *s);
/* For all threads of a process. */
void schedule_process(const struct schedule *s, pid_t pid);

/* Of a process of others: whatever was given to it, by whom that may be. */
void schedule_undo(pid_t pid);

struct schedule_share {         /* what a process has */
    enum priority_sort sort;
    enum priority_applied applied;
    int nice;
};
void schedule_read(const struct schedule *s, pid_t pid,
                   struct schedule_share *to);
/* If that is not all that is wanted: why, in words; else "". more: why it is
 * not better still, of less than half of size; or "". */
void schedule_why(const struct schedule *s, const struct schedule_share *has,
                  const char *more, char *buf, size_t size);

#endif
