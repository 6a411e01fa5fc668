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

#include "mpi-wrappers/inside/object.h"

/* A value has come from C as a pointer, or from Fortran as an INTEGER, or as one
 * of the kind of addresses; callbacks are of the same three kinds. What each
 * sees of a value of the others: MPI-3.1, section 17.2.7. */
enum attribute_from { ATTRIBUTE_POINTER, ATTRIBUTE_INTEGER, ATTRIBUTE_ADDRESS };

enum { ATTRIBUTE_OURS = 4096 }; /* keyvals below are MPI's own */

/* A new keyval. The callbacks are as `from` says, and so is extra: a pointer, or
 * one to an INTEGER or address that is copied. */
int attribute_keyval(enum object_kind kind, enum attribute_from from,
                     void *copy, void *delete, const void *extra, int *keyval);

/* value points to what `from` says; in get it is stored there. */
int attribute_set(void *handle, enum object_kind kind, int keyval,
                  enum attribute_from from, const void *value);
int attribute_get(void *handle, enum object_kind kind, int keyval,
                  enum attribute_from from, void *value, int *flag);

/* From an object that MPI has made as a copy of the other. */
int attribute_copy(void *from, void *to);

/* The object is about to end: the callbacks, newest attribute first. NULL and
 * null handles have none. */
int attribute_ending(void *handle);

#endif
