/* calltree.h - the message CallTree of what the stacker has found. */
#ifndef HECTOR_CALLTREE_H
#define HECTOR_CALLTREE_H

#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/stacks/stacker.h"

/* rank_of: of each position; NULL: they stay what they are. Fill m;
 * calltree_fini() frees what it has. */
int calltree_make(Hct__CallTree *m, const struct stacker_result *r,
                  const uint32_t *rank_of, uint32_t n, struct err *err);
void calltree_fini(Hct__CallTree *m);

#endif
