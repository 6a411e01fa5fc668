/* lsfjob.h - what LSF says of one of its jobs. */
#ifndef HECTOR_LSFJOB_H
#define HECTOR_LSFJOB_H

#include <stdint.h>

#include "redirector/batch/system.h"

/* As ask and answer of struct system. */
extern const char *const lsfjob_ask[];
int lsfjob_answer(const char *text, uint64_t restarts, struct system_answer *a);

#endif
