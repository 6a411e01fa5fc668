/* diff.h - hector diff: in what one run of a program differs from another. */
#ifndef HECTOR_DIFF_H
#define HECTOR_DIFF_H

#include "master/hector/core/command.h"
#include "proto/base/str.h"

enum { DIFF_FOUND = 3 };        /* exit status: they differ */

extern const struct command diff_command;

/* For other commands. If this job, which has ended, took longer than all good
 * runs of its program before it and than they vary, append a line that says so,
 * and what costs most. */
void diff_of_slow_job(struct str *to, struct store *st, uint64_t job);

#endif
