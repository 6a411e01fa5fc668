/* oracle.h - the truth about a world: who can still go on. */
#ifndef HECTOR_SIM_ORACLE_H
#define HECTOR_SIM_ORACLE_H

#include "tests/sim/world.h"

/* Tasks that never go on, whatever those do that can: the greatest such set. */
uint32_t oracle_stuck(const struct world *w);

/* Those of them of whom pages can show it: fewer, for these show neither how
 * MPI passes on what a collective call moves, nor, between nodes, how long a
 * message may take that need not wait for its receiver; limits: they tell
 * which do. */
uint32_t oracle_shown(const struct world *w, bool limits);

/* Of tasks that are said to wait for each other for ever: one that goes on, or
 * could; -1: none. *why is a sentence. */
int oracle_refutes(const struct world *w, uint32_t set, uint64_t seed,
                   const char **why);

#endif
