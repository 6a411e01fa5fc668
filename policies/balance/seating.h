/* seating.h - places for the jobs that wait: each task where it goes fastest, as
 * list scheduling on uniform processors does (Graham, Bounds on multiprocessing
 * timing anomalies, 1969; Gonzalez, Ibarra and Sahni, Bounds for LPT schedules
 * on uniform processors, 1977). Of hosts that are equally fast the first one is
 * filled before the next, so tasks of a job come together.
 *
 * A job is tried in two ways, on processors that nobody uses as long as there
 * are any, and anywhere; the way in which it and those that it disturbs lose
 * less is taken, as if all had the same to do yet. */
#ifndef HECTOR_BALANCE_SEATING_H
#define HECTOR_BALANCE_SEATING_H

#include "policies/balance/field.h"

/* All that wait, the most important first; who finds no room goes on waiting.
 * Has anybody found some? */
bool seating_place(struct field *f);

#endif
