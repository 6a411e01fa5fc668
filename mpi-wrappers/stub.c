/* stub.c - libhct: what tagged programs link with. Under Hector libhector is
 * in front of it; without Hector a tag does nothing. */
#include "mpi-wrappers/hct_rt.h"
#include "mpi-wrappers/tag.h"

void HCT_RT_Tag(int marker, const char *text)
{
    (void)marker;
    (void)text;
}

void hct_rt_tag_(const int *marker, const char *text, size_t bytes)
{
    (void)marker;
    (void)text;
    (void)bytes;
}

TAG_ALIASES
