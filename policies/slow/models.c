/* models.c - see models.h. */
#include "policies/slow/models.h"

#include <stddef.h>

void models_want(struct models *m, uint32_t rank)
{
    uint32_t at = m->nwanted;

    m->wants = HCT_NEED_MODEL;
    for (uint32_t i = 0; i < m->nwanted; i++)
        if (m->wanted[i] == rank)
            return;
    if (at == MODELS_MAX)
        return;
    for (; at > 0 && m->wanted[at - 1] > rank; at--)
        m->wanted[at] = m->wanted[at - 1];
    m->wanted[at] = rank;
    m->nwanted++;
}

void models_want_none(struct models *m)
{
    m->wants = m->nwanted = 0;
}

void models_ask(const struct models *m, struct hct_out *out)
{
    out->need = m->wants;
    if (!m->wants)
        return;
    out->sample = out->nranks;
    for (uint32_t i = 0; i < m->nwanted && out->nranks < out->ranks_max; i++)
        out->ranks[out->nranks++] = m->wanted[i];
    out->nsample = out->nranks - out->sample;
}

void models_keep(struct models *m, const struct hct_snapshot *in)
{
    m->n = 0;
    for (uint32_t i = 0; i < m->nwanted; i++)
        m->n += region_keep(&m->kept[m->n], in, m->wanted[i]);
}

const struct region *models_of(const struct models *m, uint32_t rank)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->kept[i].rank == rank)
            return &m->kept[i];
    return NULL;
}
