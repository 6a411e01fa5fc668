/* trial.h - runs that are played, one after the other, and what all methods say
 * of each: a line of words a run,
 *
 *   fault hidden share rank steps right wrong chains
 *   polish, merged: neighbour cluster, whole: neighbour cluster
 *
 * where each method has two numbers: the place of the task that was struck in
 * its list, each task once, and that of the step in the list of this task; 99:
 * it is not there. hidden: 1, in a call that waits. share: of the run. right,
 * wrong: verdicts of the policy by itself at the end that name this task, and
 * others. Of a run without a fault there is nothing behind these. */
#ifndef HECTOR_EMULATE_TRIAL_H
#define HECTOR_EMULATE_TRIAL_H

#include "slave/emulate/trial/host.h"

enum { TRIAL_NOT = 99 };

/* Run of that number. */
int trial_run(const struct played_conf *conf, uint32_t number,
              const struct host_ask *ask, struct err *err);

#endif
