/* policycheck.h - is there such a policy, and has it such parameters? Only who has
 * loaded it can say: hector-judge, as the user who asks. */
#ifndef HECTOR_POLICYCHECK_H
#define HECTOR_POLICYCHECK_H

#include <stddef.h>

#include "proto/base/err.h"

/* Path of hector-judge: beside the running program, or of a test in ../bin. */
int policycheck_program(char *buf, size_t size, struct err *err);

/* Waits for the answer, some milliseconds: not for who has anything else to do.
 * -1 with a sentence: it cannot be. */
int policycheck(const char *spec, struct err *err);
int policycheck_optimizer(const char *spec, struct err *err);   /* the same */

#endif
