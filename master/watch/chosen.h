/* chosen.h - which policies watch a job: those of hector.conf and those that the
 * user has named. */
#ifndef HECTOR_CHOSEN_H
#define HECTOR_CHOSEN_H

#include <stddef.h>

#include "hct.pb-c.h"
#include "master/watch/policy.h"
#include "proto/base/err.h"

enum { CHOSEN_MAX = 16 };

/* Opens them into v[CHOSEN_MAX]. defaults, separated by blanks, may be NULL; one
 * that cannot be opened is left out and logged. -1 with a sentence: one of the
 * user's is wrong; those in v are open. */
int chosen_open(struct policy *v, size_t *n, const char *defaults,
                const Hct__Submit *s, struct err *err);

#endif
