/* nearer.c - see nearer.h. */
#include "policies/balance/nearer.h"

#include "policies/balance/gain.h"

struct choice {
    uint32_t seat, to;
    uint32_t other;             /* that comes in its place; HCT_NOWHERE: none */
    double worth_s, net_s;
};

/* Done, judged, and taken back. */
static void try_move(struct field *f, uint32_t seat, uint32_t to, double near_s,
                     double price_s, struct choice *best)
{
    uint32_t work = hct_seat(f->in, seat)->work, from = f->seats[seat].at;
    double before = field_rate(f, to), worth_s = near_s;

    if (!field_may(f, seat, to))
        return;
    field_put(f, seat, to);
    worth_s += gain_pace(f, work, f->works[work].pace, field_pace(f, work)) -
               gain_loss(f, work, to, before, field_rate(f, to));
    field_put(f, seat, from);
    if (worth_s - price_s > best->net_s)
        *best =
            (struct choice){seat, to, HCT_NOWHERE, worth_s, worth_s - price_s};
}

/* Tasks that are alike: nothing else changes. */
static bool alike(const struct field *f, uint32_t a, uint32_t b)
{
    const struct hct_seat *x = hct_seat(f->in, a), *y = hct_seat(f->in, b);

    return x->work == y->work && f->seats[a].units == f->seats[b].units &&
           x->memory_bytes == y->memory_bytes;
}

static bool open_to_all(const struct field *f, uint32_t host)
{
    return f->ranking.key[host] > 0;
}

static void try_changes(struct field *f, uint32_t seat, uint32_t to,
                        double near_s, double price_s, struct choice *best)
{
    uint32_t from = f->seats[seat].at;

    for (uint32_t i = f->spots[to].head; i != HCT_NOWHERE;
         i = f->seats[i].next) {
        double worth_s;

        /* One of the two goes first, and needs room. */
        if (!alike(f, seat, i) ||
            !(field_may(f, seat, to) || field_may(f, i, from)))
            continue;
        /* What they send each other is between hosts before and after. */
        worth_s = near_s + gain_traffic(f, i, to, seat) -
                  gain_traffic(f, i, from, seat);
        for (uint32_t k = f->seats[i].links; k < f->seats[i + 1].links; k++)
            if (f->links[k].with == seat)
                worth_s -= f->links[k].bytes_s * 1e-9 *
                           f->in->params[FIELD_MESSAGE] *
                           f->works[hct_seat(f->in, i)->work].rest_s;
        if (worth_s - 2 * price_s > best->net_s ||
            (worth_s - 2 * price_s == best->net_s &&
             best->other != HCT_NOWHERE && best->seat == seat &&
             i < best->other))
            *best =
                (struct choice){seat, to, i, worth_s, worth_s - 2 * price_s};
    }
}

static void try_one(struct field *f, uint32_t seat, uint32_t to,
                    struct choice *best)
{
    uint32_t work = hct_seat(f->in, seat)->work, from = f->seats[seat].at;
    double price_s = f->in->params[FIELD_MARGIN] * gain_price(f, work);
    double near_s = gain_traffic(f, seat, from, HCT_NOWHERE) -
                    gain_traffic(f, seat, to, HCT_NOWHERE);

    if (!(near_s > price_s))
        return;
    try_move(f, seat, to, near_s, price_s, best);
    if (open_to_all(f, from) && open_to_all(f, to))
        try_changes(f, seat, to, near_s, price_s, best);
}

bool nearer_try(struct field *f, uint32_t pair)
{
    const struct hct_traffic *t = hct_traffic(f->in, pair);
    struct choice best = { .other = HCT_NOWHERE };
    uint32_t work = hct_seat(f->in, t->a)->work, from;
    uint32_t a = f->seats[t->a].at, b = f->seats[t->b].at;

    if (a == b || !field_movable(f, work))
        return false;
    try_one(f, t->a, b, &best);
    try_one(f, t->b, a, &best);
    if (!(best.net_s > 0))
        return false;
    from = f->seats[best.seat].at;
    field_put(f, best.seat, best.to);
    if (best.other != HCT_NOWHERE)
        field_put(f, best.other, from);
    field_refresh(f, best.to);
    field_refresh(f, from);
    f->works[work].pace = field_pace(f, work);
    f->works[work].worth_s += best.worth_s;
    return true;
}
