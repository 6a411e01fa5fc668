/* nodes.c - see nodes.h. */
#include "policies/slow/nodes.h"

uint32_t nodes_slow(struct speed *s, const struct hct_snapshot *in,
                    const struct odd_task *worst)
{
    uint32_t node = hct_rank(in, worst->rank)->node, slow = 0, others = 0;
    uint32_t tasks = 0, nearly = 0;

    for (uint32_t i = 0; i < s->ntasks && node; i++) {
        bool here = hct_rank(in, i)->node == node;

        if (!here && s->task[i].odd)
            return 0;
        tasks += here;
        slow += here && s->task[i].odd;
        nearly += here && s->shift[i] > s->shift[worst->rank] / 2;
        others += !here;
    }
    if (!node || !others || slow < 2 || 2 * slow < tasks ||
        4 * (nearly > slow ? nearly : slow) < 3 * tasks)
        return 0;
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].odd |= hct_rank(in, i)->node == node &&
                          s->shift[i] > s->shift[worst->rank] / 2;
    return node;
}
