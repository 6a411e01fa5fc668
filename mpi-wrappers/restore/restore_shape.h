/* restore_shape.h - do the tables make sense, whoever has written them? */
#ifndef HECTOR_RESTORE_SHAPE_H
#define HECTOR_RESTORE_SHAPE_H

#include "mpi-wrappers/restore/restore.h"

/* Do they take as many bytes as the head says, each of them? */
bool restore_shape_fits(const struct image_head *h);

/* Is every name, index and address in what it is said to be in? After that,
 * nobody has to ask again. */
bool restore_shape_good(const struct restore *r);

#endif
