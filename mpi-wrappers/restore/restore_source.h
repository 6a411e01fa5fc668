/* restore_source.h - where the bytes of the image come from: r->fd, or what that
 * leads to. */
#ifndef HECTOR_RESTORE_SOURCE_H
#define HECTOR_RESTORE_SOURCE_H

#include "mpi-wrappers/restore/restore.h"

/* An image that is packed, as hector-keep(8) has made it: r->fd is open, and a
 * plain file. If it is packed, r->fd becomes what the hector-keep beside this
 * program makes of it. */
void restore_source_unpack(struct restore *r);

/* All of the image has been read, and r->fd is still open: is it the end of the
 * packed one, too? Nothing of hector-keep is left then. */
void restore_source_end(struct restore *r);

/* One that is sent to the slave here: what that has given this process to read is
 * a Unix socket. If the image comes by way of the master its bytes come there; if
 * it comes by a link of its own, that is passed on, with a byte: so nobody but
 * this process touches them. Waits for the first byte, and reads by that link
 * from then on, if it is one. */
void restore_source_link(struct restore *r);

#endif
