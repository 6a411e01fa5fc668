/* rebuild_call.h - Open MPI's functions, for those that make its objects again:
 * with its own handles. */
#ifndef HECTOR_LAYER_REBUILD_CALL_H
#define HECTOR_LAYER_REBUILD_CALL_H

#include <mpi.h>

#include "mpi-wrappers/layer/inside.h"

#define REBUILD(name) ((__typeof__(&PMPI_##name))inside_get(CALL_##name))

#endif
