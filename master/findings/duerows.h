/* duerows.h - what came of deadlines, as the database keeps it: the view
 * deadlines. */
#ifndef HECTOR_DUEROWS_H
#define HECTOR_DUEROWS_H

#include <stdint.h>

#include "policies/hct_policy.h"

struct job;
struct journal;

/* n instances; shift_ns is to be added to their
 * times for the clock of the wall. */
void duerows_put(struct journal *jn, const struct job *j,
                 const struct hct_instance *v, uint32_t n, int64_t shift_ns);

#endif
