/* decide.c - see decide.h. */
#include "policies/progress/decide.h"

enum { COUNT_BITS = (1 << HCT_MESSAGE_BITS) - 1 };

/* -------------------------------------------------------------- collectives */

/* A call that some wait in: those of node `node` for all who have not entered
 * call n of comm. */
struct wanted { uint64_t comm, n; uint32_t node; };
struct wants { struct wanted v[DECIDE_WANTED]; uint32_t n; };

static void want(struct wants *w, uint64_t comm, uint64_t n, uint32_t node)
{
    if (!n || (comm & HCT_COMM_LOCAL))
        return;
    for (uint32_t i = w->n; i-- > 0;)
        if (w->v[i].comm == comm && w->v[i].n == n && w->v[i].node == node)
            return;
    if (w->n < DECIDE_WANTED)
        w->v[w->n++] = (struct wanted){ comm, n, node };
}

/* Those in a collective call, and those that wait for a request that is one. */
static void find_wanted(struct wants *w, const struct nodes *g,
                        const struct nodes_task *t,
                        const struct hct_snapshot *in)
{
    for (uint32_t a = 0; a < g->n; a++)
        if (g->node[a].waits)
            want(w, g->node[a].comm, g->node[a].collective, a);
    for (uint32_t i = 0; i < in->nrequests; i++) {
        const struct hct_request *q = hct_request(in, i);
        uint32_t a = t[q->rank].node;

        if (!q->idle && q->collective && a < g->n && g->node[a].waits &&
            q->waited == HCT_WAITED_HERE)
            want(w, q->comm, q->collective, a);
    }
}

/* MPI_Init and MPI_Finalize are collective calls of all. */
static void by_stage(struct nodes *g)
{
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < g->n; b++) {
            enum nodes_stage is = g->node[a].stage;

            if ((is == NODES_INIT || is == NODES_FINALIZE) &&
                g->node[a].waits && g->node[b].stage < is)
                nodes_edge(g, HCT_DECIDED_COLLECTIVE, a, b);
            if (is == NODES_FINALIZE && g->node[a].waits &&
                g->node[b].stage == is && g->node[b].asleep)
                nodes_edge(g, HCT_DECIDED_ASLEEP, a, b);
        }
}

void decide_collectives(struct nodes *g, const struct nodes_task *t,
                        const struct hct_snapshot *in)
{
    struct wants w;

    w.n = 0;
    find_wanted(&w, g, t, in);
    by_stage(g);
    for (uint32_t i = 0; w.n && i < in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(in, i);
        uint32_t b = t[c->rank].node;

        for (uint32_t k = 0; !c->freed && b < g->n && k < w.n; k++)
            if (w.v[k].comm == c->id && w.v[k].n > c->collectives)
                nodes_edge(g, HCT_DECIDED_COLLECTIVE, w.v[k].node, b);
    }
    for (uint32_t k = 0; k < w.n; k++)
        for (uint32_t b = 0; b < g->n; b++)
            if (g->node[b].asleep && g->node[b].comm == w.v[k].comm &&
                g->node[b].collective == w.v[k].n)
                nodes_edge(g, HCT_DECIDED_ASLEEP, w.v[k].node, b);
}

/* ----------------------------------------------------------------- messages */

/* What the two have told each other: by rank, then peer. NULL: nothing. */
static const struct hct_pair *pair_of(const struct hct_snapshot *in,
                                      uint32_t rank, uint32_t peer)
{
    uint32_t low = 0, high = in->npairs;

    while (low < high) {
        uint32_t at = low + (high - low) / 2;
        const struct hct_pair *p = HCT_AT(struct hct_pair, in->pairs,
                                          in->pair_size, at);

        if (p->rank == rank && p->peer == peer)
            return p;
        if (p->rank < rank || (p->rank == rank && p->peer < peer))
            low = at + 1;
        else
            high = at;
    }
    return NULL;
}

static const struct hct_account *account_of(const struct hct_snapshot *in,
                                            uint32_t rank)
{
    uint32_t low = 0, high = in->naccounts;

    while (low < high) {
        uint32_t at = low + (high - low) / 2;
        const struct hct_account *a = hct_account(in, at);

        if (a->rank == rank)
            return a;
        if (a->rank < rank)
            low = at + 1;
        else
            high = at;
    }
    return NULL;
}

/* How many messages of from are sent, and not known to be received: they are
 * on their way, or are there, and their requests have not been looked at. A
 * message counts as sent when its call is entered: that of one who sleeps in
 * it is not. */
static uint32_t under_way(const struct hct_snapshot *in, uint32_t from,
                          uint32_t to)
{
    const struct hct_pair *s = pair_of(in, from, to);
    const struct hct_pair *r = pair_of(in, to, from);
    const struct hct_rank *k = hct_rank(in, from);
    uint16_t class_ = hct_call(in, k->call)->class_;
    uint32_t n;

    if (!account_of(in, from) || !account_of(in, to))
        return 0;
    n = ((s ? s->sent : 0) - (r ? r->received : 0)) & COUNT_BITS;
    if (n && nodes_asleep(k) && k->peer == (int32_t)to &&
        (class_ == HCT_CLASS_SEND || class_ == HCT_CLASS_SENDRECV))
        n--;
    return n;
}

/* Does a message of so many bytes leave without waiting for the receiver? */
static bool is_eager(const struct hct_snapshot *in, uint32_t from, uint32_t to,
                     uint64_t bytes)
{
    const struct hct_account *a = account_of(in, from);
    bool near = hct_rank(in, from)->node == hct_rank(in, to)->node;
    uint32_t most = !a ? HCT_EAGER_UNKNOWN : near ? a->eager : a->eager_far;

    return most != HCT_EAGER_UNKNOWN && bytes && bytes <= most;
}

/* The task that is looked at, and its requests: in a row. */
struct waiter {
    struct nodes *g;            /* borrowed, all */
    const struct nodes_task *t;
    const struct hct_snapshot *in;
    uint32_t rank, request;
};

static void waits_for(const struct waiter *w, int32_t peer)
{
    uint32_t a = w->t[w->rank].node;

    if (peer == HCT_ANY)
        w->g->node[a].any = true;
    else if (peer >= 0 && (uint32_t)peer < w->in->nranks)
        nodes_edge(w->g, HCT_DECIDED_MESSAGE, a, w->t[peer].node);
}

static const struct hct_request *request_of(const struct waiter *w, uint32_t i)
{
    return i < w->in->nrequests && hct_request(w->in, i)->rank == w->rank
               ? hct_request(w->in, i)
               : NULL;
}

static bool is_waited(const struct hct_request *q, bool asks)
{
    return !q->idle && (asks || q->waited == HCT_WAITED_HERE);
}

/* Of its receives from there, and more of them: are there messages for all? */
static bool has_come(const struct waiter *w, int32_t peer, bool asks, uint32_t more)
{
    const struct hct_request *q;
    uint32_t n = more;

    for (uint32_t i = w->request; (q = request_of(w, i)); i++)
        n += is_waited(q, asks) && q->peer == peer &&
             hct_call(w->in, q->call)->class_ == HCT_CLASS_RECV;
    return under_way(w->in, (uint32_t)peer, w->rank) >= n;
}

static bool has_gone(const struct waiter *w, const struct hct_request *q)
{
    return under_way(w->in, w->rank, (uint32_t)q->peer) == 0 ||
           (!(hct_call(w->in, q->call)->flags & HCT_CALL_SYNC) &&
            is_eager(w->in, w->rank, (uint32_t)q->peer, q->bytes));
}

static void by_requests(const struct waiter *w, bool asks)
{
    const struct hct_request *q;

    for (uint32_t i = w->request; (q = request_of(w, i)); i++) {
        uint16_t class_ = hct_call(w->in, q->call)->class_;
        bool known = q->peer >= 0 && (uint32_t)q->peer < w->in->nranks;

        if (!is_waited(q, asks) ||
            (class_ != HCT_CLASS_RECV && class_ != HCT_CLASS_SEND))
            continue;
        if (known && (class_ == HCT_CLASS_RECV ? has_come(w, q->peer, asks, 0)
                                               : has_gone(w, q)))
            continue;
        waits_for(w, q->peer);
    }
}

/* A call that receives one message, be it there, and another one than is wanted: then
 * its sender has done his part. */
static void by_receive(const struct waiter *w, int32_t peer)
{
    if (peer < 0 || (uint32_t)peer >= w->in->nranks || !has_come(w, peer, true, 1))
        waits_for(w, peer);
}

static void by_call(const struct waiter *w)
{
    const struct hct_rank *k = hct_rank(w->in, w->rank);
    const struct hct_call *c = hct_call(w->in, k->call);

    switch (c->class_) {
    case HCT_CLASS_SEND:
        waits_for(w, k->peer);
        return;
    case HCT_CLASS_RECV:
        by_receive(w, k->peer);
        return;
    case HCT_CLASS_SENDRECV:
        by_receive(w, k->source);
        if (k->peer >= 0 && (uint32_t)k->peer < w->in->nranks &&
            under_way(w->in, w->rank, (uint32_t)k->peer))
            waits_for(w, k->peer);
        return;
    case HCT_CLASS_PROBE:
        waits_for(w, k->peer);
        if (c->flags & HCT_CALL_POLL)
            by_requests(w, true);
        return;
    case HCT_CLASS_WAIT:
        by_requests(w, false);
        return;
    case HCT_CLASS_TEST:
        by_requests(w, true);
        return;
    default:
        return;
    }
}

/* Who waits for a message of anybody, waits for those who wait for nobody: one
 * of them may send it. */
static void by_any(struct nodes *g)
{
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; g->node[a].any && b < g->n; b++)
            if (!g->node[b].waits)
                nodes_edge(g, HCT_DECIDED_MESSAGE, a, b);
}

void decide_messages(struct nodes *g, const struct nodes_task *t,
                     const struct hct_snapshot *in)
{
    struct waiter w = { .g = g, .t = t, .in = in };

    for (uint32_t r = 0; r < in->nranks; r++) {
        while (w.request < in->nrequests &&
               hct_request(in, w.request)->rank < r)
            w.request++;
        w.rank = r;
        if (t[r].node < g->n && g->node[t[r].node].waits)
            by_call(&w);
    }
    by_any(g);
}
