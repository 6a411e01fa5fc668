/* alike.h - what have all tasks in common: what all are slower by than before is
 * no task's own. */
#ifndef HCT_SLOW_ALIKE_H
#define HCT_SLOW_ALIKE_H

#include <stddef.h>
#include <stdint.h>

#include "policies/pace/speed.h"

/* The middle one, of two the lesser: half of the tasks may be on one node. NaN
 * of none. */
double alike_middle(double *v, size_t n);

/* What all are slower by in some windows, log; each task's is in shift, where
 * that is not NULL. */
double alike_of(struct speed *s, uint32_t phase, const struct speed_span *span,
                double *shift);

/* By what has changed what all have of their processors since that window, log, of
 * some hundred tasks at most; 0: not known. */
double alike_part(struct speed *s, uint32_t phase, uint64_t since);

/* About the same, of some hundred tasks at most: what is wanted of many windows
 * must not cost as much as these together. */
double alike_about(struct speed *s, uint32_t phase,
                   const struct speed_span *span);

#endif
