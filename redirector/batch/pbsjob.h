/* pbsjob.h - what PBS says of one of its jobs. */
#ifndef HECTOR_PBSJOB_H
#define HECTOR_PBSJOB_H

#include <stdint.h>

#include "redirector/batch/system.h"

/* As ask, mail and answer of struct system. */
extern const char *const pbsjob_ask[];
extern const char pbsjob_mail[];
int pbsjob_answer(const char *text, uint64_t restarts, struct system_answer *a);

#endif
