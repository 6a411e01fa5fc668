/* still.h - tasks that need not move after all. One goes, and later in the search
 * another one of its job comes to where it was, since others have left: if the two
 * are alike and send nobody anything, the first stays, and the other goes to where
 * that one went. Who is where in the end is worth the same, for fewer moves, and
 * no tasks change places for nothing. */
#ifndef HECTOR_BALANCE_STILL_H
#define HECTOR_BALANCE_STILL_H

#include "policies/balance/field.h"

/* At the end of a search: of this job. Only where each seat is stays right. */
void still_all(struct field *f, uint32_t work);

#endif
