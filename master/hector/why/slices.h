/* slices.h - hector why JOB --slice: the lines that decide that a task got to
 * where it is, and stays there. */
#ifndef HECTOR_SLICES_H
#define HECTOR_SLICES_H

#include "master/hector/core/target.h"
#include "master/hector/core/tool.h"

/* Of that task (SLICES_BLAMED: the one that is behind all others, or, with -n, the
 * next ones), as it is just now, or, if the job has ended, as it was when a verdict
 * blamed it, or somebody asked, last. Returns the exit status. */
#define SLICES_BLAMED (-1)
int slices_show(const struct tool *t, uint64_t job, int64_t rank);

#endif
