/* pauses.h - when looks came much later than they were asked for, and showed
 * few calls for that: the job stood as a whole, perhaps with who looks. So it
 * is when a batch system suspends it, or somebody stops its processes, which no
 * page tells; or a machine has far too much to do. Or looks come in time, and
 * tasks are stopped: those of a node of their own, or those that are stopped
 * first. What a step takes longer by then says nothing of the task that is in
 * it.
 *
 * Suspended or moved by Hector, a task's steps stand still:
 * page_header.stood_ticks. */
#ifndef HCT_PAUSES_H
#define HCT_PAUSES_H

#include <stdint.h>

#include "policies/hct_policy.h"

enum { PAUSES_KEPT = 16 };      /* the last; older ones count as of all time */

struct pauses {                 /* {0} to begin with */
    uint64_t last_ns, calls;    /* the last look; calls of all tasks until then */
    double rate;                /* calls each ns, lately, while it goes on */
    uint64_t wake_ns;           /* when the next look is due */
    uint64_t since_ns;          /* it stands since then; 0: it does not */
    uint64_t stopped;           /* 1: a task has been seen stopped meanwhile */
    uint64_t n, older_ns;
    struct pause { uint64_t from_ns, to_ns, stopped; } v[PAUSES_KEPT];
};

/* Each look; and at its end, when the next one is asked for. */
void pauses_look(struct pauses *p, const struct hct_snapshot *in);
static inline void pauses_asked(struct pauses *p, uint64_t wake_ns)
{
    p->wake_ns = wake_ns;
}

/* What a task may have stood since then, in ns, as far as looks tell; 0: it has
 * not. Of those that somebody stops one is stopped before others, or goes on
 * after them, and stands for longer than the job as a whole: twice as long at
 * most. */
uint64_t pauses_since(const struct pauses *p, uint64_t from_ns, uint64_t now_ns);

#endif
