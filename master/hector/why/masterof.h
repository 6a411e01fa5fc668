/* masterof.h - who has written down what is known of a job that has not ended. */
#ifndef HECTOR_WHY_MASTEROF_H
#define HECTOR_WHY_MASTEROF_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* Append a line, if its master is dead, or has not been heard of. */
void masterof_job(struct str *to, struct store *st, uint64_t job);

#endif
