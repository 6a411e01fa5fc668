/* moves.h - the moves of a job's tasks, as the database has them: how long it
 * stood for each, and of what that time is made; and where its tasks were. */
#ifndef HECTOR_MOVES_H
#define HECTOR_MOVES_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* Lines; none if nothing was to be moved. */
void moves_of_job(struct str *to, struct store *st, uint64_t job);

#endif
