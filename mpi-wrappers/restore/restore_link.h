/* restore_link.h - the link by which an image comes that is sent to the slave here.
 *
 * What the slave has given this process to read is a Unix socket. If the image comes
 * by way of the master its bytes come there; if it comes by a link of its own, that
 * is passed on, with a byte: so nobody but this process touches them. */
#ifndef HECTOR_RESTORE_LINK_H
#define HECTOR_RESTORE_LINK_H

#include "mpi-wrappers/restore/restore.h"

/* Waits for the first byte, and reads by that link from then on, if it is one. */
void restore_link_take(struct restore *r);

#endif
