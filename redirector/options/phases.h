/* phases.h - checks what --phase says before a job is started; the tasks'
 * library understands it (mpi-wrappers/record/phase.h). */
#ifndef HECTOR_PHASES_H
#define HECTOR_PHASES_H

#include "proto/base/err.h"

/* 0, or -1 with a sentence on what is wrong with it. */
int phases_check(const char *text, struct err *err);

#endif
