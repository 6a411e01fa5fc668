/* gain.h - what changes are worth, and what they cost: seconds of processors
 * over the expected rest of the jobs that they touch.
 *
 * A job that has to compute R seconds with each of its n tasks, and whose
 * slowest task goes at rate r, holds n processors for R / r seconds: the sum of
 * n R / r over all jobs, and of what traffic between hosts takes, falls with
 * each change that is made, by more than twice what the change costs. So no
 * change is ever taken back. */
#ifndef HECTOR_BALANCE_GAIN_H
#define HECTOR_BALANCE_GAIN_H

#include "policies/balance/field.h"

/* One move: all tasks of the job wait for the one that moves. */
double gain_price(const struct field *f, uint32_t work);
/* The job, from one pace to another. */
double gain_pace(const struct field *f, uint32_t work, double from, double to);
/* What other jobs on the host lose when its rate falls; by the paces that they
 * had. */
double gain_loss(struct field *f, uint32_t work, uint32_t host, double from,
                 double to);
/* Traffic that a task has between hosts when it is there; a partner is left
 * out. */
double gain_traffic(const struct field *f, uint32_t seat, uint32_t host,
                    uint32_t but);

#endif
