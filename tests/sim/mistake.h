/* mistake.h - the mistakes that people make in MPI programs. */
#ifndef HECTOR_SIM_MISTAKE_H
#define HECTOR_SIM_MISTAKE_H

#include "tests/sim/program.h"

/* One, of a random kind, at a random place; noted in the program. */
void mistake_make(struct program *p, uint64_t *chance);

#endif
