/* seating.h - places for the jobs that wait: each task where it goes fastest,
 * as list scheduling on uniform processors does (Graham, Bounds on
 * multiprocessing timing anomalies, 1969; Gonzalez, Ibarra and Sahni, Bounds
 * for LPT schedules on uniform processors, 1977). Of hosts that are equally
 * fast the first one is filled before the next, so tasks of a job come
 * together. */
#ifndef HECTOR_BALANCE_SEATING_H
#define HECTOR_BALANCE_SEATING_H

#include "policies/balance/field.h"

/* All that wait, the most important first; who finds no room goes on
 * waiting. */
void seating_place(struct field *f);

#endif
