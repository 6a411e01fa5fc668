/* graph_collective.c - waiting for the other members of a communicator: who is
 * missing in a collective call, and who has made a different one. */
#include "policies/graph.h"

uint32_t deadlock_call(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t rank,
                       uint64_t comm, uint64_t n, int32_t *root)
{
    const struct hct_rank *k = hct_rank(in, rank);
    const struct hct_flight *f;

    *root = HCT_UNKNOWN;
    if ((k->flags & HCT_PAGE) && (k->flags & HCT_IN_MPI) && k->comm == comm &&
        k->collective == n &&
        hct_call(in, k->call)->class_ == HCT_CLASS_COLLECTIVE) {
        *root = k->peer;
        return k->call;
    }
    for (uint32_t i = w[rank].flight; (f = flight_of(in, i, rank)); i++)
        if (f->comm == comm && f->collective == n &&
            hct_call(in, f->call)->class_ == HCT_CLASS_COLLECTIVE) {
            *root = f->peer;
            return f->call;
        }
    for (uint32_t i = 0; i < in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(in, i);

        if (c->rank == rank && c->id == comm && c->collectives == n)
            return c->call;
    }
    return 0;
}

static const struct missing *missing_in(struct graph *g, uint64_t comm,
                                        uint64_t n)
{
    struct missing *m;

    for (unsigned i = 0; i < g->ncache; i++)
        if (g->cache[i].comm == comm && g->cache[i].n == n)
            return &g->cache[i];
    m = &g->cache[g->ncache < GRAPH_CACHE ? g->ncache++ : GRAPH_CACHE - 1];
    *m = (struct missing){ .comm = comm, .n = n, .first = -1 };
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);

        if (c->id != comm || c->rank >= g->in->nranks)
            continue;
        m->found++;
        m->expected = c->size + c->remote_size;
        m->inter |= c->remote_size > 0;
        if (c->collectives >= n)
            continue;
        m->missing++;
        if (held(g, (int32_t)c->rank)) {
            m->held++;
            if (m->first < 0)
                m->first = (int32_t)c->rank;
        }
    }
    /* Who has left MPI may have left no trace of the world. */
    if (comm == HCT_COMM_WORLD && m->found < g->in->nranks) {
        uint32_t at = 0;

        for (uint32_t r = 0; r < g->in->nranks; r++) {
            while (at < g->in->ncomms && (hct_comm(g->in, at)->rank < r ||
                                          (hct_comm(g->in, at)->rank == r &&
                                           hct_comm(g->in, at)->id != comm)))
                at++;
            if (at < g->in->ncomms && hct_comm(g->in, at)->rank == r)
                continue;
            if (g->w[r].state != DEADLOCK_ENDED)
                continue;
            m->found++;
            m->missing++;
            m->held++;
            if (m->first < 0)
                m->first = (int32_t)r;
        }
        m->expected = g->in->nranks;
    }
    m->unsure = m->found != m->expected || m->found == 0;
    return m;
}

/* All have entered call n of comm. Has somebody entered a different one? */
static bool differs(struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                    uint32_t call, int32_t root, bool inter)
{
    const struct hct_call *mine = hct_call(g->in, call);

    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);
        uint32_t other;
        int32_t its;

        if (c->id != comm || c->rank == r || c->rank >= g->in->nranks)
            continue;
        other = deadlock_call(g->in, g->w, c->rank, comm, n, &its);
        if (other && other != call) {
            never(g, DEADLOCK_MISMATCH, (int32_t)c->rank);
            return true;
        }
        if (other && (mine->flags & HCT_CALL_ROOTED) && !inter && root >= 0 &&
            its >= 0 && its != root) {
            never(g, DEADLOCK_ROOT, (int32_t)c->rank);
            return true;
        }
    }
    return false;
}

enum met graph_collective(struct graph *g, uint32_t r, uint64_t comm,
                          uint64_t n, uint32_t call, int32_t root)
{
    const struct hct_call *c = hct_call(g->in, call);
    const struct missing *m;

    if (comm == 0 || n == 0 || (comm & HCT_COMM_LOCAL) ||
        (c->flags & HCT_CALL_PART))
        return FREE;
    m = missing_in(g, comm, n);
    if (m->unsure)
        return FREE;
    if (m->missing == 0)
        return differs(g, r, comm, n, call, root, m->inter)
            ? NEVER : graph_under_way(g, r, r, 0);
    /* Without the root nobody gets its data; without one member nobody gets
     * past a barrier. Else it depends on how MPI passes things on: all who
     * are missing may be the one that counts. */
    if ((c->flags & HCT_CALL_FROM_ROOT) && root >= 0 && root != (int32_t)r &&
        !m->inter)
        for (uint32_t i = 0; i < g->in->ncomms; i++) {
            const struct hct_comm *k = hct_comm(g->in, i);

            if (k->id == comm && k->rank == (uint32_t)root &&
                k->collectives < n)
                return held(g, root) ? never(g, DEADLOCK_MEMBER, root) : FREE;
        }
    if (m->held == m->missing ||
        ((c->flags & HCT_CALL_ALL) && !m->inter && m->held > 0))
        return never(g, DEADLOCK_MEMBER, m->first);
    return FREE;
}
