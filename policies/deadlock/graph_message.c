/* graph_message.c - waiting for a message, or for one to be received: can it
 * still come, does it leave without its receiver, which others are like it. */
#include "policies/deadlock/graph.h"

#include <string.h>

#include "policies/deadlock/account.h"

enum {
    HEADERS = 256,                      /* bytes at most that a message has
                                           beside its own */
};

static bool fits(int32_t tag, int32_t other)
{
    return tag == other || tag < 0 || other < 0;
}

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

/* ... or does another thread of it look for one? */
static bool looks_for(const struct graph *g, uint32_t r, uint32_t s,
                      uint64_t comm, int32_t tag)
{
    const struct hct_request *q;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        if (hct_call(g->in, q->call)->class_ == HCT_CLASS_PROBE &&
            account_same(g->in, g->w, r, q->comm, s, comm) &&
            fits(q->tag, tag) && (q->peer == (int32_t)s || q->peer < 0))
            return true;
    return false;
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

/* Are there more messages to r than so many that may be for one of its requests
 * that takers() counts: those like this one, of whomever, and with any tag if one
 * of these takes any? */
static bool has_rivals(struct graph *g, uint32_t r, uint64_t comm, int32_t tag,
                       uint32_t most)
{
    const struct hct_request *q;
    uint32_t n = 0;

    if (g->w[r].under_way == ACCOUNT_UNKNOWN)
        return true;
    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        if (!q->idle && q->comm == comm && q->tag == HCT_ANY &&
            hct_call(g->in, q->call)->class_ == HCT_CLASS_RECV)
            tag = HCT_ANY;
    for (uint32_t s = g->w[r].sender; s <= g->w[r].sender_to && n <= most; s++) {
        uint32_t of = account_under_way(g->in, g->w, s, r, comm, tag);

        g->steps++;
        n += of <= most ? of : most + 1;
    }
    return n > most;
}

/* Was p started before the receive q? NULL: before the call that r is in. */
static bool is_before(const struct hct_request *p, const struct hct_request *q)
{
    return !q || (p->sent && p->sent < q->sent);
}

/* Of r's requests, those that take a message like this one before q if nothing
 * else has come for them; just: no other one. It may have cancelled some, or a
 * thread has made them since another one has entered the call: then 0. */
static uint32_t takers(const struct graph *g, uint32_t r, uint32_t s,
                       uint64_t comm, int32_t tag, bool just,
                       const struct hct_request *before)
{
    const struct hct_account *a = account_of(g->in, g->w, r);
    const struct hct_request *q;
    uint32_t n = 0;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
        n += !q->idle && hct_call(g->in, q->call)->class_ == HCT_CLASS_RECV &&
            q->comm == comm && (q->tag == tag || (q->tag == HCT_ANY && !just))
            && (q->peer == (int32_t)s || (q->peer == HCT_ANY && !just)) &&
            is_before(q, before);
    return a && !a->unsure && (before || !graph_unordered(g, r)) ? n : 0;
}

/* Is the request for messages of s with one tag? */
static bool takes_of(const struct graph *g, const struct hct_request *q,
                     uint32_t s, uint64_t comm)
{
    return !q->idle && q->comm == comm && q->tag >= 0 &&
           (q->peer == (int32_t)s || q->peer == HCT_ANY) &&
           hct_call(g->in, q->call)->class_ == HCT_CLASS_RECV;
}

/* Have all that may be for one of its requests for a message like this one room
 * in these? */
static bool have_room(struct graph *g, uint32_t r, uint32_t s, uint64_t comm,
                      int32_t tag, uint32_t n, const struct hct_request *q)
{
    uint32_t before = takers(g, r, s, comm, tag, false, q);

    return n <= takers(g, r, s, comm, tag, true, q) ||
           g->w[r].under_way <= before ||
           (before > 0 && !has_rivals(g, r, comm, tag, before));
}

/* Is all that s has sent to r on comm for requests that r has made before, each
 * for one of a kind? */
static bool all_taken(struct graph *g, uint32_t s, uint32_t r, uint64_t comm,
                      uint32_t n)
{
    const struct hct_request *q, *p;
    uint32_t taken = 0;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        uint32_t of_kind, j = g->w[r].request;

        if (!takes_of(g, q, s, comm))
            continue;
        for (; (p = request_of(g->in, j, r)) && j < i; j++)
            if (takes_of(g, p, s, comm) && p->tag == q->tag)
                break;
        if (j < i)
            continue;
        of_kind = account_exactly(g->in, g->w, s, r, comm, q->tag);
        if (of_kind != ACCOUNT_UNKNOWN &&
            have_room(g, r, s, comm, q->tag, of_kind, NULL))
            taken += of_kind;
    }
    return taken >= n;
}

/* May a message of s come to r, for its request q or the call that it is in?
 * Those that were sent may be for requests that r has made before: where no more
 * have been sent than these take, whoever has sent them, they are. */
static bool may_come(struct graph *g, uint32_t s, uint32_t r,
                     uint64_t comm, int32_t tag, const struct hct_request *q)
{
    uint32_t n = account_under_way(g->in, g->w, s, r, comm, tag);

    if (n == 0 || n == ACCOUNT_UNKNOWN || (q && (tag < 0 || !q->sent)))
        return n > 0;
    if (tag < 0)
        return n > takers(g, r, s, comm, tag, true, NULL) &&
               !all_taken(g, s, r, comm, n);
    return !have_room(g, r, s, comm, tag, n, q);
}

/* ------------------------------------------------------ messages that come */

/* Can anybody in comm still send r a message? Who is not known to be in any
 * communicator may be in this one. */
static enum met from_any(struct graph *g, uint32_t r, uint64_t comm,
                         int32_t tag, enum deadlock_why why,
                         const struct hct_request *q)
{
    const struct deadlock_group *m;
    int32_t best, other = -1;

    if (g->collects) {
        group_want(g, comm, 0);
        return never(g, why, (int32_t)r);
    }
    m = group_find(g, comm, 0);
    if (!m || group_may_act(g, m) ||
        (comm != HCT_COMM_WORLD && g->unknown.any.free >= 0))
        return FREE;
    if (g->in->naccounts != g->in->nranks)      /* whose are not there? */
        return FREE;
    for (uint32_t s = g->w[r].sender; s <= g->w[r].sender_to &&
         g->w[r].under_way != 0; s++) {
        g->steps++;
        if (may_come(g, s, r, comm, tag, q))
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

/* Does rank r do its part in what it sends and receives: is it in MPI? */
static bool serves(const struct graph *g, uint32_t r)
{
    const unsigned in = HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI;

    if (g->w[r].state != DEADLOCK_FREE)
        return !g->w[r].spins;
    return (hct_rank(g->in, r)->flags & (in | HCT_TORN)) == in &&
           (call_of(g, r)->flags & HCT_CALL_BLOCKING);
}

/* A message is there, and both sides have been in MPI for longer than it can
 * take on one node. */
static bool is_through(const struct graph *g, uint32_t r, uint32_t s,
                       uint64_t bytes)
{
    return account_near(g->in, g->w, r, s) && graph_has_run(g, r) &&
           graph_has_run(g, s) && serves(g, s) &&
           graph_had_time(g, r, bytes) && graph_had_time(g, s, bytes);
}

/* Nothing comes of rank r on comm, nor asks for what comes there, but what it
 * has done already. */
static bool takes_no_part(const struct graph *g, int32_t r, uint64_t comm)
{
    return held(g, r) || group_left(g, (uint32_t)r, comm);
}

enum met graph_message_from(struct graph *g, uint32_t r, int32_t source,
                            uint64_t comm, int32_t tag, enum deadlock_why why,
                            const struct hct_request *q)
{
    if (source == HCT_NULL)
        return FINISHED;
    if (comm == 0 || (comm & HCT_COMM_LOCAL) || !account_of(g->in, g->w, r))
        return FREE;
    if (source == HCT_ANY)
        return from_any(g, r, comm, tag, why, q);
    if (source < 0 || (uint32_t)source >= g->in->nranks ||
        !takes_no_part(g, source, comm) ||
        may_come(g, (uint32_t)source, r, comm, tag, q))
        return FREE;
    return never(g, why, source);
}

bool graph_has_come(const struct graph *g, uint32_t r,
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

/* ----------------------------------------------------- messages that leave */

/* On one node a send is through by now, if it did not wait for its receiver; so
 * is the word of what he has got. */
static bool is_over(const struct graph *g, uint32_t r, uint32_t target)
{
    return account_near(g->in, g->w, r, target) && graph_had_time(g, r, 0) &&
           graph_has_run(g, r) && graph_has_run(g, target);
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
        requests -= (c->class_ == HCT_CLASS_SEND &&
                     (c->flags & HCT_CALL_REQUEST)) ||
                    strcmp(c->name, "MPI_Start") == 0;
    }
    return requests == 0 && sent <= n;
}

/* A message that a rank sends, with a request or the call that it is in. */
struct sending {
    const struct hct_request *q;        /* borrowed; NULL: the call's own */
    const struct hct_call *how;         /* borrowed */
    uint64_t comm, bytes;
    int32_t target, tag;
};

/* The receiver has got it: only the word of it may be under way. */
static enum met received(const struct graph *g, uint32_t r, uint32_t target)
{
    return is_over(g, r, target) ? FINISHED : FREE;
}

/* Of what r has sent like m, n have not been seen to be received, and how many
 * were sent later on is not known: then those may be under way, and only the
 * word of this one. */
static enum met perhaps_to(struct graph *g, uint32_t r, const struct sending *m,
                           uint32_t n, uint32_t asked, enum met met)
{
    uint32_t mine = sends_of(g, r, m->target, m->comm, m->tag);

    if (n < mine || (asked > 0 && n <= asked))
        return FREE;
    if (asked == 0 && account_untaken(g->in, g->w, r, (uint32_t)m->target,
                                      m->comm, m->tag))
        return met;
    if (m->q && !graph_unordered(g, r) &&
        are_last(g, r, m->target, m->comm, m->tag, mine, n - asked))
        return met;
    if (asked > 0 || (met == NEVER && !is_over(g, r, (uint32_t)m->target)))
        return FREE;
    return met == NEVER ? OPEN : met;
}

/* One that the receiver has got, or may have, does not wait for him. Those of
 * one kind he takes in the order in which they were sent; so many at most as he
 * has asked for may have begun to come, and one for the call that he is in. */
static enum met message_to(struct graph *g, uint32_t r, struct sending m)
{
    uint32_t to = (uint32_t)m.target, n, since, asked;
    bool stays, through;
    enum met met;

    if (m.target == HCT_NULL || (m.how->flags & HCT_CALL_BUFFERED))
        return FINISHED;
    if (m.comm == 0 || (m.comm & HCT_COMM_LOCAL) || m.target < 0 ||
        to >= g->in->nranks || looks_for(g, to, r, m.comm, m.tag))
        return FREE;
    stays = takes_no_part(g, m.target, m.comm);
    through = serves(g, to) && is_through(g, to, r, m.bytes);
    if (!stays && !through)
        return FREE;
    n = account_exactly(g->in, g->w, r, to, m.comm, m.tag);
    if (n == 0)
        return received(g, r, to);
    if (n == ACCOUNT_UNKNOWN)
        return FREE;
    /* All of them have gone to requests that take no others. */
    if (through && n <= takers(g, to, r, m.comm, m.tag, true, NULL))
        return FINISHED;
    if (!stays)
        return FREE;
    met = leaves(g, r, to, m.bytes, m.how);
    asked = asked_for(g, to, r, m.comm, m.tag) +
            asks_for(g, to, r, m.comm, m.tag);
    since = m.q ? account_since(g->in, g->w, r, m.q)
                : graph_unordered(g, r) ? ACCOUNT_UNKNOWN : 0;
    if (since == ACCOUNT_UNKNOWN)
        return perhaps_to(g, r, &m, n, asked, met);
    if (n > since && n - since > asked)
        return met;
    return asked == 0 ? received(g, r, to) : FREE;
}

enum met graph_message_of(struct graph *g, uint32_t r,
                          const struct hct_request *q)
{
    return message_to(g, r, (struct sending){
        .q = q, .how = hct_call(g->in, q->call), .comm = q->comm,
        .bytes = q->bytes, .target = q->peer, .tag = q->tag });
}

/* ------------------------------------------------- what lies in a buffer */

/* May anything that s has sent to r be taken there by this? */
static bool takes(const struct graph *g, uint32_t r, int32_t source,
                  uint64_t comm, int32_t tag, uint32_t s)
{
    return (source == (int32_t)s || source == HCT_ANY || source == HCT_UNKNOWN) &&
           (comm == 0 || (comm & HCT_COMM_LOCAL) ||
            account_under_way(g->in, g->w, s, r, comm, tag) != 0);
}

/* Of all that r has asked for and has not got, may anything take it? */
static bool takes_any(const struct graph *g, uint32_t r, uint32_t s)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_account *a = account_of(g->in, g->w, r);
    const struct hct_request *q;
    enum hct_class class_ = call_of(g, r)->class_;

    if (!a || a->unsure || g->w[r].spins)
        return true;
    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        uint16_t of = hct_call(g->in, q->call)->class_;

        if (!q->idle && (of == HCT_CLASS_RECV || of == HCT_CLASS_PROBE) &&
            takes(g, r, q->peer, q->comm, q->tag, s))
            return true;
    }
    return (class_ == HCT_CLASS_SENDRECV &&
            takes(g, r, k->source, k->comm, a->source_tag, s)) ||
           ((class_ == HCT_CLASS_RECV || class_ == HCT_CLASS_PROBE) &&
            takes(g, r, k->peer, k->comm, k->tag, s));
}

/* Some message is left of those that have not been seen to be received: which one is
 * not known, so none of those to whom there are any may take one. */
enum met graph_buffer(struct graph *g, uint32_t r)
{
    const struct hct_pair *k, *back;
    int32_t first = -1;

    if (!account_of(g->in, g->w, r))
        return FREE;
    for (uint32_t i = g->w[r].pair;
         i < g->in->npairs && (k = hct_pair(g->in, i))->rank == r; i++) {
        if (k->peer >= g->in->nranks)
            return FREE;
        g->steps++;
        back = account_pair(g->in, g->w, k->peer, r);
        if (k->sent == (back ? back->received : 0))
            continue;
        if (!held(g, (int32_t)k->peer) || !is_over(g, r, k->peer) ||
            takes_any(g, k->peer, r))
            return FREE;
        first = first < 0 ? (int32_t)k->peer : first;
    }
    return first < 0 ? FREE : never(g, DEADLOCK_BUFFER, first);
}

/* ---------------------------------------------------- calls of one message */

/* A call that waits for nothing else. */
static enum met alone(enum met met)
{
    return met == OPEN ? NEVER : met;
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
           k->threads_in <= 1 &&
           (class_ == HCT_CLASS_SEND || class_ == HCT_CLASS_SENDRECV) &&
           k->comm == comm && k->tag == tag && tag >= 0 && k->bytes > 0 &&
           account_exactly(g->in, g->w, s, r, comm, tag) == 1
        ? k->bytes : DEADLOCK_MUCH;
}

/* What the call that r is in sends. */
static struct sending sending_of(const struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);

    return (struct sending){
        .how = call_of(g, r), .comm = k->comm, .bytes = size_of(k),
        .target = k->peer, .tag = k->tag };
}

enum met graph_send(struct graph *g, uint32_t r)
{
    return alone(message_to(g, r, sending_of(g, r)));
}

/* Whichever of the two is never met: it does not come back. */
enum met graph_sendrecv(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_account *a = account_of(g->in, g->w, r);
    enum met in = !a ? FREE
        : graph_message_from(g, r, k->source, k->comm, a->source_tag,
                             DEADLOCK_RECV, NULL);
    enum met out;

    if (in == NEVER)
        return NEVER;
    out = message_to(g, r, sending_of(g, r));
    if (in == FREE && a && k->source >= 0 && held(g, k->source) &&
        is_through(g, r, (uint32_t)k->source,
                   comes(g, r, (uint32_t)k->source, k->comm, a->source_tag)))
        in = FINISHED;
    return out == NEVER || (out == OPEN && in == FINISHED) ? NEVER : FREE;
}
