/* callclass.h - the table of MPI's functions that policies see: what kind of
 * call each is, and whether it waits for others. */
#ifndef HECTOR_CALLCLASS_H
#define HECTOR_CALLCLASS_H

#include <stdint.h>

#include "policies/hct_policy.h"

/* By number, made at the first call; *n is how many there are. */
const struct hct_call *callclass_table(uint32_t *n);

#endif
