/* hitting.h - how probable it is that a task comes from one state to another:
 * a number, which is wanted only where table 1 of PDI says nothing (reach.h),
 * and then as a hint that is marked as one.
 *
 * The hitting probabilities h of a state are the solution of h = P h, with 1
 * there and where it is always reached, and 0 from where it never is. From the
 * states between all paths leave, so that it is the only one: what begins with
 * 0 comes to it from below, what begins with 1 from above, and the truth is
 * between both whenever it is enough. */
#ifndef HCT_HITTING_H
#define HCT_HITTING_H

#include "policies/progress/reach.h"

enum { HITTING_SWEEPS = 2000 }; /* at most, through all edges */
#define HITTING_CLOSE 1e-9      /* both are so close: it is enough */

/* Of all states to that one, whose reach_to() is r. weight: how often each
 * edge was taken, in the order of g->next; none of them is 0 in sum over a
 * state. least and most have room for n. */
void hitting(const struct reach_graph *g, const double *weight,
             const struct reach_to *r, double *least, double *most);

#endif
