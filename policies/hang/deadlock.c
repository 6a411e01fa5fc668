/* deadlock.c - the greatest set of tasks that only wait for each other, see
 * deadlock.h.
 *
 * Invariant of the search: a rank is blocked in w only if nothing is known
 * that could release it, but for ranks that are blocked themselves; so ranks
 * only ever become free, and the order does not matter. */
#include "policies/hang/deadlock.h"

#include <string.h>

#include "policies/hang/graph.h"

#define LOOPS_NS 500000000u             /* who asks in a loop has just asked */

static const struct hct_call *call_of(const struct graph *g, uint32_t r)
{
    return hct_call(g->in, hct_rank(g->in, r)->call);
}

static bool fits(int32_t tag, int32_t other)
{
    return tag == other || tag < 0 || other < 0;
}

static bool same_comm(uint64_t a, uint64_t b)
{
    return a == b || a == 0 || b == 0;
}

/* ------------------------------------------------------------ messages */

/* Both sides of a message are there. If that has been so for long, it must
 * have arrived: at 10 MB/s, and a second for good measure. */
enum met graph_under_way(const struct graph *g, uint32_t a, uint32_t b,
                         uint64_t bytes)
{
    uint64_t still = UINT64_MAX, enough = bytes < UINT64_MAX / 200 ?
        1000000000u + bytes * 100 : UINT64_MAX;

    if (g->w[a].state != DEADLOCK_ENDED)
        still = g->w[a].still_ns;
    if (g->w[b].state != DEADLOCK_ENDED && g->w[b].still_ns < still)
        still = g->w[b].still_ns;
    return still > enough ? FINISHED : FREE;
}

/* Does rank r now send (or, with recv, receive) such a message to or from
 * other? */
static bool offers(const struct graph *g, uint32_t r, bool recv, uint32_t other,
                   uint64_t comm, int32_t tag, uint64_t *bytes)
{
    const struct hct_request *q;
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_call *c = call_of(g, r);
    enum hct_class want = recv ? HCT_CLASS_RECV : HCT_CLASS_SEND;
    int32_t me = (int32_t)other;

    *bytes = 0;
    if (!(k->flags & HCT_PAGE) || k->life == HCT_LIFE_ENDED)
        return false;
    if ((k->flags & HCT_IN_MPI) && same_comm(k->comm, comm)) {
        int32_t peer = recv && c->class_ == HCT_CLASS_SENDRECV ? k->source
                                                               : k->peer;
        /* a probe sees the message, too */
        bool is = c->class_ == want || c->class_ == HCT_CLASS_SENDRECV ||
                  (recv && c->class_ == HCT_CLASS_PROBE);
        /* of a Sendrecv only the tag that it sends is known */
        int32_t its = recv && c->class_ == HCT_CLASS_SENDRECV ? HCT_UNKNOWN
                                                              : k->tag;

        *bytes = k->bytes;
        if (is && !(c->flags & HCT_CALL_REQUEST) &&
            (peer == me || peer == HCT_ANY || peer == HCT_UNKNOWN) &&
            fits(its, tag))
            return true;
    }
    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        *bytes = q->bytes;
        if (!q->idle && hct_call(g->in, q->call)->class_ == want &&
            same_comm(q->comm, comm) && fits(q->tag, tag) &&
            (q->peer == me || q->peer == HCT_ANY || q->peer == HCT_UNKNOWN))
            return true;
    }
    return false;
}

/* Of the members of m that are held, but r, the one to name. */
static int32_t named(const struct deadlock_group *m, uint32_t r)
{
    return m->any.best == (int32_t)r ? m->any.next : m->any.best;
}

/* Can anybody in comm still send r a message? Who is not known to be in any
 * communicator may be in this one. */
static enum met from_any(struct graph *g, uint32_t r, uint64_t comm,
                         int32_t tag, enum deadlock_why why)
{
    const struct deadlock_rank *w = &g->w[r];
    uint32_t from = w->sent < g->wild ? w->sent : g->wild;
    uint32_t end = w->sent_to > g->wild_to ? w->sent_to : g->wild_to;
    const struct deadlock_group *m;
    int32_t free, best, other = -1;
    uint64_t bytes;

    if (g->collects) {
        group_want(g, comm, 0);
        return never(g, why, (int32_t)r);
    }
    m = group_find(g, comm, 0);
    if (!m)
        return FREE;
    free = m->any.free;
    best = named(m, r);
    if (comm != HCT_COMM_WORLD) {
        other = named(&g->unknown, r);
        if (free < 0 ||
            (g->unknown.any.free >= 0 && g->unknown.any.free < free))
            free = g->unknown.any.free;
    }
    if (free >= 0 && (uint32_t)free < end)
        end = (uint32_t)free;
    for (uint32_t s = from; s <= end; s++) {
        g->steps++;
        if (offers(g, s, false, r, comm, tag, &bytes))
            return graph_under_way(g, r, s, bytes);
    }
    if (free >= 0)
        return FREE;
    if (other >= 0 && (best < 0 || (other < best ? !group_rather(g, best, other)
                                                 : group_rather(g, other,
                                                                best))))
        best = other;
    return never(g, why, best < 0 ? (int32_t)r : best);
}

static enum met message_from(struct graph *g, uint32_t r, int32_t source,
                             uint64_t comm, int32_t tag, enum deadlock_why why)
{
    uint64_t bytes;

    if (source == HCT_NULL)
        return FINISHED;
    if (comm == 0 || (comm & HCT_COMM_LOCAL))
        return FREE;
    if (source == HCT_ANY)
        return from_any(g, r, comm, tag, why);
    if (source < 0 || (uint32_t)source >= g->in->nranks)
        return FREE;
    if (offers(g, (uint32_t)source, false, r, comm, tag, &bytes))
        return graph_under_way(g, r, (uint32_t)source, bytes);
    return held(g, source) ? never(g, why, source) : FREE;
}

static enum met message_to(struct graph *g, uint32_t r, int32_t target,
                           uint64_t comm, int32_t tag, uint64_t bytes,
                           const struct hct_call *how)
{
    uint64_t its;

    if (target == HCT_NULL || (how->flags & HCT_CALL_BUFFERED))
        return FINISHED;
    if (comm == 0 || (comm & HCT_COMM_LOCAL) || target < 0 ||
        (uint32_t)target >= g->in->nranks)
        return FREE;
    if (offers(g, (uint32_t)target, true, r, comm, tag, &its))
        return graph_under_way(g, r, (uint32_t)target, bytes);
    if (!held(g, target))
        return FREE;
    /* Small ones are sent without asking; this one may wait for room, and
     * get it soon. */
    if (!(how->flags & HCT_CALL_SYNC) &&
        ((bytes > 0 && bytes <= g->limits->tiny_bytes) ||
         (bytes <= g->limits->small_bytes &&
          g->w[r].still_ns < g->limits->small_ns)))
        return FREE;
    return never(g, DEADLOCK_SEND, target);
}

/* ---------------------------------------------------------- one-sided */

/* Who holds rank target's part of the window locked, by the last calls. */
static enum met locked(struct graph *g, uint32_t r, uint64_t win,
                       int32_t target)
{
    int32_t first = -1;

    if (win == 0 || (win & HCT_COMM_LOCAL) || target < 0 ||
        (uint32_t)target >= g->in->nranks || !held(g, target))
        return FREE;
    for (uint32_t s = 0; s < g->in->nranks; s++) {
        const struct hct_flight *f;
        bool has = false;

        if (s == r)
            continue;
        for (uint32_t i = g->w[s].flight; (f = flight_of(g->in, i, s)); i++) {
            const char *name = hct_call(g->in, f->call)->name;

            if (f->comm != win || strncmp(name, "MPI_Win_", 8) != 0)
                continue;
            if (strcmp(name, "MPI_Win_lock") == 0 && f->peer == target)
                has = true;
            else if (strcmp(name, "MPI_Win_lock_all") == 0)
                has = true;
            else if (strcmp(name, "MPI_Win_unlock") == 0 && f->peer == target)
                has = false;
            else if (strcmp(name, "MPI_Win_unlock_all") == 0)
                has = false;
        }
        if (!has)
            continue;
        /* Who is about to unlock, or waits for the same lock, will. */
        if (!held(g, (int32_t)s) ||
            (call_of(g, s)->class_ == HCT_CLASS_RMA &&
             (hct_rank(g->in, s)->flags & HCT_IN_MPI)))
            return FREE;
        if (first < 0)
            first = (int32_t)s;
    }
    return first < 0 ? FREE : never(g, DEADLOCK_LOCK, first);
}

/* Post, start, complete and wait name groups that are not recorded: any
 * member may be the one. */
static enum met window(struct graph *g, uint32_t r, uint64_t win, bool waits)
{
    const struct deadlock_group *m;
    int32_t first;

    if (win == 0 || (win & HCT_COMM_LOCAL))
        return FREE;
    if (g->collects) {
        group_want(g, win, 0);
        return never(g, DEADLOCK_WINDOW, (int32_t)r);
    }
    m = group_find(g, win, 0);
    if (!m || m->any.free >= 0 || (waits && m->any.completes) || m->inter ||
        group_unsure(m))
        return FREE;
    first = m->any.member[m->any.member[0] == (int32_t)r];
    return first < 0 ? FREE : never(g, DEADLOCK_WINDOW, first);
}

static enum met one_sided(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const char *name = call_of(g, r)->name;

    if (strcmp(name, "MPI_Win_start") == 0 ||
        strcmp(name, "MPI_Win_complete") == 0)
        return window(g, r, k->comm, false);
    if (strcmp(name, "MPI_Win_wait") == 0)
        return window(g, r, k->comm, true);
    return locked(g, r, k->comm, k->peer);
}

/* ------------------------------------------------------ several at once */

static enum met request(struct graph *g, uint32_t r,
                        const struct hct_request *q)
{
    const struct hct_call *c = hct_call(g->in, q->call);

    switch (c->class_) {
    case HCT_CLASS_RECV:
        return message_from(g, r, q->peer, q->comm, q->tag, DEADLOCK_RECV);
    case HCT_CLASS_SEND:
        return message_to(g, r, q->peer, q->comm, q->tag, q->bytes, c);
    case HCT_CLASS_COLLECTIVE:
        return graph_collective(g, r, q->comm, q->collective, q->call, q->peer);
    default:
        return FREE;
    }
}

/* All of its requests, those it waits for or all that there are. */
static enum met requests(struct graph *g, uint32_t r, bool all, bool any)
{
    const struct hct_request *q;
    uint32_t found = 0, by = UINT32_MAX;
    enum deadlock_why why = DEADLOCK_RECV;
    int32_t to = -1;

    for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++) {
        if (q->idle || !(all || q->waited))
            continue;
        found++;
        switch (request(g, r, q)) {
        case FREE:
            return FREE;
        case FINISHED:
            if (any)
                return FREE;
            break;
        case NEVER:
            if (by == UINT32_MAX) {
                by = i;
                why = g->why;
                to = g->to;
            }
            break;
        }
    }
    if (!all && found != hct_rank(g->in, r)->requests)
        return FREE;
    if (by == UINT32_MAX)
        return FREE;
    g->w[r].by = by;
    return never(g, why, to);
}

/* It asks in a loop, so anything that it asks for may help. */
static enum met spinning(struct graph *g, uint32_t r)
{
    const struct hct_flight *f;
    bool tests = false, probes = false;
    enum deadlock_why why = DEADLOCK_PROBE;
    int32_t to = -1;

    for (uint32_t i = g->w[r].flight; (f = flight_of(g->in, i, r)); i++) {
        const struct hct_call *c = hct_call(g->in, f->call);

        if (f->left_ns > g->w[r].still_ns)
            continue;
        tests |= c->class_ == HCT_CLASS_TEST;
        if (c->class_ != HCT_CLASS_PROBE)
            continue;
        probes = true;
        if (message_from(g, r, f->peer, f->comm, f->tag,
                         DEADLOCK_PROBE) != NEVER)
            return FREE;
        to = g->to;
    }
    if (tests) {
        if (requests(g, r, true, true) != NEVER)
            return FREE;
        why = g->why;
        to = g->to;
    }
    return tests || probes ? never(g, why, to) : FREE;
}

/* Where the size of the type is not known, an element has a byte at least. */
static uint64_t size_of(const struct hct_rank *k)
{
    return k->bytes > k->count ? k->bytes : k->count ? k->count : 1;
}

static enum met both(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    enum met out, in = message_from(g, r, k->source, k->comm, HCT_UNKNOWN,
                                    DEADLOCK_RECV);
    enum deadlock_why why = g->why;
    int32_t to = g->to;

    out = message_to(g, r, k->peer, k->comm, k->tag, size_of(k),
                     call_of(g, r));
    if (in == FREE || out == FREE)
        return FREE;
    if (in == NEVER)
        return never(g, why, to);
    return out == NEVER ? NEVER : FREE;
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
        return message_to(g, r, k->peer, k->comm, k->tag, size_of(k), c);
    case HCT_CLASS_RECV:
        if (strcmp(c->name, "MPI_Mrecv") == 0)
            return FREE;                /* its message is there */
        return message_from(g, r, k->peer, k->comm, k->tag, DEADLOCK_RECV);
    case HCT_CLASS_PROBE:
        return message_from(g, r, k->peer, k->comm, k->tag, DEADLOCK_PROBE);
    case HCT_CLASS_SENDRECV:
        return both(g, r);
    case HCT_CLASS_COLLECTIVE:
        return graph_collective(g, r, k->comm, k->collective, k->call, k->peer);
    case HCT_CLASS_WAIT:
        return requests(g, r, false, !(c->flags & HCT_CALL_ALL));
    case HCT_CLASS_RMA:
        return one_sided(g, r);
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
    /* Another thread may send, also one that has not called MPI yet. */
    if (k->threads > 1 || k->level >= HCT_LEVEL_SERIALIZED)
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

static void add_sender(struct graph *g, uint32_t s, int32_t to)
{
    bool known = to >= 0 && (uint32_t)to < g->in->nranks;
    uint32_t *from, *end;

    if (!known && to != HCT_ANY && to != HCT_UNKNOWN)
        return;
    from = known ? &g->w[to].sent : &g->wild;
    end = known ? &g->w[to].sent_to : &g->wild_to;
    if (*from > s)
        *from = s;
    *end = s;
}

/* Who sends to whom, as far as offers() sees it: no other rank has to be asked
 * for messages to one that takes them from any. */
static void index_senders(struct graph *g)
{
    const struct hct_request *q;

    g->wild = UINT32_MAX;
    g->wild_to = 0;
    for (uint32_t r = 0; r < g->in->nranks; r++) {
        g->w[r].sent = UINT32_MAX;
        g->w[r].sent_to = 0;
    }
    for (uint32_t r = 0; r < g->in->nranks; r++) {
        const struct hct_rank *k = hct_rank(g->in, r);
        const struct hct_call *c = call_of(g, r);

        if (!(k->flags & HCT_PAGE) || k->life == HCT_LIFE_ENDED)
            continue;
        if ((k->flags & HCT_IN_MPI) && (c->class_ == HCT_CLASS_SEND ||
                                        c->class_ == HCT_CLASS_SENDRECV))
            add_sender(g, r, k->peer);
        for (uint32_t i = g->w[r].request; (q = request_of(g->in, i, r)); i++)
            if (hct_call(g->in, q->call)->class_ == HCT_CLASS_SEND)
                add_sender(g, r, q->peer);
    }
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
    for (uint32_t r = 0; r < in->nranks; r++) {
        w[r].state = (uint8_t)begins_as(&g, r, &w[r].spins);
        n += w[r].state == DEADLOCK_BLOCKED;
    }
    if (n > 0) {
        index_senders(&g);
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

    if (n > 0)
        deadlock_say(in, w, out);
    return n;
}
