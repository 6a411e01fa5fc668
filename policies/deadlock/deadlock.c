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

/* ---------------------------------------------------------------- one rank */

/* MPI_Buffer_detach, and what MPI-4.1 adds to it. */
static bool empties_buffer(const struct hct_call *c)
{
    return (c->flags & HCT_CALL_BLOCKING) &&
           (strstr(c->name, "_detach") || strstr(c->name, "_flush"));
}

/* Of a rank that is blocked: will nothing release it? */
static enum met released(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const struct hct_call *c = call_of(g, r);

    g->w[r].by = UINT32_MAX;
    if (g->w[r].spins)
        return graph_asking(g, r);
    if (!graph_others_wait(g, r))
        return FREE;
    switch (c->class_) {
    case HCT_CLASS_SEND:
        return graph_send(g, r);
    case HCT_CLASS_RECV:
        if (strcmp(c->name, "MPI_Mrecv") == 0)
            return FREE;                /* its message is there */
        return graph_message_from(g, r, k->peer, k->comm, k->tag,
                                  DEADLOCK_RECV, NULL);
    case HCT_CLASS_PROBE:
        return graph_message_from(g, r, k->peer, k->comm, k->tag,
                                  DEADLOCK_PROBE, NULL);
    case HCT_CLASS_SENDRECV:
        return graph_sendrecv(g, r);
    case HCT_CLASS_COLLECTIVE:
        return graph_collective(g, r, k->comm, k->collective, k->call, k->peer);
    case HCT_CLASS_WAIT:
        return graph_requests(g, r, !(c->flags & HCT_CALL_ALL));
    case HCT_CLASS_OTHER:
        return empties_buffer(c) ? graph_buffer(g, r) : FREE;
    case HCT_CLASS_RMA:
        return graph_long_enough(g, r, k->bytes) ? graph_window(g, r) : FREE;
    default:
        return FREE;
    }
}

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
 *   - all others sleep until one of the same process wakes them, and those
 *     that could are blocked here: HCT_ALONE. What MPI itself does (12.4.1: a
 *     blocking call blocks the calling thread only; its own threads make
 *     progress) wakes those alone that are in MPI. A function of the program that
 *     MPI calls meanwhile, to reduce what has come, might wake another one: of
 *     those this knows nothing; they may not call MPI themselves (5.9.5).
 * What two that are in MPI at the same time wait for is for the graph to say
 * (graph_threads.c), if they are in calls that block. */
bool deadlock_others(const struct hct_snapshot *in, const struct hct_rank *k)
{
    bool blocks = (k->flags & HCT_IN_MPI) &&
                  (hct_call(in, k->call)->flags & HCT_CALL_BLOCKING);

    if (k->level < HCT_LEVEL_SERIALIZED)
        return k->threads > 1;
    if (k->threads_in > 1)
        return !blocks || !(k->flags & HCT_ALONE);
    return !(k->flags & HCT_ALONE) &&
           !(k->level == HCT_LEVEL_SERIALIZED && blocks);
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

/* ----------------------------------------------------------------- the set */

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
    if (g->steps > DEADLOCK_STEPS || released(g, r) != NEVER) {
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

uint64_t deadlock_age(const struct hct_snapshot *in,
                      const struct deadlock_rank *w)
{
    uint64_t age_ns = UINT64_MAX;

    for (uint32_t r = 0; r < in->nranks; r++)
        if (w[r].state == DEADLOCK_BLOCKED && w[r].still_ns < age_ns)
            age_ns = w[r].still_ns;
    return age_ns;
}
