/* load.h - what part of its processor does the load of its node leave a task?
 *
 * As much as it has had, where others of the node had as little: then it is the
 * machine that has too much to do. One that has much less than these is starved
 * alone, by a quota, by somebody who is bound to its processor, or as that one is
 * bad: then the load leaves it what it leaves the others, and that it has less is
 * its own slowness. */
#ifndef HCT_PACE_LOAD_H
#define HCT_PACE_LOAD_H

struct load { double had_ns, wanted_ns; };      /* had a processor; wanted one, and
                                                   had none */

/* The logarithm of that part, of what a task had and what all others of its node
 * had together in the same time, in the mean of each; 0: not known. Of others that
 * slept most of the time nothing can be told. */
double load_leaves(const struct load *own, const struct load *others);

#endif
