/* lastrun.h - keeps in the database what a job is a run of, so that later runs
 * can be compared with it: programs, arguments, what of the environment makes
 * programs faster or slower, and in the end whether it went well. */
#ifndef HECTOR_LASTRUN_H
#define HECTOR_LASTRUN_H

#include <stdbool.h>
#include <stdint.h>

#include "master/state/job.h"
#include "master/store/journal.h"
#include "proto/base/str.h"

/* It has been submitted. */
void lastrun_begin(struct journal *jn, const struct job *j);

/* It has ended, and this is the model of its tasks, as endmodel.c has made it;
 * empty: there is none. */
void lastrun_end(struct journal *jn, const struct job *j,
                 const struct str *model, bool well);

/* For tests: append what people call a job of this Submit: words as a shell
 * takes them, programs apart by " : "; and the lines of its environment that
 * count. */
void lastrun_what(const Hct__Submit *s, struct str *out);
void lastrun_environment(const Hct__Submit *s, struct str *out);

#endif
