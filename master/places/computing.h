/* computing.h - the function that a task computes in longer than one of its like
 * does: from samples of both their stacks, while the job runs (AutomaDeD names the
 * calls at both ends of a region; this is what lies in between). */
#ifndef HECTOR_COMPUTING_H
#define HECTOR_COMPUTING_H

#include <stdint.h>

#include "master/places/whereis.h"
#include "master/state/job.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

struct computing;

/* Both have been looked at, or cannot be. */
typedef void computing_done_f(void *arg);

/* rank: the odd one; of those that are not in odd one is taken to compare it with.
 * NULL: nobody can be looked at. done() comes once, later. */
struct computing *computing_start(const struct whereis_by *by, struct job *j,
                                  uint32_t rank, const struct taskset *odd,
                                  computing_done_f *done, void *arg);

/* Append ", most in flux (heat.c:8): seen there 48 times of 48, task 3 27 times";
 * nothing where both compute alike. NULL is fine, both. */
void computing_add(const struct computing *c, struct str *to);
void computing_free(struct computing *c);

#endif
