/* lasttags.h - what the tasks of a job have tagged last, those with the same
 * text in one line. */
#ifndef HECTOR_LASTTAGS_H
#define HECTOR_LASTTAGS_H

#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/str.h"

/* Lines; nothing is added where no task has tagged anything. */
void lasttags_of_job(struct str *to, struct store *st, uint64_t job);

#endif
