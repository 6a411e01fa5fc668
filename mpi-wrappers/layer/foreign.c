/* foreign.c - functions that are not offered by a library that can be loaded anew:
 * those for tools, whose handles are Open MPI's variables, and extensions. Each
 * says so by its error code. */

/* As in Open MPI's mpi.h, which declares the functions as what they are. */
enum { MPI_ERR_UNSUPPORTED_OPERATION = 52, MPI_T_ERR_CANNOT_INIT = 56 };

#define FOREIGN(name, code)                                                \
    __attribute__((visibility("default"))) int name(void);                 \
    __attribute__((visibility("default"))) int name(void) { return code; }
#include "layer_foreign.inc"
