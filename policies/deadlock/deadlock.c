/* deadlock.c - the greatest set of tasks that only wait for each other, see
 * deadlock.h.
 *
 * Invariant of the search: a rank is blocked in w only if nothing is known
 * that could release it, but for ranks that are blocked themselves; so ranks
 * only ever become free, and the order does not matter. */
#include "policies/deadlock/deadlock.h"

#include <string.h>

#include "policies/deadlock/account.h"
#include "policies/deadlock/graph.h"

#define LOOPS_NS 500000000u             /* who asks in a loop has just asked */
#define MUCH (UINT64_C(64) << 20)       /* where it is not known how much comes */
enum {
    SHORT = 256,                        /* requests that are held against each
                                           other */
    HEADERS = 256,                      /* bytes at most that a message has
                                           beside its own */
};

static const struct hct_call *call_of(const struct graph *g, uint32_t r)
{
    return hct_call(g->in, hct_rank(g->in, r)->call);
}

static bool fits(int32_t tag, int32_t other)
{
    return tag == other || tag < 0 || other < 0;
}

/* ------------------------------------------------------------ messages */

/* Has rank r asked for a message of s that may be this one, and not been seen
 * to have got it? How often. */
static uint32_t asked_for(const struct graph *g, uint32_t r, uint32_t s,
                          uint64_t comm, int32_t tag)
{
    const struct hct_request *q;
    uint32_t n = 0;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        if (q->idle || hct_call(g->in, q->call)->class_ != HCT_CLASS_RECV)
            continue;
        n += account_same(g->in, g->w, r, q->comm, s, comm) &&
            fits(q->tag, tag) &&
            (q->peer == (int32_t)s || q->peer == HCT_ANY ||
             q->peer == HCT_UNKNOWN);
    }
    return n;
}

/* ... or does it ask just now, or look for one? */
static bool asks_for(const struct graph *g, uint32_t r, uint32_t s,
                     uint64_t comm, int32_t tag)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_account *a = account_of(g->in, g->w, r);
    enum hct_class class_ = call_of(g, r)->class_;
    bool both = class_ == HCT_CLASS_SENDRECV;
    int32_t peer = both ? k->source : k->peer;
    int32_t its = !both ? k->tag : a ? a->source_tag : HCT_UNKNOWN;

    return (k->flags & HCT_PAGE) && k->life != HCT_LIFE_ENDED &&
           (k->flags & HCT_IN_MPI) &&
           account_same(g->in, g->w, r, k->comm, s, comm) &&
           (both || class_ == HCT_CLASS_RECV || class_ == HCT_CLASS_PROBE) &&
           !(call_of(g, r)->flags & HCT_CALL_REQUEST) && fits(its, tag) &&
           (peer == (int32_t)s || peer == HCT_ANY || peer == HCT_UNKNOWN);
}

/* Of the members of m that are held, but r, the one to name. */
static int32_t named(const struct deadlock_group *m, uint32_t r)
{
    return m->any.best == (int32_t)r ? m->any.next : m->any.best;
}

/* Of r's requests, those that take a message like this one if nothing else has
 * come for them; just: no other one. It may have cancelled some: then 0. */
static uint32_t takers(const struct graph *g, uint32_t r, uint32_t s,
                       uint64_t comm, int32_t tag, bool just)
{
    const struct hct_account *a = account_of(g->in, g->w, r);
    const struct hct_request *q;
    uint32_t n = 0;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        n += !q->idle && hct_call(g->in, q->call)->class_ == HCT_CLASS_RECV &&
            q->comm == comm && (q->tag == tag || (q->tag == HCT_ANY && !just))
            && (q->peer == (int32_t)s || (q->peer == HCT_ANY && !just));
    return a && !a->unsure ? n : 0;
}

/* Is all that s has sent to r on comm for requests that r has made before, each
 * for one of a kind? */
static bool all_taken(const struct graph *g, uint32_t s, uint32_t r,
                      uint64_t comm, uint32_t n)
{
    const struct hct_request *q, *p;
    uint32_t taken = 0;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        uint32_t of_kind, j = g->w[r].request;

        if (q->idle || q->comm != comm || q->peer != (int32_t)s || q->tag < 0 ||
            hct_call(g->in, q->call)->class_ != HCT_CLASS_RECV)
            continue;
        for (; (p = request_of(g->in, j, r)) && j < i; j++)
            if (!p->idle && p->comm == comm && p->peer == q->peer &&
                p->tag == q->tag)
                break;
        if (j < i)
            continue;
        of_kind = account_exactly(g->in, g->w, s, r, comm, q->tag);
        if (of_kind != ACCOUNT_UNKNOWN &&
            of_kind <= takers(g, r, s, comm, q->tag, true))
            taken += of_kind;
    }
    return taken >= n;
}

/* May a message of s come to r? Those that were sent may be for requests that
 * r has made before: where no more have been sent than these take, whoever has
 * sent them, they are. A request itself is one of these. */
static bool may_come(const struct graph *g, uint32_t s, uint32_t r,
                     uint64_t comm, int32_t tag, bool request)
{
    uint32_t n = account_under_way(g->in, g->w, s, r, comm, tag);

    if (n == 0 || n == ACCOUNT_UNKNOWN || request)
        return n > 0;
    if (tag < 0)
        return n > takers(g, r, s, comm, tag, true) &&
               !all_taken(g, s, r, comm, n);
    return n > takers(g, r, s, comm, tag, true) &&
           g->w[r].under_way > takers(g, r, s, comm, tag, false);
}

/* Can anybody in comm still send r a message? Who is not known to be in any
 * communicator may be in this one. */
static enum met from_any(struct graph *g, uint32_t r, uint64_t comm,
                         int32_t tag, enum deadlock_why why, bool request)
{
    const struct deadlock_group *m;
    int32_t best, other = -1;

    if (g->collects) {
        group_want(g, comm, 0);
        return never(g, why, (int32_t)r);
    }
    m = group_find(g, comm, 0);
    if (!m || m->any.free >= 0 || group_unsure(m) ||
        (comm != HCT_COMM_WORLD && g->unknown.any.free >= 0))
        return FREE;
    if (g->in->naccounts != g->in->nranks)      /* whose are not there? */
        return FREE;
    for (uint32_t s = g->w[r].sender; s <= g->w[r].sender_to &&
         g->w[r].under_way != 0; s++) {
        g->steps++;
        if (may_come(g, s, r, comm, tag, request))
            return FREE;
    }
    best = named(m, r);
    if (comm != HCT_COMM_WORLD)
        other = named(&g->unknown, r);
    if (other >= 0 && (best < 0 || (other < best ? !group_rather(g, best, other)
                                                 : group_rather(g, other,
                                                                best))))
        best = other;
    return never(g, why, best < 0 ? (int32_t)r : best);
}

/* A message is there, and both sides have been in MPI for longer than it can
 * take on one node. */
static bool is_through(const struct graph *g, uint32_t r, uint32_t s,
                       uint64_t bytes)
{
    uint64_t least = g->limits->small_ns;

    return account_near(g->in, g->w, r, s) && graph_has_run(g, r) && graph_has_run(g, s) &&
           g->w[s].state != DEADLOCK_FREE && !g->w[s].spins &&
           bytes < UINT64_MAX / 200 && g->w[r].still_ns > least + bytes * 100 &&
           g->w[s].still_ns > least + bytes * 100;
}

/* Nothing comes of rank r on comm, nor asks for what comes there, but what it
 * has done already. */
static bool takes_no_part(const struct graph *g, int32_t r, uint64_t comm)
{
    return held(g, r) || group_left(g, (uint32_t)r, comm);
}

static enum met message_from(struct graph *g, uint32_t r, int32_t source,
                             uint64_t comm, int32_t tag, enum deadlock_why why,
                             bool request)
{
    if (source == HCT_NULL)
        return FINISHED;
    if (comm == 0 || (comm & HCT_COMM_LOCAL) || !account_of(g->in, g->w, r))
        return FREE;
    if (source == HCT_ANY)
        return from_any(g, r, comm, tag, why, request);
    if (source < 0 || (uint32_t)source >= g->in->nranks ||
        !takes_no_part(g, source, comm) ||
        may_come(g, (uint32_t)source, r, comm, tag, request))
        return FREE;
    return never(g, why, source);
}

/* On one node a send is through by now, if it did not wait for its receiver; so
 * is the word of what he has got. */
static bool is_over(const struct graph *g, uint32_t r, uint32_t target)
{
    return account_near(g->in, g->w, r, target) &&
           g->w[r].still_ns >= g->limits->small_ns && graph_has_run(g, r) &&
           graph_has_run(g, target);
}

/* Is a send of so many bytes known to wait for its receiver, or not to? Else one
 * that has not ended for long does so, on one node: anything else would be
 * through. */
static enum met leaves(struct graph *g, uint32_t r, uint32_t target,
                       uint64_t bytes, const struct hct_call *how)
{
    const struct hct_account *a = account_of(g->in, g->w, r);
    bool near = account_near(g->in, g->w, r, target);
    uint32_t eager = !a ? HCT_EAGER_UNKNOWN : near ? a->eager : a->eager_far;

    if ((how->flags & HCT_CALL_SYNC) ||
        (eager != HCT_EAGER_UNKNOWN && bytes > eager))
        return never(g, DEADLOCK_SEND, (int32_t)target);
    if (!is_over(g, r, target))
        return FREE;
    if (eager != HCT_EAGER_UNKNOWN && bytes + HEADERS <= eager)
        return FINISHED;
    never(g, DEADLOCK_SEND, (int32_t)target);
    return OPEN;
}

/* Messages like this one that r is sending with requests, of which the last may
 * be meant: those that are received are received in order. */
static uint32_t sends_of(const struct graph *g, uint32_t r, int32_t target,
                         uint64_t comm, int32_t tag)
{
    const struct hct_request *q;
    uint32_t n = 0;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        n += !q->idle && q->comm == comm && q->peer == target &&
            q->tag == tag && hct_call(g->in, q->call)->class_ == HCT_CLASS_SEND;
    return n;
}

/* Is the call about a message like this one? */
static bool is_like(const struct hct_flight *f, int32_t target, uint64_t comm,
                    int32_t tag)
{
    return f->comm == comm && f->peer == target && f->tag == tag;
}

/* Does the call send a message, or start to? */
static bool sends(const struct hct_call *c)
{
    return !(c->flags & HCT_CALL_PERSISTENT) &&
           (c->class_ == HCT_CLASS_SEND || c->class_ == HCT_CLASS_SENDRECV ||
            strcmp(c->name, "MPI_Start") == 0);
}

/* Are the messages of all these requests of r among the last n like them? Those
 * that it has made since it last asked for one like them are all there, and what
 * it has sent besides is among its last calls. */
static bool are_last(const struct graph *g, uint32_t r, int32_t target,
                     uint64_t comm, int32_t tag, uint32_t requests, uint32_t n)
{
    uint32_t first = g->w[r].flight, end = first, sent = 0;

    while (flight_of(g->in, end, r))
        end++;
    while (requests > 0 && end-- > first) {
        const struct hct_flight *f = flight_of(g->in, end, r);
        const struct hct_call *c = hct_call(g->in, f->call);

        if (strcmp(c->name, "MPI_Wait") == 0 && f->comm &&
            !is_like(f, target, comm, tag))
            continue;
        if (c->class_ == HCT_CLASS_WAIT || c->class_ == HCT_CLASS_TEST ||
            strcmp(c->name, "MPI_Request_free") == 0 ||
            strcmp(c->name, "MPI_Startall") == 0)
            return false;
        if (!is_like(f, target, comm, tag) || !sends(c))
            continue;
        sent++;
        requests -= (c->flags & HCT_CALL_REQUEST) ||
                    strcmp(c->name, "MPI_Start") == 0;
    }
    return requests == 0 && sent <= n;
}

/* One that the receiver has got, or may have, does not wait for him: only the
 * word of it may be under way. */
static enum met message_to(struct graph *g, uint32_t r, int32_t target,
                           uint64_t comm, int32_t tag, uint64_t bytes,
                           const struct hct_call *how)
{
    enum met met;
    uint32_t n, mine, asked;

    if (target == HCT_NULL || (how->flags & HCT_CALL_BUFFERED))
        return FINISHED;
    if (comm == 0 || (comm & HCT_COMM_LOCAL) || target < 0 ||
        (uint32_t)target >= g->in->nranks || !takes_no_part(g, target, comm) ||
        asks_for(g, (uint32_t)target, r, comm, tag))
        return FREE;
    n = account_exactly(g->in, g->w, r, (uint32_t)target, comm, tag);
    if (n == 0)
        return FINISHED;
    if (n == ACCOUNT_UNKNOWN)
        return FREE;
    met = leaves(g, r, (uint32_t)target, bytes, how);
    /* What the call itself sends is the last one. Of a request it may not be
     * known how many like it were sent later on: then those may be under way,
     * and only the word of this one. The receiver takes them in that order. */
    mine = how->flags & HCT_CALL_REQUEST ? sends_of(g, r, target, comm, tag)
                                         : 0;
    asked = asked_for(g, (uint32_t)target, r, comm, tag);
    if (n < mine || (asked > 0 && n <= asked))
        return FREE;
    if (mine == 0 || are_last(g, r, target, comm, tag, mine, n - asked))
        return met;
    if (asked > 0 || (met == NEVER && !is_over(g, r, (uint32_t)target)))
        return FREE;
    return met == NEVER ? OPEN : met;
}

/* A call that waits for nothing else. */
static enum met alone(enum met met)
{
    return met == OPEN ? NEVER : met;
}

/* ------------------------------------------------------ several at once */

/* Is the message of a receive there, and taken, whichever of those that r has
 * asked for takes which? */
static bool has_come(const struct graph *g, uint32_t r,
                     const struct hct_request *q)
{
    uint32_t n;

    if (q->peer < 0 || q->tag < 0 || q->comm == 0 ||
        (uint32_t)q->peer >= g->in->nranks ||
        !is_through(g, r, (uint32_t)q->peer, q->bytes))
        return false;
    n = account_under_way(g->in, g->w, (uint32_t)q->peer, r, q->comm, q->tag);
    return n != ACCOUNT_UNKNOWN && n > 0 &&
           n >= asked_for(g, r, (uint32_t)q->peer, q->comm, q->tag);
}

static enum met request(struct graph *g, uint32_t r,
                        const struct hct_request *q)
{
    const struct hct_call *c = hct_call(g->in, q->call);

    switch (c->class_) {
    case HCT_CLASS_RECV:
        return has_come(g, r, q)
            ? FINISHED : message_from(g, r, q->peer, q->comm, q->tag,
                                      DEADLOCK_RECV, true);
    case HCT_CLASS_SEND:
        return message_to(g, r, q->peer, q->comm, q->tag, q->bytes, c);
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
        if (!q->idle && (all || q->waited))
            add(&s, g, i, request(g, r, q));
    return s;
}

/* More receives than messages that fit them: one of them is never met. */
static void add_short(struct graph *g, uint32_t r, struct several *s)
{
    const struct hct_request *q, *p;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        uint32_t waited = 0, n;

        if (q->idle || !q->waited || q->peer < 0 || q->tag < 0 ||
            hct_call(g->in, q->call)->class_ != HCT_CLASS_RECV ||
            !held(g, q->peer))
            continue;
        for (uint32_t j = g->w[r].request; (p = request_of(g->in, j, r)); j++)
            waited += !p->idle && p->waited && p->comm == q->comm &&
                p->peer == q->peer && p->tag == q->tag &&
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

/* A wait for all of its requests, or for any. */
static enum met requests(struct graph *g, uint32_t r, bool any)
{
    struct several s = look_through(g, r, false);

    return s.found == hct_rank(g->in, r)->requests ? decide(g, r, &s, any)
                                                   : FREE;
}

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

/* It asks in a loop, so anything that it asks for may help. */
static enum met spinning(struct graph *g, uint32_t r)
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
        if (message_from(g, r, f->peer, f->comm, f->tag, DEADLOCK_PROBE,
                         false) != NEVER)
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

/* Where the size of the type is not known, an element has a byte at least. */
static uint64_t size_of(const struct hct_rank *k)
{
    return k->bytes > k->count ? k->bytes : k->count ? k->count : 1;
}

/* How much comes to r with the one message of s that is under way: what s sends
 * now, since those of one kind are received in order. */
static uint64_t comes(const struct graph *g, uint32_t r, uint32_t s,
                      uint64_t comm, int32_t tag)
{
    const struct hct_rank *k = hct_rank(g->in, s);
    enum hct_class class_ = call_of(g, s)->class_;

    return (k->flags & HCT_IN_MPI) && k->peer == (int32_t)r &&
           (class_ == HCT_CLASS_SEND || class_ == HCT_CLASS_SENDRECV) &&
           k->comm == comm && k->tag == tag && tag >= 0 && k->bytes > 0 &&
           account_exactly(g->in, g->w, s, r, comm, tag) == 1
        ? k->bytes : MUCH;
}

/* Whichever of the two is never met: it does not come back. */
static enum met both(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_account *a = account_of(g->in, g->w, r);
    enum met in = !a ? FREE
        : message_from(g, r, k->source, k->comm, a->source_tag, DEADLOCK_RECV,
                       false);
    enum met out;

    if (in == NEVER)
        return NEVER;
    out = message_to(g, r, k->peer, k->comm, k->tag, size_of(k),
                     call_of(g, r));
    if (in == FREE && a && k->source >= 0 && held(g, k->source) &&
        is_through(g, r, (uint32_t)k->source,
                   comes(g, r, (uint32_t)k->source, k->comm, a->source_tag)))
        in = FINISHED;
    return out == NEVER || (out == OPEN && in == FINISHED) ? NEVER : FREE;
}

/* Of a rank that is blocked: will nothing release it? */
static enum met released(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_call *c = call_of(g, r);

    g->w[r].by = UINT32_MAX;
    if (g->w[r].spins)
        return spinning(g, r);
    switch (c->class_) {
    case HCT_CLASS_SEND:
        return alone(message_to(g, r, k->peer, k->comm, k->tag, size_of(k), c));
    case HCT_CLASS_RECV:
        if (strcmp(c->name, "MPI_Mrecv") == 0)
            return FREE;                /* its message is there */
        return message_from(g, r, k->peer, k->comm, k->tag, DEADLOCK_RECV,
                            false);
    case HCT_CLASS_PROBE:
        return message_from(g, r, k->peer, k->comm, k->tag, DEADLOCK_PROBE,
                            false);
    case HCT_CLASS_SENDRECV:
        return both(g, r);
    case HCT_CLASS_COLLECTIVE:
        return graph_collective(g, r, k->comm, k->collective, k->call, k->peer);
    case HCT_CLASS_WAIT:
        return requests(g, r, !(c->flags & HCT_CALL_ALL));
    case HCT_CLASS_RMA:
        return graph_long_enough(g, r, k->bytes) ? graph_window(g, r) : FREE;
    default:
        return FREE;
    }
}

/* ------------------------------------------------------------- the set */

static bool spins(const struct graph *g, uint32_t r)
{
    const struct hct_flight *f;
    uint64_t last_ns = UINT64_MAX;
    unsigned asked = 0;

    if (g->w[r].still_ns < g->limits->spin_ns)
        return false;
    for (uint32_t i = g->w[r].flight; (f = flight_of(g->in, i, r)); i++) {
        const struct hct_call *c = hct_call(g->in, f->call);

        if (f->left_ns > g->w[r].still_ns)
            continue;
        if (!(c->flags & HCT_CALL_POLL))
            return false;
        asked += c->class_ == HCT_CLASS_TEST || c->class_ == HCT_CLASS_PROBE;
        last_ns = f->left_ns;
    }
    /* Who has asked, but does not now, is held up by something else. */
    return asked >= 3 && last_ns <= LOOPS_NS;
}

/* Another thread may send, also one that has not called MPI yet, or start what
 * others wait for. It cannot where
 *   - only one may ever call: MPI_THREAD_SINGLE and FUNNELED;
 *   - one is in a call that blocks, and another one may call only when it has
 *     returned: "MPI_THREAD_SERIALIZED: the process may be multi-threaded, and
 *     multiple threads may make MPI calls, but only one at a time: MPI calls are
 *     not made concurrently from two distinct threads" (MPI 3.1, section
 *     12.4.3). What may be called always (MPI_Initialized, MPI_Query_thread;
 *     12.4.3, 8.7) releases nobody. A task that breaks the rule comes as
 *     MPI_THREAD_MULTIPLE. Between the questions of a loop it is no call that
 *     keeps the others out;
 *   - all others sleep until one of the same process wakes them, and the one
 *     that could is blocked here: HCT_ALONE. What MPI itself does (12.4.1: a
 *     blocking call blocks the calling thread only; its own threads make
 *     progress) wakes those alone that are in MPI. A function of the program that
 *     MPI calls meanwhile, to reduce what has come, might wake another one: of
 *     those this knows nothing; they may not call MPI themselves (5.9.5).
 * Of two that are in MPI at the same time nothing is known here but of one. */
bool deadlock_others(const struct hct_snapshot *in, const struct hct_rank *k)
{
    if (k->level < HCT_LEVEL_SERIALIZED)
        return k->threads > 1;
    if (k->threads_in > 1)
        return true;
    return !(k->flags & HCT_ALONE) &&
           !(k->level == HCT_LEVEL_SERIALIZED && (k->flags & HCT_IN_MPI) &&
             (hct_call(in, k->call)->flags & HCT_CALL_BLOCKING));
}

static enum deadlock_state begins_as(const struct graph *g, uint32_t r,
                                     uint8_t *spinning_too)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const unsigned known = HCT_OBSERVED | HCT_PAGE;
    const unsigned other = HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
        HCT_STDIN | HCT_STOPPED | HCT_SLEEPS | HCT_PAUSES | HCT_TORN |
        HCT_LOST;

    *spinning_too = 0;
    /* Of a task without counters nobody knows what it has sent. */
    if (k->flags & HCT_STACK)
        return DEADLOCK_FREE;
    if (k->life == HCT_LIFE_FINALIZE || k->life == HCT_LIFE_DONE ||
        k->life == HCT_LIFE_ENDED)
        return DEADLOCK_ENDED;
    if (k->life != HCT_LIFE_RUNNING || (k->flags & known) != known ||
        (k->flags & other) || g->w[r].still_ns < g->limits->still_ns)
        return DEADLOCK_FREE;
    if (deadlock_others(g->in, k))
        return DEADLOCK_FREE;
    /* Who sleeps in MPI may not look for messages that have come: a signal
     * handler, a fault, a system that swaps. */
    if ((k->flags & HCT_IN_MPI) &&
        (call_of(g, r)->flags & HCT_CALL_BLOCKING))
        return (k->flags & HCT_RUNS ? !g->w[r].starved
                : g->w[r].still_ns >= g->limits->asleep_ns)
            ? DEADLOCK_BLOCKED : DEADLOCK_FREE;
    *spinning_too = spins(g, r);
    return *spinning_too ? DEADLOCK_BLOCKED : DEADLOCK_FREE;
}

static void index_detail(struct graph *g)
{
    uint32_t q = 0, f = 0, c = 0;

    for (uint32_t r = 0; r < g->in->nranks; r++) {
        while (q < g->in->nrequests && hct_request(g->in, q)->rank < r)
            q++;
        while (f < g->in->nflights && hct_flight(g->in, f)->rank < r)
            f++;
        while (c < g->in->ncomms && hct_comm(g->in, c)->rank < r)
            c++;
        g->w[r].request = q;
        g->w[r].flight = f;
        g->w[r].comm = c;
    }
}

static bool on_one_node(const struct hct_snapshot *in,
                        const struct deadlock_rank *w)
{
    for (uint32_t r = 0; r < in->nranks; r++)
        if (!account_near(in, w, 0, r))
            return false;
    return true;
}

/* Is r free, after all? */
static bool becomes_free(struct graph *g, uint32_t r)
{
    struct deadlock_rank *w = &g->w[r];

    if (w->state != DEADLOCK_BLOCKED)
        return false;
    g->steps++;
    if (released(g, r) != NEVER) {
        w->state = DEADLOCK_FREE;
        return true;
    }
    w->why = (uint8_t)g->why;
    w->to = g->to;
    return false;
}

/* One rank frees others, mostly its neighbours, so once up and once down. */
static uint32_t sweep(struct graph *g, bool down)
{
    uint32_t n = g->in->nranks, freed = 0;

    for (uint32_t i = 0; i < n; i++)
        freed += becomes_free(g, down ? n - 1 - i : i);
    return freed;
}

uint32_t deadlock_set(const struct hct_snapshot *in, struct deadlock_rank *w,
                      const struct deadlock_limits *limits, uint64_t *steps)
{
    struct graph g = { .in = in, .w = w, .limits = limits };
    uint32_t n = 0, freed = 1;

    index_detail(&g);
    account_index(in, w);
    g.one_node = on_one_node(in, w);
    for (uint32_t r = 0; r < in->nranks; r++) {
        w[r].state = (uint8_t)begins_as(&g, r, &w[r].spins);
        n += w[r].state == DEADLOCK_BLOCKED;
    }
    if (n > 0) {
        g.collects = true;
        n -= sweep(&g, true);
        g.collects = false;
        group_begin(&g);
    }
    for (bool down = false; n > 0 && freed > 0; down = !down) {
        group_update(&g);
        freed = sweep(&g, down);
        n -= freed;
    }
    *steps = g.steps;
    return n;
}

uint32_t deadlock_find(const struct hct_snapshot *in, struct deadlock_rank *w,
                       const struct deadlock_limits *limits,
                       struct hct_out *out)
{
    uint64_t steps;
    uint32_t n = in->has_detail ? deadlock_set(in, w, limits, &steps) : 0;

    if (n > 0 && deadlock_asks(in, w))
        deadlock_say_asking(in, w, deadlock_age(in, w), out);
    else if (n > 0)
        deadlock_say(in, w, out);
    return n;
}
