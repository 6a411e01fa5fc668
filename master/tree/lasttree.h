/* lasttree.h - keeps call trees of jobs in the database, so that they can be
 * looked at later, when the job is gone. */
#ifndef HECTOR_LASTTREE_H
#define HECTOR_LASTTREE_H

#include <stdint.h>

#include "master/store/journal.h"
#include "master/tree/reduce.h"
#include "proto/base/str.h"

/* tree is what merge_stack has made of the result; who is missing from it is
 * added. seq: of the verdict it belongs to; 0: somebody has asked for it. One
 * that is empty or too large is not kept. */
void lasttree_keep(struct journal *jn, uint64_t job, uint64_t seq,
                   const struct reduce_result *r, const struct str *tree);

#endif
