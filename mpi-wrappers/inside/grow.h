/* grow.h - room in an array that grows, as proto/base/array.h, which nothing in the
 * user's program may include. */
#ifndef HECTOR_INSIDE_GROW_H
#define HECTOR_INSIDE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Room for one more than n, each of so many bytes; at first for `first`. v is what
 * there is, owned, or NULL; *room elements. NULL: there is no memory, and v is as
 * it was. */
static inline void *grow(void *v, size_t n, size_t *room, size_t first, size_t each)
{
    size_t more = *room ? 2 * *room : first;

    if (n < *room)
        return v;
    v = realloc(v, more * each);
    if (v)
        *room = more;
    return v;
}

#endif
