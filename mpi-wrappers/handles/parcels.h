/* parcels.h - collective calls in which each member gives each other one an
 * amount of its own: MPI_Gatherv, Scatterv, Allgatherv, Alltoallv, Alltoallw and
 * Reduce_scatter. What this task gives to the others and takes from them is told
 * in the page when the call is entered, as sums: of the sums of all members
 * anybody can see whether it fits. See page_comm.
 *
 * What goes from a task to itself is left out: nobody waits for it. */
#ifndef HECTOR_PARCELS_H
#define HECTOR_PARCELS_H

#include "mpi-wrappers/handles/comm.h"
#include "mpi-wrappers/table/about.h"

/* The call, with a->parcels, is entered as collective call n of c. Nothing is
 * told where a type's size is not known yet, or c has two groups. */
void parcels_enter(const struct about *a, struct comm *c, uint64_t n);

/* MPI has accepted its types: their sizes are known the next time. */
void parcels_leave(const struct about *a, const struct comm *c);

#endif
