/* status.c - statuses, see status.h. */
#include "mpi-wrappers/handles/status.h"

#include <stddef.h>

atomic_bool status_known, status_open;

/* Where it stands among those that were finished, which is where its status is; -1: it
 * does not. */
static int32_t place(const struct about *a, int32_t i)
{
    int first = (a->traits & ABOUT_FORTRAN) != 0;
    int n = !a->nindex ? 1 : *a->nindex < a->nrequests ? *a->nindex : a->nrequests;

    if (!a->index)
        return i;
    for (int at = 0; at < n; at++)
        if (a->index[at] - first == i)
            return at;
    return -1;
}

bool status_is_over(const struct about *a, int32_t i)
{
    return (!a->flag || *a->flag) && place(a, i) >= 0;
}

const int *status_at(const struct about *a, int32_t i)
{
    int32_t at = a->status && (uintptr_t)a->status != handle_flavor.status_ignore
                 ? place(a, i) : -1;

    return at < 0 ? NULL : a->status + (ptrdiff_t)at * handle_flavor.status_ints;
}
