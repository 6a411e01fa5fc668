/* program.h - the program that tasks run which are not there: its call sites,
 * and what they are called.
 *
 * Call sites have four frames: a line of phase_N(), which eight sites share,
 * its line in step(), main(), and what calls that. Site i calls MPI_Allreduce,
 * Isend, Irecv, Waitall, Bcast, Sendrecv, Barrier, Alltoall in turn, with 1024
 * (i + 1) bytes each time; Waitall and Barrier have none. */
#ifndef HECTOR_EMULATE_PROGRAM_H
#define HECTOR_EMULATE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "slave/emulate/options.h"
#include "slave/page/names.h"
#include "slave/page/sites.h"

uint32_t program_call(uint32_t site);           /* the function, wrap.def */
uint64_t program_bytes(uint32_t site);          /* of each call */

/* Is this task one of those that compute twice as long at a site? So many of a
 * million, evenly over the ranks; the last one of the job where it is one of
 * all. */
bool program_slow(const struct emulate *e, uint32_t rank);

/* Fill both, which are empty: site i has number i. */
int program_make(struct sites *sites, struct names *names, uint32_t nsites);

#endif
