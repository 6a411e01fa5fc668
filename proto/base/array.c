/* array.c - see array.h. */
#include "proto/base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_FIRST_BYTES = 64 };

int array_grow(void *v, size_t *cap, size_t want, size_t each, bool zeros)
{
    size_t first = ARRAY_FIRST_BYTES / each;
    char *old, *bigger;

    if (want > PTRDIFF_MAX / each)
        return errno = ENOMEM, -1;
    if (want < 2 * *cap)
        want = 2 * *cap;
    if (want < first)
        want = first;
    memcpy(&old, v, sizeof(old));       /* of whatever type it points to */
    bigger = realloc(old, want * each);
    if (!bigger)
        return errno = ENOMEM, -1;
    if (zeros)
        memset(bigger + *cap * each, 0, (want - *cap) * each);
    memcpy(v, &bigger, sizeof(bigger));
    *cap = want;
    return 0;
}
