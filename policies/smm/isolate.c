/* isolate.c - see isolate.h. */
#include "policies/smm/isolate.h"

#include <string.h>

static double differs(const struct isolate *i, size_t edge)
{
    double sum = 0;

    for (size_t k = 0; k < i->nothers; k++)
        sum += smm_differ(i->table, &i->task->edge[edge],
                          &i->other[k].edge[edge]);
    return sum;
}

size_t isolate(const struct isolate *i, uint32_t *edge, size_t k)
{
    size_t n = 0;

    for (size_t e = 0; e < i->task->nedges; e++) {
        double by = differs(i, e);
        size_t at = n;

        while (at > 0 && by > differs(i, edge[at - 1]))
            at--;
        if (by <= 0 || at == k)
            continue;
        n += n < k;
        memmove(&edge[at + 1], &edge[at], (n - 1 - at) * sizeof(*edge));
        edge[at] = (uint32_t)e;
    }
    return n;
}
