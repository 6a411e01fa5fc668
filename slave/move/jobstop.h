/* jobstop.h - the tasks of a job here brought to stand, by the master's orders:
 * what is ordered is stored in their pages, and how they stand is told.
 *
 * Who has sent orders and then says nothing for half a minute is gone: tasks
 * that only stand go on, unless others may have come apart since. One whose link
 * is broken for JOBSTOP_AWAY_S is gone, too: what is to be done then is known
 * above (jobhook.away). */
#ifndef HECTOR_JOBSTOP_H
#define HECTOR_JOBSTOP_H

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"

enum { JOBSTOP_AWAY_S = 3 };

int jobstop_order(struct job *j, const Hct__StopOrder *m, struct err *err);

/* Another master, which knows of no stop: tasks that only stand go on, unless they
 * are kept. */
void jobstop_release(struct job *j);
/* As long as they stand no task goes on without a word of a master: those on other
 * nodes may have come apart. */
void jobstop_keep(struct job *j);
bool jobstop_keeps(const struct job *j);
/* They go on without a word of a master, in a namespace of that number or past a
 * Swap of it: from now on no stop of before is obeyed, until a master ends it.
 * jobstop_alone(): that number; 0: they have not. */
void jobstop_go_alone(struct job *j, uint32_t serial);
uint32_t jobstop_alone(const struct job *j);
void jobstop_destroy(struct jobstop *s);        /* NULL is fine */

/* The generation that is wanted, 0: none is; and has the swap been ordered? */
uint32_t jobstop_generation(const struct job *j);
bool jobstop_swaps(const struct job *j);

#endif
