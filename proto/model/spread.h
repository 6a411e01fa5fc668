/* spread.h - how a time is spread over the tasks of a job: the sum over all and
 * its squares, and who has taken most and least of it. Parts merge in any order
 * to the same, but for rounding. */
#ifndef HECTOR_SPREAD_H
#define HECTOR_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct spread {
    uint32_t told;              /* tasks; 0: nothing is known, {0} */
    uint32_t least_task, most_task;     /* of several the first one */
    double sum, squares;        /* of their times, ns */
    double least, most;
};

/* One more task, which has taken so long in all. */
void spread_add(struct spread *to, double ns, uint32_t task);

/* A part, whose task 0 is ours at. */
void spread_merge(struct spread *to, const struct spread *part, uint32_t at);

/* Can it be, of so many tasks? */
bool spread_sane(const struct spread *s, uint32_t width);

/* Mean, and standard deviation (-1: of one task there is none), of all; and of
 * all but the one that took most: what an odd task is compared with. */
struct spread_of { double mean, deviation; };
struct spread_of spread_all(const struct spread *s);
struct spread_of spread_but_most(const struct spread *s);

#endif
