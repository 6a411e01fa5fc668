/* nearer.h - moves that bring tasks together that send each other much: one of
 * the two goes to the other, or changes places with a task of its job there, as
 * in Kernighan's and Lin's exchanges. The paper's affinity (appendix: "tends to
 * map tasks from the same program onto the same machine when possible"). */
#ifndef HECTOR_BALANCE_NEARER_H
#define HECTOR_BALANCE_NEARER_H

#include "policies/balance/field.h"

/* A pair, by its number. Was anything worth it? */
bool nearer_try(struct field *f, uint32_t pair);

#endif
