/* still.c - see still.h. Tasks that leave a host are a chain that begins at its slot:
 * field.grouped has the next of each, by its place in the job. */
#include "policies/balance/still.h"

static uint32_t was(const struct field *f, uint32_t seat)
{
    return hct_seat(f->in, seat)->host;
}

static bool leaves(const struct field *f, uint32_t seat)
{
    return f->seats[seat].at != was(f, seat) &&
           f->seats[seat].links == f->seats[seat + 1].links;
}

static void chain(struct field *f, const struct hct_work *w)
{
    uint32_t stamp = ++f->stamp;

    for (uint32_t i = w->ntasks; i-- > 0;) {
        struct spot *s;

        if (!leaves(f, w->first + i))
            continue;
        s = &f->spots[was(f, w->first + i)];
        if (s->stamp != stamp)
            s->slot = HCT_NOWHERE;
        s->stamp = stamp;
        f->grouped[i] = s->slot;
        s->slot = i;
    }
}

/* One like it that has left where it comes to, out of the chain; HCT_NOWHERE: there
 * is none. */
static uint32_t take(struct field *f, const struct hct_work *w, uint32_t seat)
{
    struct spot *s = &f->spots[f->seats[seat].at];

    if (s->stamp != f->stamp)
        return HCT_NOWHERE;
    for (uint32_t *at = &s->slot; *at != HCT_NOWHERE; at = &f->grouped[*at]) {
        uint32_t other = w->first + *at;

        if (!leaves(f, other) || !field_alike(f, seat, other))
            continue;
        *at = f->grouped[*at];
        return other;
    }
    return HCT_NOWHERE;
}

void still_all(struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);

    if (w->flags & HCT_WORK_WAITING)
        return;
    chain(f, w);
    for (uint32_t i = 0; i < w->ntasks; i++) {
        uint32_t seat = w->first + i, other;

        while (leaves(f, seat) &&
               (other = take(f, w, seat)) != HCT_NOWHERE) {
            uint32_t to = f->seats[other].at;

            f->seats[other].at = was(f, other);
            f->seats[seat].at = to;
        }
    }
}
