/* attribute.h - keyvals and attributes of communicators, types and windows.
 *
 * They are kept here and not in Open MPI: a value is the program's, and stays
 * when another Open MPI is loaded. Only those that MPI defines (MPI_TAG_UB,
 * MPI_WIN_BASE) are asked of it, and copied, since they go with it.
 *
 * All return MPI's error codes; errors of callbacks are theirs. */
#ifndef HECTOR_LAYER_ATTRIBUTE_H
#define HECTOR_LAYER_ATTRIBUTE_H

#include <mpi.h>

/* From an object that MPI has made as a copy of the other. */
int attribute_copy(void *from, void *to);

/* The object is about to end: the callbacks, newest attribute first. NULL and
 * null handles have none. */
int attribute_ending(void *handle);

#endif
