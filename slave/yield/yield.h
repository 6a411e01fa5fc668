/* yield.h - what jobs give up on this node for the deadline of another one.
 * The master orders it, whole each time; it lasts as long as that is there:
 * when it has been away for YIELD_LEASE_S everything is given back, and jobs
 * that were suspended for it go on. */
#ifndef HECTOR_YIELD_H
#define HECTOR_YIELD_H

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/jobs.h"

enum { YIELD_LEASE_S = 3 };

struct yields;

struct yields *yields_open(struct event_base *base, struct jobs *jobs,
                           struct err *err);
void yields_close(struct yields *ys);   /* NULL is fine */

/* Answered by Yielded, of a job that is here. */
void yields_order(struct yields *ys, const Hct__Yield *m);

/* Images of that job's tasks are about to be made, which have the processors in them
 * that threads are bound to: they get their own ones back until that is over. ys may be
 * NULL. */
void yields_unbind(struct yields *ys, struct job *j);

#endif
