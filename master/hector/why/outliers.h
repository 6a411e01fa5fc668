/* outliers.h - hector why JOB --outliers: which tasks are furthest from their like,
 * by each method, and in which step; of a job that runs, now. */
#ifndef HECTOR_OUTLIERS_H
#define HECTOR_OUTLIERS_H

#include <stdint.h>

#include "master/hector/core/tool.h"
#include "master/store/store.h"

/* As t->own, struct why_options, says. Returns the exit status. */
int outliers_show(const struct tool *t, struct store *st, uint64_t job);

#endif
