/* alone.c - see alone.h. */
#include "policies/outlier/alone.h"

static const uint64_t long_ns = 600000000, wait_ns = 100000000;

enum { LEAST = 4 };             /* tasks of a job */

void alone_look(struct stands *found, const struct hct_snapshot *in)
{
    const struct hct_rank *is = NULL;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (k->flags & STANDS_HELD)
            return;
        if (stands_waits(in, k) && k->age_ns >= wait_ns)
            continue;
        if (is || k->life != HCT_LIFE_RUNNING || !(k->flags & HCT_PAGE) ||
            !(k->flags & HCT_OBSERVED) || k->age_ns < long_ns)
            return;
        is = k;
    }
    if (is && in->nranks >= LEAST)
        stands_add(found, in, is, in->nranks - 1);
}
