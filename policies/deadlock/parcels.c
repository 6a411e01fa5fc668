/* parcels.c - what is given and taken in one collective call, see parcels.h.
 *
 * Each member tells sums of what it gives and takes. Over all of them given less
 * taken is 0 where all fits. Where one pair does not fit, by so many bytes, the
 * same with the numbers of givers as weights is that times the number of its
 * giver; and so with takers. */
#include "policies/deadlock/parcels.h"

bool parcels_differ(const struct hct_snapshot *in, uint64_t comm, uint64_t n,
                    struct parcels *p)
{
    uint64_t more = 0, by_giver = 0, by_taker = 0;
    uint32_t found = 0, size = 0;

    *p = (struct parcels){ .from = -1, .to = -1 };
    for (uint32_t i = 0; i < in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(in, i);
        uint64_t number = (uint64_t)c->local + 1;

        if (c->id != comm)
            continue;
        if (c->parcels_in != n || c->remote_size || c->rank >= in->nranks ||
            (c->gives | c->takes) > INT64_MAX)
            return false;
        found++;
        size = c->size;
        more += c->gives - c->takes;
        by_giver += number * c->gives - c->takes_from;
        by_taker += c->gives_to - number * c->takes;
        p->most = c->gives + c->takes < UINT64_MAX - p->most
            ? p->most + c->gives + c->takes : UINT64_MAX;
    }
    if (found == 0 || found != size || (more | by_giver | by_taker) == 0)
        return false;
    p->bytes = (int64_t)more;
    for (uint32_t i = 0; more && i < in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(in, i);
        uint64_t number = (uint64_t)c->local + 1;

        if (c->id == comm && number * more == by_giver)
            p->from = (int32_t)c->rank;
        if (c->id == comm && number * more == by_taker)
            p->to = (int32_t)c->rank;
    }
    if (p->from < 0 || p->to < 0 || p->from == p->to)
        p->from = p->to = -1;
    return true;
}
