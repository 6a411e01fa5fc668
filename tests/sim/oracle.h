/* oracle.h - the truth about a world: who can still go on. */
#ifndef HECTOR_SIM_ORACLE_H
#define HECTOR_SIM_ORACLE_H

#include "tests/sim/world.h"

/* Tasks that never go on, whatever those do that can: the greatest such set. */
uint32_t oracle_stuck(const struct world *w);

/* Of tasks that are said to wait for each other for ever: one that goes on, or
 * could; -1: none. *why is a sentence. */
int oracle_refutes(const struct world *w, uint32_t set, uint64_t seed,
                   const char **why);

#endif
