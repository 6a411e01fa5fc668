/* seating.c - see seating.h. */
#include "policies/balance/seating.h"

static void place(struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);
    uint32_t n = 0;

    for (; n < w->ntasks; n++) {
        uint32_t host = field_best(f, w->first + n, 0);

        if (host == HCT_NOWHERE)
            break;
        field_put(f, w->first + n, host);
    }
    if (n < w->ntasks) {
        while (n > 0)
            field_put(f, w->first + --n, HCT_NOWHERE);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        field_refresh(f, f->seats[w->first + i].at);
}

void seating_place(struct field *f)
{
    for (uint32_t i = 0; i < f->in->nworks; i++)
        if (hct_work(f->in, f->order[i])->flags & HCT_WORK_WAITING)
            place(f, f->order[i]);
}
