/* phasebook.c - phases that are known, see phasebook.h. */
#include "policies/lib/phasebook.h"

static uint64_t key_of(const struct hct_rank *k)
{
    return k->phase_id ? (uint64_t)1 << 32 | k->phase_id : k->phase;
}

bool phasebook_is_at(const struct phasebook *b, const struct hct_rank *k)
{
    return b->turns && b->number == k->phase &&
           b->phase[b->at].key == key_of(k);
}

enum phasebook_turn phasebook_turn(struct phasebook *b,
                                   const struct hct_rank *k)
{
    uint64_t key = key_of(k);
    uint32_t at = 0;
    bool known = false;

    if (phasebook_is_at(b, k))
        return PHASEBOOK_STAYS;
    for (uint32_t i = 0; i < PHASEBOOK_MAX && !known; i++) {
        known = b->phase[i].turned && b->phase[i].key == key;
        if (known || b->phase[i].turned < b->phase[at].turned)
            at = i;
    }
    b->phase[at].key = key;
    b->phase[at].turned = ++b->turns;
    b->at = at;
    b->number = k->phase;
    return known ? PHASEBOOK_AGAIN : PHASEBOOK_NEW;
}
