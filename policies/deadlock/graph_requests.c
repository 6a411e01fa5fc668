/* graph_requests.c - waiting for requests: for all of them, for any, or asking
 * for some in a loop. */
#include "policies/deadlock/graph.h"

#include <string.h>

#include "policies/deadlock/account.h"

enum { SHORT = 256 };           /* requests that are held against each other */

static enum met request(struct graph *g, uint32_t r,
                        const struct hct_request *q)
{
    const struct hct_call *c = hct_call(g->in, q->call);

    switch (c->class_) {
    case HCT_CLASS_RECV:
        if (strcmp(c->name, "MPI_Imrecv") == 0)
            return FREE;                /* its message is there */
        return graph_has_come(g, r, q)
            ? FINISHED : graph_message_from(g, r, q->peer, q->comm, q->tag,
                                            DEADLOCK_RECV, q);
    case HCT_CLASS_SEND:
        return graph_message_of(g, r, q);
    case HCT_CLASS_COLLECTIVE:
        return graph_collective(g, r, q->comm, q->collective, q->call, q->peer);
    default:
        return FREE;
    }
}

/* What has been found out about some requests together: how many there are of
 * each kind, and the one to name: the first that is never met, else the first
 * that is open. */
struct several {
    uint32_t n[NEVER + 1], found;
    uint32_t by;
    enum met best;
    enum deadlock_why why;
    int32_t to;
};

static void add(struct several *s, const struct graph *g, uint32_t i,
                enum met met)
{
    s->n[met]++;
    s->found++;
    if (met < OPEN || met <= s->best)
        return;
    s->best = met;
    s->by = i;
    s->why = g->why;
    s->to = g->to;
}

/* Its requests, those it waits for or all that there are. */
static struct several look_through(struct graph *g, uint32_t r, bool all)
{
    struct several s = { .by = UINT32_MAX, .best = FREE, .to = -1 };
    const struct hct_request *q;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        if (!q->idle && (all || q->waited == HCT_WAITED_HERE))
            add(&s, g, i, request(g, r, q));
    return s;
}

/* More receives than messages that fit them: one of them is never met. */
static void add_short(struct graph *g, uint32_t r, struct several *s)
{
    const struct hct_request *q, *p;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        uint32_t waited = 0, n;

        if (q->idle || q->waited != HCT_WAITED_HERE || q->peer < 0 ||
            q->tag < 0 ||
            hct_call(g->in, q->call)->class_ != HCT_CLASS_RECV ||
            !held(g, q->peer))
            continue;
        for (uint32_t j = g->w[r].request; (p = request_of(g->in, j, r)); j++)
            waited += !p->idle && p->waited == HCT_WAITED_HERE &&
                p->comm == q->comm && p->peer == q->peer && p->tag == q->tag &&
                hct_call(g->in, p->call)->class_ == HCT_CLASS_RECV;
        n = account_under_way(g->in, g->w, (uint32_t)q->peer, r, q->comm,
                              q->tag);
        if (waited < 2 || n >= waited)
            continue;
        never(g, DEADLOCK_RECV, q->peer);
        add(s, g, i, NEVER);
        return;
    }
}

/* Of what was found out about all that r waits for: will it be met, or any? */
static enum met decide(struct graph *g, uint32_t r, struct several *s, bool any)
{
    if (!any && !s->n[NEVER] && s->n[FREE] && s->found <= SHORT)
        add_short(g, r, s);
    if (s->by == UINT32_MAX ||
        (any ? s->n[FREE] || s->n[FINISHED] : !s->n[NEVER] && s->n[FREE]))
        return FREE;
    g->w[r].by = s->by;
    return never(g, s->why, s->to);
}

enum met graph_requests(struct graph *g, uint32_t r, bool any)
{
    struct several s = look_through(g, r, false);

    return s.found == hct_rank(g->in, r)->requests ? decide(g, r, &s, any)
                                                   : FREE;
}

bool graph_never_received(struct graph *g, uint32_t r, uint32_t waiter)
{
    const struct hct_request *q;
    bool one = false;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        if (!q->idle && q->waited == waiter &&
            hct_call(g->in, q->call)->class_ == HCT_CLASS_RECV)
            one |= request(g, r, q) == NEVER;
    return one;
}

/* -------------------------------------------------------- asking in a loop */

/* Has it asked nothing but one thing since: are these requests done? any: or
 * one of them. */
static bool tests_one(const struct graph *g, uint32_t r, bool *any)
{
    const struct hct_flight *f, *first = NULL;

    for (uint32_t i = g->w[r].flight; (f = flight_of(g->in, i, r)); i++) {
        const struct hct_call *c = hct_call(g->in, f->call);

        if (f->left_ns > g->w[r].still_ns)
            continue;
        first = first ? first : f;
        *any = !(c->flags & HCT_CALL_ALL);
        if (c->class_ != HCT_CLASS_TEST || f->call != first->call ||
            f->site != first->site ||
            f->comm != first->comm || f->peer != first->peer ||
            f->tag != first->tag)
            return false;
    }
    return first != NULL;
}

/* ... and it is known of which: of those that it asks for now, or of all that
 * there are. */
static enum met asks_for_these(struct graph *g, uint32_t r, bool any)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    struct several s = look_through(g, r, !(k->flags & HCT_IN_MPI));

    if (s.found != k->requests || s.found == 0)
        return FREE;
    return decide(g, r, &s, any);
}

enum met graph_asking(struct graph *g, uint32_t r)
{
    const struct hct_flight *f;
    bool tests = false, probes = false, any;
    enum deadlock_why why = DEADLOCK_PROBE;
    int32_t to = -1;

    if (tests_one(g, r, &any) && asks_for_these(g, r, any) == NEVER)
        return NEVER;

    for (uint32_t i = g->w[r].flight; (f = flight_of(g->in, i, r)); i++) {
        const struct hct_call *c = hct_call(g->in, f->call);

        if (f->left_ns > g->w[r].still_ns)
            continue;
        tests |= c->class_ == HCT_CLASS_TEST;
        if (c->class_ != HCT_CLASS_PROBE)
            continue;
        probes = true;
        if (graph_message_from(g, r, f->peer, f->comm, f->tag,
                               DEADLOCK_PROBE, NULL) != NEVER)
            return FREE;
        to = g->to;
    }
    if (tests) {
        struct several s = look_through(g, r, true);

        if (s.by == UINT32_MAX || s.n[FREE])
            return FREE;
        g->w[r].by = s.by;
        why = s.why;
        to = s.to;
    }
    return tests || probes ? never(g, why, to) : FREE;
}
