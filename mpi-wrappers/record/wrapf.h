/* wrapf.h - the names that Fortran compilers give to one entry point. */
#ifndef HECTOR_WRAPF_H
#define HECTOR_WRAPF_H

#include "mpi-wrappers/record/wrap.h"

/* Other compilers spell mpi_send_ differently. */
#define WRAPF_ALIAS(type, from, to, params) \
    WRAP_EXPORT type to params __attribute__((alias(from)))

#define WRAPF_ALIASES(type, name, lower, upper, params)                   \
    WRAPF_ALIAS(type, "mpi_" #lower "_", mpi_##lower, params);            \
    WRAPF_ALIAS(type, "mpi_" #lower "_", mpi_##lower##__, params);        \
    WRAPF_ALIAS(type, "mpi_" #lower "_", MPI_##upper, params);            \
    WRAPF_ALIAS(type, "mpi_" #lower "_", MPI_##name##_f, params);         \
    WRAPF_ALIAS(type, "mpi_" #lower "_", MPI_##name##_f08, params)

#define WRAPF_ALIAS_CPTR(lower, to, params) \
    WRAPF_ALIAS(void, "mpi_" #lower "_cptr_", to, params)

#define WRAPF_ALIASES_CPTR(name, lower, upper, params)                    \
    WRAPF_ALIAS_CPTR(lower, mpi_##lower##_cptr, params);                  \
    WRAPF_ALIAS_CPTR(lower, mpi_##lower##_cptr__, params);                \
    WRAPF_ALIAS_CPTR(lower, MPI_##upper##_CPTR, params);                  \
    WRAPF_ALIAS_CPTR(lower, MPI_##name##_cptr_f, params);                 \
    WRAPF_ALIAS_CPTR(lower, MPI_##name##_cptr_f08, params)

#endif
