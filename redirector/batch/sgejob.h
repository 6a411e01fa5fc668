/* sgejob.h - what Grid Engine says of one of its jobs. */
#ifndef HECTOR_SGEJOB_H
#define HECTOR_SGEJOB_H

#include <stdint.h>

#include "redirector/batch/system.h"

/* As ask, mail and answer of struct system. */
extern const char *const sgejob_ask[];
extern const char sgejob_mail[];
int sgejob_answer(const char *text, uint64_t restarts, struct system_answer *a);

#endif
