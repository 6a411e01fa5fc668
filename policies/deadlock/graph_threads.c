/* graph_threads.c - a task of which several threads are in MPI at the same time:
 * it is blocked if each of them waits for what will not come, and no other thread
 * can go on (HCT_ALONE). What the one that is shown waits for is in hct_rank, the
 * calls of the others are among the requests. */
#include "policies/deadlock/graph.h"

#include <string.h>

/* Is it the call of another thread? */
static bool is_call(const struct graph *g, const struct hct_request *q)
{
    return q->waited > HCT_WAITED_HERE &&
           !(hct_call(g->in, q->call)->flags & HCT_CALL_REQUEST);
}

/* A collective call that nobody leaves before all have entered, and one that is
 * held has not. */
static enum met collective(struct graph *g, uint32_t r,
                           const struct hct_request *q)
{
    const struct hct_call *c = hct_call(g->in, q->call);
    int32_t who = -1;

    if (!(c->flags & HCT_CALL_ALL) || (c->flags & HCT_CALL_PART) ||
        q->comm == 0 || q->collective == 0 || (q->comm & HCT_COMM_LOCAL))
        return FREE;
    if (g->collects) {
        group_want(g, q->comm, q->collective);
        return NEVER;
    }
    return graph_lacks(g, r, q->comm, q->collective, &who) ? NEVER : FREE;
}

/* Of a thread in this call: will nothing release it? Not of a send: which of
 * several messages is its own is not known. */
static enum met released(struct graph *g, uint32_t r,
                         const struct hct_request *q)
{
    const struct hct_call *c = hct_call(g->in, q->call);

    if (!(c->flags & HCT_CALL_BLOCKING))
        return FREE;
    switch (c->class_) {
    case HCT_CLASS_RECV:
        return strcmp(c->name, "MPI_Mrecv") == 0 ? FREE
            : graph_message_from(g, r, q->peer, q->comm, q->tag,
                                 DEADLOCK_RECV, q);
    case HCT_CLASS_PROBE:
        return graph_message_from(g, r, q->peer, q->comm, q->tag,
                                  DEADLOCK_PROBE, q);
    case HCT_CLASS_COLLECTIVE:
        return collective(g, r, q);
    case HCT_CLASS_WAIT:
        return (c->flags & HCT_CALL_ALL) &&
               graph_never_received(g, r, q->waited) ? NEVER : FREE;
    default:
        return FREE;
    }
}

bool graph_others_wait(struct graph *g, uint32_t r)
{
    const struct hct_request *q;
    uint32_t n = 0;

    if (hct_rank(g->in, r)->threads_in <= 1)
        return true;
    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        if (!is_call(g, q))
            continue;
        if (released(g, r, q) != NEVER)
            return false;
        n++;
    }
    return n + 1 == hct_rank(g->in, r)->threads_in;
}
