/* rebuild_buffer.c - see rebuild_buffer.h. */
#include "mpi-wrappers/swap/rebuild_buffer.h"

#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/layer/callback.h"

static struct { void *at; int bytes; } buffer;

/* An error says that there is none. */
int rebuild_buffer_read(void)
{
    if (INSIDE(Buffer_detach)(&buffer.at, &buffer.bytes) != MPI_SUCCESS)
        buffer.at = NULL;
    return MPI_SUCCESS;
}

int rebuild_buffer_make(void)
{
    int rc = callback_representations_again();

    if (rc == MPI_SUCCESS && buffer.at)
        rc = INSIDE(Buffer_attach)(buffer.at, buffer.bytes);
    buffer.at = NULL;
    return rc;
}
