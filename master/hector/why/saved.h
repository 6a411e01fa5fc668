/* saved.h - the checkpoints of a job, and how it went back to them, as the
 * database has it. */
#ifndef HECTOR_SAVED_H
#define HECTOR_SAVED_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* Lines; none if it has no checkpoints. */
void saved_of_job(struct str *to, struct store *st, uint64_t job);

#endif
