/* kept.h - programs about which a proof was wrong once. */
#ifndef HECTOR_SIM_KEPT_H
#define HECTOR_SIM_KEPT_H

#include "tests/sim/program.h"

/* Its name; NULL: there are no more. */
const char *kept_program(uint32_t i, struct program *p);

#endif
