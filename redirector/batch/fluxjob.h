/* fluxjob.h - what Flux says of one of its jobs. */
#ifndef HECTOR_FLUXJOB_H
#define HECTOR_FLUXJOB_H

#include <stdint.h>

#include "redirector/batch/system.h"

/* As ask and answer of struct system. */
extern const char *const fluxjob_ask[];
int fluxjob_answer(const char *text, uint64_t restarts, struct system_answer *a);

#endif
