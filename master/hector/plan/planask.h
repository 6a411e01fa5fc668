/* planask.h - an optimizer is asked as the master asks it, and waited for. */
#ifndef HECTOR_PLANASK_H
#define HECTOR_PLANASK_H

#include <stddef.h>

#include "master/optimize/planner.h"
#include "proto/base/err.h"

struct planask;

/* NULL with a sentence. */
struct planask *planask_open(const char *spec, struct err *err);
void planask_close(struct planask *p);          /* NULL is fine */

/* What it plans for that system, to f; all borrowed. -1 with a sentence: nothing
 * more will come of it. */
typedef void planask_f(void *arg, const struct systembytes *of,
                       const struct checked *plan, const char *odd);
int planask_plan(struct planask *p, const void *system, size_t bytes,
                 planask_f *f, void *arg, struct err *err);

#endif
