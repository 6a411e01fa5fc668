/* imageheap.c - see imageheap.h. */
#include "slave/link/imageheap.h"

#include <malloc.h>

enum { USUAL = 128 << 10 };     /* what mallopt(3) says of both thresholds */

static unsigned passing;

static void keep(int bytes, int mapped_bytes)
{
    mallopt(M_TRIM_THRESHOLD, bytes);
    mallopt(M_MMAP_THRESHOLD, mapped_bytes);
}

void imageheap_keep(void)
{
    if (passing++ == 0)
        keep(IMAGEHEAP_KEPT, IMAGEHEAP_KEPT / 4);
}

void imageheap_release(void)
{
    if (--passing == 0) {
        keep(USUAL, USUAL);
        malloc_trim(0);
    }
}
