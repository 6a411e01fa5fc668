/* matched.h - messages that a probe has matched and nobody has taken yet, by the
 * handle that MPI_Mprobe or MPI_Improbe gave: who sent them, over what, with
 * which tag. MPI_Mrecv and MPI_Imrecv are told nothing but the handle. */
#ifndef HECTOR_MATCHED_H
#define HECTOR_MATCHED_H

#include <stdint.h>

#include "mpi-wrappers/handles/request.h"
#include "mpi-wrappers/table/about.h"

/* a->made is the message; comm, peer and tag as in the page. Where one of these
 * is not known, nothing is told of it but that it was there. */
void matched_put(const struct about *a, uint64_t comm, int32_t peer,
                 int32_t tag);

/* a->object is the message, and is about to be taken: fills comm, peer and tag
 * of r. They stay as they are if it is not known: it found no room, or there is
 * none, as behind MPI_MESSAGE_NO_PROC. */
void matched_take(const struct about *a, struct request *r);

#endif
