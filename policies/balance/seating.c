/* seating.c - see seating.h. */
#include "policies/balance/seating.h"

#include <math.h>

static void leave(struct field *f, const struct hct_work *w, uint32_t n)
{
    while (n > 0)
        field_put(f, w->first + --n, HCT_NOWHERE);
}

/* All tasks, or none. */
static bool seat_all(struct field *f, const struct hct_work *w, bool calm,
                     bool *hard)
{
    for (uint32_t n = 0; n < w->ntasks; n++) {
        uint32_t seat = w->first + n;
        uint32_t host = field_any(f, seat, calm, hard);

        if (host == HCT_NOWHERE) {
            leave(f, w, n);
            return false;
        }
        field_put(f, seat, host);
    }
    return true;
}

/* By how much all jobs on its hosts take longer, for each second that they have
 * to compute: of this one, all of it. */
static double burden(struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);
    uint32_t stamp = ++f->stamp;
    double all = 0;

    for (uint32_t k = 0; k < w->ntasks; k++) {
        uint32_t i = f->spots[f->seats[w->first + k].at].head;

        for (; i != HCT_NOWHERE; i = f->seats[i].next) {
            uint32_t other = hct_seat(f->in, i)->work;
            struct work *o = &f->works[other];

            if (o->stamp == stamp || f->seats[i].units == 0)
                continue;
            o->stamp = stamp;
            all += hct_work(f->in, other)->ntasks / field_pace(f, other);
            if (other != work)
                all -= hct_work(f->in, other)->ntasks / o->pace;
        }
    }
    return all;
}

static bool place(struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);
    double calm, any;
    bool hard = false;

    if (!seat_all(f, w, true, &hard))
        return false;
    calm = burden(f, work);
    for (uint32_t i = 0; i < w->ntasks; i++)
        f->grouped[i] = f->seats[w->first + i].at;
    leave(f, w, w->ntasks);
    any = seat_all(f, w, false, &hard) ? burden(f, work) : INFINITY;
    for (uint32_t i = 0; i < w->ntasks && !(any < calm); i++)
        field_put(f, w->first + i, f->grouped[i]);
    for (uint32_t i = 0; i < w->ntasks; i++)
        field_refresh(f, f->seats[w->first + i].at);
    f->works[work].pace = field_pace(f, work);
    return true;
}

static bool waits(const struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);

    return (w->flags & HCT_WORK_WAITING) && w->ntasks &&
           f->seats[w->first].at == HCT_NOWHERE;
}

bool seating_place(struct field *f)
{
    bool found = false;

    for (uint32_t i = 0; i < f->in->nworks; i++) {
        if (!waits(f, f->order[i]))
            continue;
        if (!f->calms)
            field_begin_calm(f);
        found |= place(f, f->order[i]);
    }
    field_end_calm(f);
    return found;
}
