/* tag.h - what Fortran compilers call HCT_RT_Tag, for the library that
 * records and for the stub. */
#ifndef HECTOR_TAG_H
#define HECTOR_TAG_H

#include <stddef.h>

void hct_rt_tag_(const int *marker, const char *text, size_t bytes);

#define TAG_ALIAS(name) \
    extern __attribute__((visibility("default"), alias("hct_rt_tag_"))) \
    void name(const int *marker, const char *text, size_t bytes);
#define TAG_ALIASES \
    TAG_ALIAS(hct_rt_tag) TAG_ALIAS(hct_rt_tag__) TAG_ALIAS(HCT_RT_TAG)

#endif
