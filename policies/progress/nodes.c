/* nodes.c - see nodes.h. */
#include "policies/progress/nodes.h"

#define ASKS_NS 500000000u      /* who asks in a loop has just asked */

bool nodes_asleep(const struct hct_rank *k)
{
    return (k->flags & HCT_IN_MPI) && (k->flags & HCT_PAUSES);
}

bool nodes_waits(const struct hct_snapshot *in, const struct hct_rank *k)
{
    const struct hct_call *c = hct_call(in, k->call);
    bool asks = c->class_ == HCT_CLASS_TEST || c->class_ == HCT_CLASS_PROBE;

    if (k->life == HCT_LIFE_INIT || k->life == HCT_LIFE_FINALIZE)
        return !nodes_asleep(k);
    if (!(k->flags & HCT_IN_MPI))
        return asks && (c->flags & HCT_CALL_POLL) && k->age_ns < ASKS_NS;
    return !nodes_asleep(k) &&
           (asks || (c->flags & (HCT_CALL_BLOCKING | HCT_CALL_ALL)));
}

static bool is_seen(const struct hct_rank *k)
{
    return k->life == HCT_LIFE_STARTED ||
           ((k->flags & HCT_PAGE) && k->life >= HCT_LIFE_INIT &&
            k->life <= HCT_LIFE_FINALIZE);
}

static struct node node_of(const struct hct_snapshot *in,
                           const struct hct_rank *k, const struct nodes_task *t)
{
    static const uint8_t stages[] = { [HCT_LIFE_STARTED] = NODES_STARTED,
                                      [HCT_LIFE_INIT] = NODES_INIT,
                                      [HCT_LIFE_RUNNING] = NODES_RUNNING,
                                      [HCT_LIFE_FINALIZE] = NODES_FINALIZE };
    bool in_mpi = k->flags & HCT_IN_MPI;
    struct node n = { .first = k->rank, .ntasks = 1, .state = t->state,
                      .call = k->call, .stage = stages[k->life], .in = in_mpi,
                      .asleep = nodes_asleep(k), .waits = nodes_waits(in, k) };

    if (in_mpi && k->collective) {
        n.comm = k->comm;
        n.collective = k->collective;
    }
    if (!n.waits)
        n.entered = t->entered;
    return n;
}

static bool alike(const struct node *a, const struct node *b)
{
    return a->state == b->state && a->call == b->call && a->stage == b->stage &&
           a->in == b->in && a->asleep == b->asleep && a->waits == b->waits;
}

static bool same(const struct node *a, const struct node *b)
{
    return alike(a, b) && a->comm == b->comm && a->collective == b->collective &&
           a->entered == b->entered;
}

/* Where it belongs; last: where the one before it did. */
static uint32_t find(const struct nodes *g, const struct node *n, uint32_t last)
{
    if (last < g->n && same(&g->node[last], n))
        return last;
    for (uint32_t i = 0; i < g->n; i++)
        if (same(&g->node[i], n))
            return i;
    for (uint32_t i = 0; g->n == NODES_MAX && i < g->n; i++)
        if (alike(&g->node[i], n))
            return i;
    return g->n < NODES_MAX ? g->n : NODES_MAX - 1;
}

void nodes_make(struct nodes *g, struct nodes_task *t,
                const struct hct_snapshot *in)
{
    uint32_t at = 0;

    *g = (struct nodes){ 0 };
    for (uint32_t r = 0; r < in->nranks; r++) {
        const struct hct_rank *k = hct_rank(in, r);
        struct node n;

        t[r].node = NODES_NONE;
        if (!is_seen(k)) {
            g->unseen += k->life != HCT_LIFE_ENDED && k->life != HCT_LIFE_DONE;
            continue;
        }
        n = node_of(in, k, &t[r]);
        at = find(g, &n, at);
        if (at == g->n)
            g->node[g->n++] = n;
        else
            g->node[at].ntasks++;
        t[r].node = (uint8_t)at;
    }
}
