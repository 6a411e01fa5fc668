/* tag.c - HCT_RT_Tag, for C and Fortran, in the library that records. */
#include "mpi-wrappers/hct_rt.h"

#include <string.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/tag.h"
#include "mpi-wrappers/record/wrap.h"

WRAP_EXPORT void HCT_RT_Tag(int marker, const char *text)
{
    record_tag(marker, text ? text : "",
               text ? strnlen(text, PAGE_TEXT_MAX) : 0);
}

/* Fortran fills strings with blanks. */
WRAP_EXPORT void hct_rt_tag_(const int *marker, const char *text,
                             size_t bytes)
{
    while (bytes > 0 && text[bytes - 1] == ' ')
        bytes--;
    record_tag(*marker, text, bytes);
}

TAG_ALIASES
