/* replaysteps.h - hector replay --steps: steps that were taken for deadlines are
 * decided again, from what there was, and printed as they were recorded then. */
#ifndef HECTOR_REPLAYSTEPS_H
#define HECTOR_REPLAYSTEPS_H

#include <stdint.h>

#include "master/hector/core/tool.h"

/* Of a job; 0: of all. The exit status. */
int replaysteps(const struct tool *t, uint64_t job);

#endif
