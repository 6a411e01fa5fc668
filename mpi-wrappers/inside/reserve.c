/* reserve.c - see reserve.h. Where there is a limit on address space, and it is not
 * to be had, the program goes on without. */
#include "mpi-wrappers/inside/reserve.h"

#include <stddef.h>
#include <sys/mman.h>

/* As much as heap.c of ../shell takes, and the libraries. */
#define RESERVE_BYTES (((size_t)1 << 36) + ((size_t)1 << 30))

static void *reserve;

__attribute__((constructor)) static void reserve_begin(void)
{
    void *p = mmap(NULL, RESERVE_BYTES, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p != MAP_FAILED)
        reserve = p;
}

void reserve_yield(void)
{
    if (reserve)
        munmap(reserve, RESERVE_BYTES);
    reserve = NULL;
}
