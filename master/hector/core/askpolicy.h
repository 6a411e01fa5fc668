/* askpolicy.h - has the master of a job let a policy of it look now; what that
 * finds is in the database some time later. */
#ifndef HECTOR_ASKPOLICY_H
#define HECTOR_ASKPOLICY_H

#include <stdint.h>

#include "master/hector/core/tool.h"
#include "proto/base/err.h"

/* Of what time: as in Ask of hct.proto. */
struct askpolicy_when { uint32_t window, phase; uint64_t ago_ns; };

/* -1 with a sentence: there is nobody to ask. when NULL: of all time. */
int askpolicy(const struct tool *t, uint64_t job, const char *policy,
              const struct askpolicy_when *when, struct err *err);
/* Until it is worth looking into the database again. */
void askpolicy_nap(void);

#endif
