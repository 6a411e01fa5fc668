/* gain.c - see gain.h. */
#include "policies/balance/gain.h"

double gain_price(const struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);

    return w->ntasks *
           (f->in->move_s + (double)w->image_bytes / f->in->move_bytes_s);
}

double gain_pace(const struct field *f, uint32_t work, double from, double to)
{
    double all_s = hct_work(f->in, work)->ntasks * f->works[work].rest_s;

    return all_s / from - all_s / to;
}

double gain_loss(struct field *f, uint32_t work, uint32_t host, double from,
                 double to)
{
    uint32_t stamp;
    double loss = 0;

    if (!(to < from))
        return 0;
    stamp = ++f->stamp;
    for (uint32_t i = f->spots[host].head; i != HCT_NOWHERE;
         i = f->seats[i].next) {
        uint32_t other = hct_seat(f->in, i)->work;
        struct work *w = &f->works[other];

        if (other == work || w->stamp == stamp || f->seats[i].units == 0)
            continue;
        w->stamp = stamp;
        if (w->pace > to)
            loss -= gain_pace(f, other, w->pace < from ? w->pace : from, to);
    }
    return loss;
}

double gain_traffic(const struct field *f, uint32_t seat, uint32_t host,
                    uint32_t but)
{
    const struct seat *s = &f->seats[seat];
    double rest_s = f->works[hct_seat(f->in, seat)->work].rest_s, bytes_s = 0;

    for (uint32_t i = s->links; i < s[1].links; i++)
        if (f->links[i].with != but && f->seats[f->links[i].with].at != host)
            bytes_s += f->links[i].bytes_s;
    return bytes_s * rest_s * f->in->params[FIELD_MESSAGE] * 1e-9;
}
