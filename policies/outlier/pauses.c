/* pauses.c - see pauses.h. */
#include "policies/outlier/pauses.h"

static const uint64_t late_ns = 700000000;

static void keep(struct pauses *p, uint64_t to_ns)
{
    struct pause *k = &p->v[p->n++ % PAUSES_KEPT];

    p->older_ns += k->to_ns - k->from_ns;
    *k = (struct pause){ p->since_ns, to_ns };
}

void pauses_look(struct pauses *p, const struct hct_snapshot *in)
{
    if (p->wake_ns && in->now_ns > p->wake_ns + late_ns) {
        if (!p->since_ns)
            p->since_ns = p->last_ns;
    } else if (p->since_ns) {   /* it went on at some moment since the last look */
        keep(p, in->now_ns);
        p->since_ns = 0;
    }
    p->last_ns = in->now_ns;
}

static uint64_t part(uint64_t from_ns, uint64_t to_ns, uint64_t begin_ns)
{
    return to_ns <= begin_ns ? 0
         : to_ns - (from_ns < begin_ns ? begin_ns : from_ns);
}

uint64_t pauses_since(const struct pauses *p, uint64_t from_ns, uint64_t now_ns)
{
    uint64_t sum = from_ns ? 0 : p->older_ns;

    for (int i = 0; i < PAUSES_KEPT; i++)
        sum += part(p->v[i].from_ns, p->v[i].to_ns, from_ns);
    return sum + (p->since_ns ? part(p->since_ns, now_ns, from_ns) : 0);
}
