/* swap.c - MERGE: a stand-in, that cannot take another library. */
#include "mpi-wrappers/layer/swap.h"

int swap_now(void)
{
    return -1;
}

bool swap_refused(char *why, size_t size)
{
    (void)why, (void)size;
    return false;
}
