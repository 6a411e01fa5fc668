/* rebuild.c - see rebuild.h. Each kind of object has a file. */
#include "mpi-wrappers/swap/rebuild.h"

#include <mpi.h>
#include <stdio.h>

#include "mpi-wrappers/swap/rebuild_buffer.h"
#include "mpi-wrappers/swap/rebuild_code.h"
#include "mpi-wrappers/swap/rebuild_comm.h"
#include "mpi-wrappers/swap/rebuild_group.h"
#include "mpi-wrappers/swap/rebuild_handler.h"
#include "mpi-wrappers/swap/rebuild_info.h"
#include "mpi-wrappers/swap/rebuild_op.h"
#include "mpi-wrappers/swap/rebuild_request.h"
#include "mpi-wrappers/swap/rebuild_type.h"

/* Each needs those above it, but for what error handlers there are, which
 * communicators say. */
static const struct {
    const char *what;
    int (*read)(void), (*make)(void);
    void (*end)(void);
} steps[] = {
    { "error codes", rebuild_code_read, rebuild_code_make, NULL },
    { "infos", rebuild_info_read, rebuild_info_make, rebuild_info_end },
    { "error handlers", rebuild_handler_read, rebuild_handler_make,
      rebuild_handler_end },
    { "communicators", rebuild_comm_read, rebuild_comm_make, rebuild_comm_end },
    { "groups", rebuild_group_read, rebuild_group_make, rebuild_group_end },
    { "data types", rebuild_type_read, rebuild_type_make, rebuild_type_end },
    { "operators", rebuild_op_read, rebuild_op_make, rebuild_op_end },
    { "requests", rebuild_request_read, rebuild_request_make,
      rebuild_request_end },
    { "the buffer for sends", rebuild_buffer_read, rebuild_buffer_make, NULL },
};
enum { REBUILD_STEPS = sizeof(steps) / sizeof(steps[0]) };

static int rebuild_failed(char *why, size_t size, unsigned step,
                          const char *verb, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    PMPI_Error_string(rc, text, &n);
    snprintf(why, size, "%s cannot be %s: %s", steps[step].what, verb, text);
    return -1;
}

int rebuild_read(char *why, size_t size)
{
    for (unsigned i = 0; i < REBUILD_STEPS; i++) {
        int rc = steps[i].read();

        if (rc != MPI_SUCCESS) {
            rebuild_failed(why, size, i, "read", rc);
            rebuild_comm_back();
            rebuild_end();
            return -1;
        }
    }
    return 0;
}

int rebuild_make(char *why, size_t size)
{
    int rc;

    for (unsigned i = 0; i < REBUILD_STEPS; i++)
        if ((rc = rebuild_comm_quiet()) != MPI_SUCCESS ||
            (rc = steps[i].make()) != MPI_SUCCESS)
            return rebuild_failed(why, size, i, "made again", rc);
    rc = rebuild_comm_back();
    return rc == MPI_SUCCESS ? 0
        : rebuild_failed(why, size, 2, "made again", rc);
}

void rebuild_end(void)
{
    for (unsigned i = 0; i < REBUILD_STEPS; i++)
        if (steps[i].end)
            steps[i].end();
}
