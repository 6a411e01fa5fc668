/* odd.h - who computes longer for the same work? Each task against itself before,
 * and against what all others have done meanwhile.
 *
 * What a task is slower by than before, less the median of that over all tasks,
 * is what it is slower by than its like; the deviation over all tasks (MAD) says
 * what is usual. What has always been so is in both. Where a task has more to do
 * and others have less, work has moved, and nobody is slow. */
#ifndef HCT_SLOW_ODD_H
#define HCT_SLOW_ODD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/pace/speed.h"

struct odd_limit {
    uint32_t windows;           /* that tell it, at least */
    double factor;              /* so many times as long, at least */
    double share;               /* of the time, that this costs it */
    double unsure;              /* part of a window that may be of the iteration
                                   before or after it */
};

struct odd_task {
    uint32_t rank;
    double times;               /* as long as before, and than the others */
    double extra_ns;            /* longer for a call */
    double share;               /* of its time, that this is */
};

struct odd_found {
    double alike;               /* all tasks: so many times as long as before; */
    double was;                 /* ... and just before it */
    double share;               /* of the time, that this is */
    uint32_t nodd;              /* slower than that; more may be than are in odd */
    bool moved;                 /* ... but others have less to do instead */
    uint32_t of;                /* windows that this is of */
    uint32_t windows, earlier;  /* what rise_agree() says of them */
};

/* Is anybody so many times as slow as before and as all, or are all? It costs
 * a part of what odd_judge() does, which finds nobody then. */
bool odd_may_be(struct speed *s, uint32_t phase, uint64_t since, double factor);

/* Of the windows of a phase from one on, against how it was before that called
 * since: who is slow? odd has room for k, worst first; of all tasks,
 * task[i].odd says it, and shift[i] what it is slower by than before, and than
 * all. False: too few windows, or nothing is known of how it was before. */
bool odd_judge(struct speed *s, uint32_t phase, uint64_t since, uint64_t from,
               const struct odd_limit *limit, struct odd_found *f,
               struct odd_task *odd, size_t k);

#endif
