/* mpi4.h - types of MPI-4 that wrap.def names and an older mpi.h does not
 * declare. A wrapper passes them on and looks into none of them: a pointer
 * holds a handle of either kind of MPI, see handle.h.
 *
 * Open MPI 5.0 has sessions, and calls itself MPI-3.1 all the same. */
#ifndef HECTOR_MPI4_H
#define HECTOR_MPI4_H

#include <mpi.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define MPI4_IS_DECLARED 1
#else
#define MPI4_IS_DECLARED 0
typedef struct mpi4_session *MPI_Session;
typedef void MPI_Session_errhandler_function(MPI_Session *, int *, ...);
#endif

#if MPI_VERSION < 4
typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count,
                                              void *, MPI_Offset, void *);
#endif

#endif
