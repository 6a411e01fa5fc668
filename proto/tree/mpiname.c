/* mpiname.c - which functions on a stack belong to MPI. */
#include "proto/tree/mpiname.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const modules[] = {
    "libmpi.", "libmpi_", "libpmpi", "libmpich", "libmpifort", "libopen-rte",
    "libopen-pal", "libmca_", "mca_",
};

static bool begins(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

bool mpiname_is(const char *function, const char *module)
{
    for (size_t i = 0; module && i < sizeof(modules) / sizeof(*modules); i++)
        if (strncmp(module, modules[i], strlen(modules[i])) == 0)
            return true;
    return begins(function, "mpi_") || begins(function, "pmpi_") ||
           strncmp(function, "ompi_", 5) == 0;
}
