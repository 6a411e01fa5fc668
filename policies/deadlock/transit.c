/* transit.c - what may be under way between nodes, see transit.h.
 *
 * Invariant: in doubt it is the network. A rank waits for a task only where
 * this is known: then whatever comes does not help. */
#include "policies/deadlock/transit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/deadlock/account.h"
#include "policies/deadlock/graph.h"
#include "policies/deadlock/wanted.h"

enum {
    GROUPS = 64,                /* communicators that are kept in mind */
    ROUNDS = 256,               /* through all of them, and then no more */
};

enum held { BY_TASK, BY_NOBODY, BY_NETWORK };

/* A communicator or window, and how many have entered collective call n. */
struct members {
    uint64_t comm, n;
    uint32_t found, size, entered;
    bool apart;                 /* on several nodes, or nobody knows where */
};

struct search {
    const struct hct_snapshot *in;
    const struct deadlock_rank *w;
    struct members members[GROUPS];
    struct transit here;        /* of the rank that is looked at */
    uint64_t steps;
};

static enum held network(struct search *s, enum transit_what what,
                         uint32_t from, uint32_t to)
{
    if (what > s->here.what)
        s->here = (struct transit){ .what = what, .from = from, .to = to };
    return BY_NETWORK;
}

static uint32_t node_of(const struct search *s, uint32_t r)
{
    const struct hct_account *a = account_of(s->in, s->w, r);

    return a ? a->node : 0;
}

static bool is_rank(const struct search *s, int32_t r)
{
    return r >= 0 && (uint32_t)r < s->in->nranks;
}

/* ------------------------------------------------------------- messages */

/* Requests of r for just this message that were made before. */
static uint32_t asked_before(const struct search *s, uint32_t r, uint32_t from,
                             uint64_t comm, int32_t tag)
{
    const struct hct_request *q;
    uint32_t n = 0;

    for (uint32_t i = s->w[r].request; (q = request_of(s->in, i, r)); i++)
        n += !q->idle && q->comm == comm && q->tag == tag &&
             q->peer == (int32_t)from &&
             hct_call(s->in, q->call)->class_ == HCT_CLASS_RECV;
    return n;
}

static enum held message(struct search *s, uint32_t from, uint32_t r,
                         uint64_t comm, int32_t tag, bool request)
{
    uint32_t n = account_under_way(s->in, s->w, from, r, comm, tag);
    uint32_t before = n == 0 || request ? 0
                                        : asked_before(s, r, from, comm, tag);

    if (n <= before)
        return BY_TASK;
    if (account_near(s->in, s->w, from, r))
        return BY_NOBODY;
    return network(s, n == ACCOUNT_UNKNOWN ? TRANSIT_PERHAPS : TRANSIT_MESSAGE,
                   from, r);
}

/* r waits for a message, by a request or not. */
static enum held receive(struct search *s, uint32_t r, int32_t source,
                         uint64_t comm, int32_t tag, bool request)
{
    enum held most = BY_TASK;

    if (source == HCT_NULL)
        return BY_NOBODY;
    if (is_rank(s, source))
        return message(s, (uint32_t)source, r, comm, tag, request);
    if (s->w[r].under_way == ACCOUNT_UNKNOWN)
        return network(s, TRANSIT_PERHAPS, UINT32_MAX, r);
    for (uint32_t from = s->w[r].sender;
         s->w[r].under_way && from <= s->w[r].sender_to; from++) {
        enum held held = message(s, from, r, comm, tag, request);

        s->steps++;
        most = held > most ? held : most;
    }
    return most;
}

/* r waits in a send, or for one: q, or the call's own. */
static enum held post(struct search *s, uint32_t r, int32_t target,
                      uint64_t comm, int32_t tag, uint64_t bytes,
                      const struct hct_call *how, const struct hct_request *q)
{
    const struct hct_account *a = account_of(s->in, s->w, r);
    uint32_t to = (uint32_t)target, n, eager, since;
    bool near, asked;

    if (target == HCT_NULL || (how->flags & HCT_CALL_BUFFERED))
        return BY_NOBODY;
    if (!is_rank(s, target))
        return network(s, TRANSIT_PERHAPS, r, UINT32_MAX);
    near = account_near(s->in, s->w, r, to);
    eager = !a ? HCT_EAGER_UNKNOWN : near ? a->eager : a->eager_far;
    asked = wanted(s->in, s->w, to, hct_rank(s->in, to)->flags & HCT_IN_MPI, r,
                   comm, tag);
    n = account_exactly(s->in, s->w, r, to, comm, tag);
    since = q ? account_since(s->in, s->w, r, q) : 0;
    if (n > (since == ACCOUNT_UNKNOWN ? 0 : since) && !asked &&
        ((how->flags & HCT_CALL_SYNC) ||
         (eager != HCT_EAGER_UNKNOWN && bytes > eager)))
        return BY_TASK;
    if (near)
        return BY_NOBODY;
    /* Of one that was received the word may be under way. */
    return network(s, n && n != ACCOUNT_UNKNOWN &&
                      (asked || eager != HCT_EAGER_UNKNOWN)
                          ? TRANSIT_MESSAGE : TRANSIT_PERHAPS, r, to);
}

/* ------------------------------------------- collective and one-sided calls */

static const struct members *members_of(struct search *s, uint64_t comm,
                                        uint64_t n)
{
    struct members *m = &s->members[(comm ^ comm >> 7 ^ n * 31) % GROUPS];
    uint32_t node = 0;

    if (m->found && m->comm == comm && m->n == n)
        return m;
    *m = (struct members){ .comm = comm, .n = n };
    s->steps += s->in->ncomms;
    for (uint32_t i = 0; i < s->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(s->in, i);

        if (c->id != comm || c->rank >= s->in->nranks)
            continue;
        if (m->found++ == 0)
            node = node_of(s, c->rank);
        m->size = c->size + c->remote_size;
        m->entered += c->collectives >= n;
        m->apart |= !node || node_of(s, c->rank) != node;
    }
    m->apart |= m->found != m->size;
    return m;
}

static bool has_entered(const struct search *s, int32_t r, uint64_t comm,
                        uint64_t n)
{
    const struct hct_comm *c;

    if (!is_rank(s, r))
        return true;            /* nobody knows */
    c = comm_of_id(s->in, s->w, (uint32_t)r, comm);
    return !c || c->collectives >= n;
}

/* r waits in collective call n on comm, or for it. */
static enum held collect(struct search *s, uint32_t r, uint64_t comm,
                         uint64_t n, const struct hct_call *how, int32_t root)
{
    const struct members *m;
    bool missing;

    if (!comm || (comm & HCT_COMM_LOCAL) || !n)
        return network(s, TRANSIT_COLLECTIVE, UINT32_MAX, r);
    m = members_of(s, comm, n);
    missing = m->found == m->size && m->entered < m->size;
    if (missing && ((how->flags & HCT_CALL_ALL) ||
                    (how->flags & HCT_CALL_FROM_ROOT
                         ? !has_entered(s, root, comm, n)
                         : (how->flags & HCT_CALL_ROOTED) &&
                           root == (int32_t)r)))
        return BY_TASK;
    if (!m->apart)
        return missing ? BY_TASK : BY_NOBODY;
    return network(s, TRANSIT_COLLECTIVE, UINT32_MAX, r);
}

static enum held one_sided(struct search *s, uint32_t r, uint64_t window,
                           int32_t target)
{
    if (is_rank(s, target) ? account_near(s->in, s->w, r, (uint32_t)target)
                           : window && !(window & HCT_COMM_LOCAL) &&
                             !members_of(s, window, 0)->apart)
        return BY_TASK;
    return network(s, TRANSIT_ONE_SIDED, UINT32_MAX, r);
}

/* ------------------------------------------------------- several at once */

static enum held request(struct search *s, uint32_t r,
                         const struct hct_request *q)
{
    const struct hct_call *c = hct_call(s->in, q->call);

    switch (c->class_) {
    case HCT_CLASS_RECV:
        return receive(s, r, q->peer, q->comm, q->tag, true);
    case HCT_CLASS_SEND:
        return post(s, r, q->peer, q->comm, q->tag, q->bytes, c, q);
    case HCT_CLASS_COLLECTIVE:
        return collect(s, r, q->comm, q->collective, c, q->peer);
    case HCT_CLASS_RMA:
        return one_sided(s, r, q->comm, q->peer);
    default:
        return BY_NOBODY;
    }
}

/* Its requests, those it waits for or whatever there are; of as many it has
 * asked together. */
static enum held requests(struct search *s, uint32_t r, bool waited)
{
    const struct hct_rank *k = hct_rank(s->in, r);
    bool together = hct_call(s->in, k->call)->flags & HCT_CALL_ALL;
    const struct hct_request *q;
    uint32_t n[BY_NETWORK + 1] = { 0 }, found = 0;

    for (uint32_t i = s->w[r].request; (q = request_of(s->in, i, r)); i++) {
        if (q->idle || (waited && q->waited != HCT_WAITED_HERE))
            continue;
        found++;
        n[request(s, r, q)]++;
    }
    together &= found == k->requests;
    if (found < k->requests || (waited && found != k->requests))
        n[network(s, TRANSIT_PERHAPS, UINT32_MAX, r)]++;
    return n[BY_NETWORK] && !(together && n[BY_TASK]) ? BY_NETWORK : BY_TASK;
}

/* It asks in a loop: whatever it has asked for since may help. */
static enum held question(struct search *s, uint32_t r)
{
    const struct hct_rank *k = hct_rank(s->in, r);
    enum held most = requests(s, r, false);
    const struct hct_flight *f;

    if ((k->flags & HCT_IN_MPI) &&
        hct_call(s->in, k->call)->class_ == HCT_CLASS_PROBE &&
        receive(s, r, k->peer, k->comm, k->tag, false) == BY_NETWORK)
        most = BY_NETWORK;
    for (uint32_t i = s->w[r].flight; (f = flight_of(s->in, i, r)); i++)
        if (f->left_ns <= s->w[r].still_ns &&
            hct_call(s->in, f->call)->class_ == HCT_CLASS_PROBE &&
            receive(s, r, f->peer, f->comm, f->tag, false) == BY_NETWORK)
            most = BY_NETWORK;
    return most;
}

static enum held both(struct search *s, uint32_t r)
{
    const struct hct_rank *k = hct_rank(s->in, r);
    const struct hct_account *a = account_of(s->in, s->w, r);
    enum held in = receive(s, r, k->source, k->comm,
                           a ? a->source_tag : HCT_UNKNOWN, false);
    enum held out = post(s, r, k->peer, k->comm, k->tag, k->bytes,
                         hct_call(s->in, k->call), NULL);

    return in == BY_TASK || out == BY_TASK ? BY_TASK : in > out ? in : out;
}

/* What keeps a rank that is in MPI, or asks there again and again. */
static enum held keeps(struct search *s, uint32_t r)
{
    const struct hct_rank *k = hct_rank(s->in, r);
    const struct hct_call *c = hct_call(s->in, k->call);

    if (!(k->flags & HCT_IN_MPI) && c->class_ != HCT_CLASS_TEST &&
        c->class_ != HCT_CLASS_PROBE)
        return BY_TASK;         /* outside, and does not ask */
    switch (c->class_) {
    case HCT_CLASS_SEND:
        return post(s, r, k->peer, k->comm, k->tag, k->bytes, c, NULL);
    case HCT_CLASS_RECV:        /* MPI_Mrecv, too: its message has begun */
        return receive(s, r, k->peer, k->comm, k->tag, false);
    case HCT_CLASS_PROBE:
    case HCT_CLASS_TEST:
        return c->flags & HCT_CALL_POLL
            ? question(s, r)
            : receive(s, r, k->peer, k->comm, k->tag, false);
    case HCT_CLASS_SENDRECV:
        return both(s, r);
    case HCT_CLASS_WAIT:
        return requests(s, r, true);
    case HCT_CLASS_COLLECTIVE:
        return collect(s, r, k->comm, k->collective, c, k->peer);
    case HCT_CLASS_RMA:
        return one_sided(s, r, k->comm, k->peer);
    default:
        return BY_TASK;
    }
}

static bool on_one_node(const struct search *s)
{
    for (uint32_t r = 0; r < s->in->nranks; r++)
        if (!account_near(s->in, s->w, 0, r))
            return false;
    return true;
}

struct transit transit_find(const struct hct_snapshot *in,
                            const struct deadlock_rank *w, uint64_t *steps)
{
    struct search s = { .in = in, .w = w };
    struct transit best = { .what = TRANSIT_NOTHING };
    uint64_t most = ROUNDS * ((uint64_t)in->ncomms + in->nranks);

    *steps = 0;
    if (on_one_node(&s))
        return best;
    for (uint32_t r = 0; r < in->nranks && best.what < TRANSIT_MESSAGE; r++) {
        const struct hct_rank *k = hct_rank(in, r);

        s.here = (struct transit){ .what = TRANSIT_NOTHING };
        if (k->life == HCT_LIFE_RUNNING && (k->flags & HCT_PAGE) &&
            keeps(&s, r) == BY_NETWORK && s.here.what > best.what) {
            best = s.here;
            best.call = k->call;
        }
        if (s.steps > most)
            break;
    }
    *steps = s.steps;
    if (s.steps > most && best.what == TRANSIT_NOTHING)
        best = (struct transit){ .what = TRANSIT_PERHAPS, .from = UINT32_MAX,
                                 .to = UINT32_MAX };
    return best;
}

const char *transit_text(char buf[TRANSIT_TEXT], const struct hct_snapshot *in,
                         const struct transit *t)
{
    static const char *const may = ": the network may lose packets";
    const char *call = hct_call(in, t->call)->name;

    *buf = '\0';
    switch (t->what) {
    case TRANSIT_MESSAGE:
        snprintf(buf, TRANSIT_TEXT, "; a message of rank %" PRIu32 " to rank %"
                 PRIu32 ", on another node, is under way%s", t->from, t->to,
                 may);
        break;
    case TRANSIT_COLLECTIVE:
        snprintf(buf, TRANSIT_TEXT, "; what %.40s sends between nodes may be "
                 "under way%s", call, may);
        break;
    case TRANSIT_ONE_SIDED:
        snprintf(buf, TRANSIT_TEXT, "; what rank %" PRIu32 " waits for in %.32s "
                 "may be under way between nodes%s", t->to, call, may);
        break;
    case TRANSIT_PERHAPS:
        snprintf(buf, TRANSIT_TEXT, "; a message between nodes may be under "
                 "way%s", may);
        break;
    }
    return buf;
}
