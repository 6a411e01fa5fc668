/* mpiname.h - which functions on a stack belong to MPI. */
#ifndef HECTOR_MPINAME_H
#define HECTOR_MPINAME_H

#include <stdbool.h>

/* Does a frame with this function, in this module (last part of the path; ""
 * or NULL: not known), count as being in MPI? By name: MPI_X and PMPI_X in C
 * and Fortran, ompi_X. By module: the libraries of MPI implementations, for
 * some functions of theirs are reached by a jump and leave no frame of their
 * own. */
bool mpiname_is(const char *function, const char *module);

#endif
