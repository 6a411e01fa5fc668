/* fortran.h - entry points of MPI's Fortran functions.
 *
 * Open MPI's own Fortran libraries, which call the functions of C, do for most
 * of them: they are the program's, and see our handles. Some of theirs look into
 * what is behind a handle, or hand on functions of Fortran as what they are:
 * these are here, under all the names that compilers and Open MPI's modules
 * give them, and are found before theirs. */
#ifndef HECTOR_LAYER_FORTRAN_H
#define HECTOR_LAYER_FORTRAN_H

#include <mpi.h>

#include "mpi-wrappers/layer/call.h"

#define FORTRAN_NAME(name, target) \
    __asm__(".weak " name "\n\t.type " name ", @function\n\t.set " name ", " target);

/* fortran_wait is mpi_wait_, MPI_WAIT, ... and Open MPI's ompi_wait_f. */
#define FORTRAN(lower, upper, mixed)                                       \
    FORTRAN_NAME("mpi_" #lower, "fortran_" #lower)                         \
    FORTRAN_NAME("mpi_" #lower "_", "fortran_" #lower)                     \
    FORTRAN_NAME("mpi_" #lower "__", "fortran_" #lower)                    \
    FORTRAN_NAME("MPI_" #upper, "fortran_" #lower)                         \
    FORTRAN_NAME("pmpi_" #lower, "fortran_" #lower)                        \
    FORTRAN_NAME("pmpi_" #lower "_", "fortran_" #lower)                    \
    FORTRAN_NAME("pmpi_" #lower "__", "fortran_" #lower)                   \
    FORTRAN_NAME("PMPI_" #upper, "fortran_" #lower)                        \
    FORTRAN_NAME("MPI_" #mixed "_f", "fortran_" #lower)                    \
    FORTRAN_NAME("MPI_" #mixed "_f08", "fortran_" #lower)                  \
    FORTRAN_NAME("PMPI_" #mixed "_f", "fortran_" #lower)                   \
    FORTRAN_NAME("PMPI_" #mixed "_f08", "fortran_" #lower)                 \
    FORTRAN_NAME("ompi_" #lower "_f", "fortran_" #lower)

/* The same of a callback that MPI defines, which has fewer names. */
#define FORTRAN_CALLBACK(lower, upper)                                     \
    FORTRAN_NAME("mpi_" #lower, "fortran_" #lower)                         \
    FORTRAN_NAME("mpi_" #lower "_", "fortran_" #lower)                     \
    FORTRAN_NAME("mpi_" #lower "__", "fortran_" #lower)                    \
    FORTRAN_NAME("MPI_" #upper, "fortran_" #lower)

/* The error code may be left out. */
static inline void fortran_error(MPI_Fint *ierr, int rc)
{
    if (ierr)
        *ierr = rc;
}

#endif
