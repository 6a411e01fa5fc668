/* graph_collective.c - waiting for the other members of a communicator: who is
 * missing in a collective call, and who has made a different one. */
#include "policies/deadlock/graph.h"

#include <string.h>

#include "policies/deadlock/parcels.h"

enum { STRANGERS = 1024 };      /* in larger jobs nobody looks for them */

uint32_t deadlock_call(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t rank,
                       uint64_t comm, uint64_t n, int32_t *root)
{
    const struct hct_rank *k = hct_rank(in, rank);
    const struct hct_flight *f;
    const struct hct_comm *c;

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
    for (uint32_t i = w[rank].comm; (c = comm_of_rank(in, i, rank)); i++)
        if (c->id == comm && c->collectives == n)
            return c->call;
    return 0;
}

/* Do all members have to give as much (MPI 3.1, 5.4 to 5.11)? */
static bool same_amounts(const char *name)
{
    static const char *const calls[] = {
        "MPI_Bcast", "MPI_Gather", "MPI_Scatter", "MPI_Allgather",
        "MPI_Alltoall", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan",
        "MPI_Reduce_scatter", "MPI_Reduce_scatter_block" };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strcmp(name, calls[i]) == 0)
            return true;
    return false;
}

bool deadlock_amount(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t rank,
                     uint64_t comm, uint64_t n, uint64_t *bytes)
{
    const struct hct_rank *k = hct_rank(in, rank);
    const struct hct_flight *f;

    *bytes = k->bytes;
    if ((k->flags & HCT_PAGE) && (k->flags & HCT_IN_MPI) && k->comm == comm &&
        k->collective == n)
        return same_amounts(hct_call(in, k->call)->name) &&
               (k->bytes > 0 || k->count == 0);
    for (uint32_t i = w[rank].flight; (f = flight_of(in, i, rank)); i++)
        if (f->comm == comm && f->collective == n) {
            *bytes = f->bytes;
            return same_amounts(hct_call(in, f->call)->name) &&
                   f->tag != HCT_UNKNOWN;
        }
    return false;
}

/* All have entered the call. Has somebody but r entered a different one? One
 * by one: where r is not known by what it is in. */
static bool differs_slowly(struct graph *g, uint32_t r,
                           const struct deadlock_group *m, uint32_t call,
                           int32_t root)
{
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);
        uint32_t other;
        int32_t its;

        g->steps++;
        if (c->id != m->comm || c->rank == r || c->rank >= g->in->nranks)
            continue;
        other = deadlock_call(g->in, g->w, c->rank, m->comm, m->n, &its);
        if (other && other != call) {
            never(g, DEADLOCK_MISMATCH, (int32_t)c->rank);
            return true;
        }
        if (other && root >= 0 && its >= 0 && its != root) {
            never(g, DEADLOCK_ROOT, (int32_t)c->rank);
            return true;
        }
    }
    return false;
}

/* The same, and the first of them is named. root is negative if it does not
 * matter. */
static bool differs(struct graph *g, uint32_t r, const struct deadlock_group *m,
                    uint32_t call, int32_t root)
{
    int32_t to = m->of.other, with_root = -1;
    enum deadlock_why why = DEADLOCK_MISMATCH;

    if (m->of.first >= 0 && call != m->of.call)
        to = m->of.first;
    else if (root >= 0 && m->of.rooted >= 0)
        with_root = root != m->of.root ? m->of.rooted : m->of.elsewhere;
    if (with_root >= 0 && (to < 0 || with_root < to)) {
        to = with_root;
        why = DEADLOCK_ROOT;
    }
    if (to < 0)
        return false;
    if (to == (int32_t)r)
        return differs_slowly(g, r, m, call, root);
    never(g, why, to);
    return true;
}

/* What may go through r's hands in a call of n members, of what it takes part
 * in. */
static uint64_t bytes_of(const struct graph *g, uint32_t r, uint64_t n)
{
    uint64_t bytes = hct_rank(g->in, r)->bytes;

    return bytes < UINT64_MAX / n ? bytes * n : UINT64_MAX;
}

/* Has the last member that entered a collective call there done so long before,
 * and none moved since? What they pass on has to have its time, too. */
static bool long_ago(const struct graph *g, const struct deadlock_group *m,
                     uint64_t bytes)
{
    return m->span_ns > g->limits->small_ns &&
           m->youngest_ns > deadlock_takes_ns(g->limits, bytes);
}

/* Does r not get past it before every member has entered? The root that
 * gathers or reduces does not, unless amounts may be zero. MPI_Win_fence
 * "usually entails a barrier synchronization" (MPI 3.1, 11.5.1): one that does
 * not, since it ends nothing, waits for nobody and would be over. */
static bool needs_all(const struct graph *g, uint32_t r,
                      const struct hct_call *c, int32_t root)
{
    unsigned how = c->flags & (HCT_CALL_ROOTED | HCT_CALL_FROM_ROOT);
    size_t n = strnlen(c->name, sizeof(c->name));

    if (c->flags & HCT_CALL_ALL)
        return true;
    if (strcmp(c->name, "MPI_Win_fence") == 0)
        return graph_has_run(g, r) && graph_had_time(g, r, 0);
    return how == HCT_CALL_ROOTED && root == (int32_t)r && n > 0 &&
           c->name[n - 1] != 'v' && hct_rank(g->in, r)->bytes > 0;
}

/* Of the first k collective calls of rank r on comm; 0: not known. */
static uint64_t history_of(const struct graph *g, uint32_t r, uint64_t comm,
                           uint64_t k)
{
    const struct hct_comm *c = comm_of_id(g->in, g->w, r, comm);

    return !c ? 0 : c->collectives == k ? c->history
                  : c->collectives == k + 1 ? c->history_before : 0;
}

/* Have a and b made the same first k calls on comm? MPI matches calls by what
 * they are, and we by their numbers: where one has left a call out, what comes
 * over a network may be for one with another number. */
static bool same_calls(const struct graph *g, uint32_t a, uint32_t b,
                       uint64_t comm, uint64_t k)
{
    uint64_t history = history_of(g, a, comm, k);

    return k == 0 || (history && history == history_of(g, b, comm, k));
}

/* Is rank r a member that has not entered call n, only so many before? */
static bool misses(const struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                   uint64_t *before)
{
    const struct hct_comm *k = comm_of_id(g->in, g->w, r, comm);

    *before = k ? k->collectives : n;
    return *before < n;
}

/* One of the first so many members, that is held, has not entered call n, and
 * would be needed for it: who. Of those of whom it can be known that they have
 * made the same calls as r so far there is one here of each kind. Who the others
 * are, and whether they are known, does not matter. */
static bool lacks(const struct graph *g, uint32_t r,
                  const struct deadlock_group *m, uint32_t members,
                  int32_t *who)
{
    const int32_t held[] = { m->first, m->unmade, m->last[0], m->last[1] };
    const struct hct_comm *mine = comm_of_id(g->in, g->w, r, m->comm);

    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]) && !m->inter; i++) {
        const struct hct_comm *c = held[i] < 0 ? NULL
            : comm_of_id(g->in, g->w, (uint32_t)held[i], m->comm);

        *who = held[i];
        if (c && mine && c->kind == mine->kind && c->size == mine->size &&
            c->collectives < m->n && c->local < members &&
            same_calls(g, r, c->rank, m->comm, c->collectives))
            return true;
    }
    return false;
}

/* Of so many members, the first ones, r needs to have entered its call before it
 * gets past it: all, or those whose values are summed up to it. */
static uint32_t needs(const struct graph *g, uint32_t r,
                      const struct hct_call *c, uint64_t comm, int32_t root)
{
    bool scans = strcmp(c->name, "MPI_Scan") == 0 ||
                 strcmp(c->name, "MPI_Exscan") == 0;
    const struct hct_comm *mine = comm_of_id(g->in, g->w, r, comm);

    return needs_all(g, r, c, root) ? UINT32_MAX
           : scans && mine && hct_rank(g->in, r)->bytes > 0 ? mine->local : 0;
}

/* Has every member that has entered call n made the same one as r? What is not
 * known is none. */
static bool all_alike(struct graph *g, uint32_t r,
                      const struct deadlock_group *m, uint32_t call)
{
    int32_t root;

    if (m->of.known == m->found - m->missing)
        return m->of.other < 0 && m->of.call == call;
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);
        uint32_t its;

        g->steps++;
        if (c->id != m->comm || c->rank == r || c->rank >= g->in->nranks ||
            c->collectives < m->n)
            continue;
        its = deadlock_call(g->in, g->w, c->rank, m->comm, m->n, &root);
        if (its ? its != call : !same_calls(g, r, c->rank, m->comm, m->n))
            return false;
    }
    return true;
}

/* May another member let r go on by a call of another kind? Those that need not
 * wait are matched by their number alone, so what has made, or may yet make,
 * one of another kind may send what r waits for. */
static bool others_may(struct graph *g, uint32_t r,
                       const struct deadlock_group *m, uint32_t call)
{
    return (hct_call(g->in, call)->flags & HCT_CALL_REQUEST) &&
           (m->held != m->missing || !all_alike(g, r, m, call));
}

/* r is in a call that all have entered, and in which the amounts of two members
 * differ: the one may wait for more than the other ever sends. So it does if it
 * would be over by now; nobody is left who could end it. */
static bool amounts_differ(struct graph *g, uint32_t r,
                           const struct deadlock_group *m, int32_t root)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    uint64_t bytes, its, most;
    int32_t to = m->of.amounts;

    if (m->of.unlike < 0 || m->inter || m->free || k->comm != m->comm ||
        k->collective != m->n ||
        !deadlock_amount(g->in, g->w, r, m->comm, m->n, &bytes) ||
        !deadlock_amount(g->in, g->w, (uint32_t)m->of.unlike, m->comm, m->n,
                         &most))
        return false;
    if (bytes == m->of.bytes)
        to = m->of.unlike;
    if (root >= 0 && root != (int32_t)r && (uint32_t)root < g->in->nranks &&
        deadlock_amount(g->in, g->w, (uint32_t)root, m->comm, m->n, &its) &&
        its != bytes)
        to = root;
    most = most > m->of.bytes ? most : m->of.bytes;
    most = most > bytes ? most : bytes;
    most = most < UINT64_MAX / m->found ? most * m->found : UINT64_MAX;
    if (!graph_long_enough(g, r, most) || !long_ago(g, m, most))
        return false;
    never(g, DEADLOCK_AMOUNT, to);
    return true;
}

/* Some member but r. */
static int32_t another(const struct graph *g, uint32_t r, uint64_t comm)
{
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);

        if (c->id == comm && c->rank != r)
            return (int32_t)c->rank;
    }
    return (int32_t)r;
}

/* r is in a call that all have entered, and in which each member gives each other
 * one an amount of its own. Open MPI moves nothing where that is 0, so who takes
 * something of one that gives nothing waits for ever, and so does who gives much
 * to one that takes nothing; other misfits end as an error, or pass. */
static bool parcels_of(struct graph *g, uint32_t r,
                       const struct deadlock_group *m)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    struct parcels p;

    if (m->inter || m->free || !(k->flags & HCT_IN_MPI) ||
        k->comm != m->comm || k->collective != m->n ||
        !graph_long_enough(g, r, 0) || !long_ago(g, m, 0))
        return false;
    g->steps += g->in->ncomms;
    if (!parcels_differ(g->in, m->comm, m->n, &p) ||
        !graph_long_enough(g, r, p.most) || !long_ago(g, m, p.most))
        return false;
    if (p.from < 0)             /* several do not fit */
        never(g, DEADLOCK_PARCELS, another(g, r, m->comm));
    else if (p.from == (int32_t)r || p.to == (int32_t)r)
        never(g, DEADLOCK_PARCELS, p.from == (int32_t)r ? p.to : p.from);
    else
        never(g, DEADLOCK_WINDOW, p.from);
    return true;
}

bool graph_lacks(struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                 int32_t *who)
{
    const struct deadlock_group *m = group_find(g, comm, n);

    return m && !group_unsure(m) && lacks(g, r, m, UINT32_MAX, who);
}

/* All have entered call n. Has somebody made other calls up to this one than r,
 * or named another root? */
static bool history_differs(struct graph *g, uint32_t r,
                            const struct deadlock_group *m)
{
    uint64_t history = history_of(g, r, m->comm, m->n);

    for (uint32_t i = 0; i < g->in->ncomms && history && !m->inter; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);
        uint64_t its = c->collectives == m->n ? c->history
                     : c->collectives == m->n + 1 ? c->history_before : 0;

        g->steps++;
        if (c->id == m->comm && c->rank < g->in->nranks && its &&
            its != history) {
            never(g, DEADLOCK_MISMATCH, (int32_t)c->rank);
            return true;
        }
    }
    return false;
}

/* Rank "to" has made another call as the last one on m's communicator than c.
 * May MPI take what it has sent there for a part of c? Where it makes one call of
 * others (MPI_Allreduce of MPI_Reduce and MPI_Bcast), but not of those that
 * need not wait. */
static bool may_mix(const struct graph *g, const struct hct_comm *to,
                    const struct hct_call *c)
{
    return same_amounts(c->name) &&
           !(hct_call(g->in, to->call)->flags & HCT_CALL_REQUEST);
}

/* Is that the call that rank "to" is in? */
static bool stands_in(const struct graph *g, const struct deadlock_group *m,
                      uint32_t to)
{
    const struct hct_rank *k = hct_rank(g->in, to);

    return (k->flags & HCT_IN_MPI) && k->comm == m->comm &&
           k->collective == m->n;
}

/* r has entered call n, and "to" a different one, or with another root. The
 * message that r waits for may come of a later call of "to", or of one who has
 * made the same call as r, and be under way, unless time speaks against it, or
 * "to" has made none, and will not, and nobody leaves r's without it. One number
 * may stand for a window here, and for a communicator there, where members have
 * made different calls. */
static bool stays_different(const struct graph *g, uint32_t r,
                            const struct deadlock_group *m,
                            const struct hct_call *c, bool is_held)
{
    uint32_t to = (uint32_t)g->to;
    uint64_t bytes = bytes_of(g, r, m->found);
    const struct hct_comm *mine = comm_of_id(g->in, g->w, r, m->comm);
    const struct hct_comm *its = comm_of_id(g->in, g->w, to, m->comm);
    bool stays;

    if (!m->free && graph_long_enough(g, r, bytes) && long_ago(g, m, bytes))
        return true;
    if (!(c->flags & HCT_CALL_ALL) || (c->flags & HCT_CALL_REQUEST) ||
        !mine || !its || mine->kind != its->kind)
        return false;
    stays = is_held && its->collectives == m->n &&
            (stands_in(g, m, to) || !may_mix(g, its, c));
    return (stays || group_left(g, to, m->comm)) &&
           same_calls(g, r, to, m->comm, m->n - 1);
}

/* ... not the first one that differs, but another one, that was held at the last
 * group_update(). */
static bool another_stays(struct graph *g, uint32_t r,
                          const struct deadlock_group *m, uint32_t call)
{
    int32_t to = m->stayed[m->call == call];

    if (to < 0)
        return false;
    never(g, DEADLOCK_MISMATCH, to);
    return stays_different(g, r, m, hct_call(g->in, call), true);
}

/* Not all members are known by this number. Nobody in the job can do anything
 * any more, and all that was sent has come; and of those who may be members by
 * another number nobody has entered so many calls there: so one of them is
 * missing. A program without errors has one number for all, on whatever they
 * have made. */
static bool stranger_lacks(struct graph *g, uint32_t r,
                           const struct deadlock_group *m, int32_t *who)
{
    const struct hct_comm *mine = comm_of_id(g->in, g->w, r, m->comm);
    uint64_t bytes;

    *who = -1;
    if (!mine || m->inter || g->nfree > 0 || g->in->nranks > STRANGERS)
        return false;
    bytes = bytes_of(g, r, mine->size);
    if (!graph_long_enough(g, r, bytes))
        return false;
    for (uint32_t x = 0; x < g->in->nranks; x++) {
        const struct hct_comm *c;

        g->steps++;
        if (!graph_had_time(g, x, bytes))
            return false;
        if (comm_of_id(g->in, g->w, x, m->comm))
            continue;
        for (uint32_t i = g->w[x].comm; (c = comm_of_rank(g->in, i, x)); i++) {
            g->steps++;
            if (c->kind != mine->kind || c->size != mine->size ||
                comm_of_id(g->in, g->w, r, c->id))
                continue;
            if (c->collectives >= m->n)
                return false;
            if (*who < 0)
                *who = (int32_t)x;
        }
    }
    return *who >= 0;
}

enum met graph_collective(struct graph *g, uint32_t r, uint64_t comm,
                          uint64_t n, uint32_t call, int32_t root)
{
    const struct hct_call *c = hct_call(g->in, call);
    const struct deadlock_group *m;
    uint64_t before;
    int32_t its, who;
    bool other;

    if (c->flags & HCT_CALL_PART)
        return graph_meeting(g, r, comm, n, call, root);
    if (comm == 0 || n == 0 || (comm & HCT_COMM_LOCAL))
        return FREE;
    if (g->collects) {
        group_want(g, comm, n);
        return never(g, DEADLOCK_MEMBER, (int32_t)r);
    }
    m = group_find(g, comm, n);
    if (!m)
        return FREE;
    /* Not all know it by this number, or are known at all. */
    if (group_unsure(m))
        return !(c->flags & HCT_CALL_REQUEST) &&
               (lacks(g, r, m, needs(g, r, c, comm, root), &who) ||
                stranger_lacks(g, r, m, &who))
            ? never(g, DEADLOCK_MEMBER, who) : FREE;
    its = (c->flags & HCT_CALL_ROOTED) && !m->inter ? root : -1;
    other = differs(g, r, m, call, its);
    if (other && (stays_different(g, r, m, c, held(g, g->to)) ||
                  another_stays(g, r, m, call)))
        return NEVER;
    if (m->missing == 0) {
        uint64_t bytes = bytes_of(g, r, m->found);

        if (amounts_differ(g, r, m, its) || (!other && parcels_of(g, r, m)))
            return NEVER;
        return !other && !m->free && graph_long_enough(g, r, bytes) &&
               long_ago(g, m, bytes) && history_differs(g, r, m) ? NEVER : FREE;
    }
    /* Without the root nobody gets its data; without one member nobody gets
     * past a barrier. Else it depends on how MPI passes things on: all who
     * are missing may be the one that counts, and what is under way need not
     * come from them, nor be passed on already by those who have entered. */
    if ((c->flags & HCT_CALL_FROM_ROOT) && root >= 0 && root != (int32_t)r &&
        (uint32_t)root < g->in->nranks && !m->inter &&
        misses(g, (uint32_t)root, comm, n, &before)) {
        if (!held(g, root) && !group_left(g, (uint32_t)root, comm))
            return FREE;
        if (same_calls(g, r, (uint32_t)root, comm, before))
            return never(g, DEADLOCK_MEMBER, root);
    }
    if (lacks(g, r, m, needs(g, r, c, comm, root), &who) &&
        !others_may(g, r, m, call))
        return never(g, DEADLOCK_MEMBER, who);
    if (m->held == m->missing && !m->free &&
        graph_long_enough(g, r, bytes_of(g, r, m->found)) &&
        long_ago(g, m, bytes_of(g, r, m->found)))
        return never(g, DEADLOCK_MEMBER, m->first);
    return FREE;
}
