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

static bool open_to_all(const struct field *f, uint32_t host)
{
    return f->ranking.key[host] > 0;
}

/* What two that change places send, and what each other: that is between hosts before
 * and after. */
static double worth_of_change(const struct field *f, uint32_t seat, uint32_t to,
                              uint32_t other, double near_s)
{
    uint32_t from = f->seats[seat].at;
    double worth_s = near_s + gain_traffic(f, other, to, seat) -
                     gain_traffic(f, other, from, seat);

    for (uint32_t k = f->seats[other].links; k < f->seats[other + 1].links; k++)
        if (f->links[k].with == seat)
            worth_s -= f->links[k].bytes_s * 1e-9 *
                       f->in->params[FIELD_MESSAGE] *
                       f->works[hct_seat(f->in, other)->work].rest_s;
    return worth_s;
}

/* Both move, and each of that has its price. */
static void offer_change(struct choice *best, uint32_t seat, uint32_t to,
                         uint32_t other, double worth_s, double price_s)
{
    double net_s = worth_s - 2 * price_s;

    if (net_s > best->net_s ||
        (net_s == best->net_s && best->other != HCT_NOWHERE &&
         best->seat == seat && other < best->other))
        *best = (struct choice){ seat, to, other, worth_s, net_s };
}

static void try_changes(struct field *f, uint32_t seat, uint32_t to,
                        double near_s, double price_s, struct choice *best)
{
    uint32_t from = f->seats[seat].at;

    for (uint32_t i = f->spots[to].head; i != HCT_NOWHERE;
         i = f->seats[i].next)
        /* One of the two goes first, and needs room. */
        if (field_alike(f, seat, i) &&
            (field_may_change(f, seat, to) || field_may_change(f, i, from)))
            offer_change(best, seat, to, i,
                         worth_of_change(f, seat, to, i, near_s), price_s);
}

/* They are not alike: more changes than their traffic. There is to be room for
 * both, whoever goes first. */
static void try_change(struct field *f, uint32_t seat, uint32_t to,
                       uint32_t other, double near_s, double price_s,
                       struct choice *best)
{
    uint32_t work = hct_seat(f->in, seat)->work, from = f->seats[seat].at;
    double there = field_rate(f, to), here = field_rate(f, from), worth_s;

    if (!field_may_change(f, seat, to) || !field_may_change(f, other, from))
        return;
    worth_s = worth_of_change(f, seat, to, other, near_s);
    field_put(f, seat, to);
    field_put(f, other, from);
    worth_s += gain_pace(f, work, f->works[work].pace, field_pace(f, work)) -
               gain_loss(f, work, to, there, field_rate(f, to)) -
               gain_loss(f, work, from, here, field_rate(f, from));
    field_put(f, seat, from);
    field_put(f, other, to);
    offer_change(best, seat, to, other, worth_s, price_s);
}

enum { OTHERS = 64 };           /* of a node that are looked at */

/* Where moves lead to no more tasks somebody has to come the other way. They
 * are noted first, as putting them there changes the order of the tasks of a
 * node. */
static void try_others(struct field *f, uint32_t seat, uint32_t to,
                       double near_s, double price_s, struct choice *best)
{
    uint32_t work = hct_seat(f->in, seat)->work, v[OTHERS], n = 0;

    for (uint32_t i = f->spots[to].head; i != HCT_NOWHERE && n < OTHERS;
         i = f->seats[i].next)
        if (hct_seat(f->in, i)->work == work && !field_alike(f, seat, i))
            v[n++] = i;
    for (uint32_t i = 0; i < n; i++)
        try_change(f, seat, to, v[i], near_s, price_s, best);
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
    if (field_crowded(f, seat, to) || field_crowded(f, seat, from))
        return;
    if (open_to_all(f, from) && open_to_all(f, to))
        try_changes(f, seat, to, near_s, price_s, best);
    if (field_full(f, seat, to))
        try_others(f, seat, to, near_s, price_s, best);
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
