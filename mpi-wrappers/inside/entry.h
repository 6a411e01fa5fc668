/* entry.h - what a function of MPI before Open MPI's is made of. */
#ifndef HECTOR_INSIDE_ENTRY_H
#define HECTOR_INSIDE_ENTRY_H

#include <mpi.h>

#include "mpi-wrappers/inside/inside.h"
#include "mpi-wrappers/inside/object.h"

/* Open MPI's function, for a call of it. */
#define INSIDE(name) ((__typeof__(&PMPI_##name))inside_get(CALL_##name))

/* MPI_Name is the program's to define again, and then calls PMPI_Name. */
#define ENTRY_EXPORT __attribute__((visibility("default")))
#define ENTRY_ALIAS(name) \
    __asm__(".weak MPI_" #name "\n\t.set MPI_" #name ", PMPI_" #name);

/* Where Open MPI stores a handle, if the caller wants it. */
#define ENTRY_AT(i, to) ((to) ? &r##i : NULL)
#define ENTRY_OWN(rc, kind, i, to)                                          \
    do {                                                                   \
        if ((to) && (rc) == MPI_SUCCESS && !(*(to) = object_own(kind, r##i))) \
            (rc) = MPI_ERR_NO_MEM;                                         \
    } while (0)

#endif
