/* calls.c - names of MPI functions; the list is generated from wrap.def. */
#include "mpi-wrappers/table/calls.h"

#include <string.h>

#include "mpi-wrappers/page.h"

_Static_assert((int)CALL_END <= (int)PAGE_CALLS, "wrap.def has outgrown the page");

static const char *const names[CALL_END] = {
#include "call_names.inc"
};

const char *call_name(unsigned call)
{
    return call < CALL_END && names[call] ? names[call] : "";
}

unsigned call_find(const char *name)
{
    for (unsigned i = 1; i < CALL_END; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return i;
    return 0;
}
