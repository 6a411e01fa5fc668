/* restore_unpack.h - an image that is packed, as hector-keep(8) has made it. */
#ifndef HECTOR_RESTORE_UNPACK_H
#define HECTOR_RESTORE_UNPACK_H

#include "mpi-wrappers/restore/restore.h"

/* r->fd is open, and a plain file. If it is packed, r->fd becomes what the hector-keep
 * beside this program makes of it. */
void restore_unpack_begin(struct restore *r);

/* All of the image has been read, and r->fd is still open: is it the end of the packed
 * one, too? Nothing of hector-keep is left then. */
void restore_unpack_end(struct restore *r);

#endif
