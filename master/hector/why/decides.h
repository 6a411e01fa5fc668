/* decides.h - of the tasks that verdicts blame, the first of the lines that decide
 * that they stay where they are. */
#ifndef HECTOR_DECIDES_H
#define HECTOR_DECIDES_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* Two lines a task; none where no slice is kept. */
void decides_of_job(struct str *to, struct store *st, uint64_t job);

#endif
