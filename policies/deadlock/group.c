/* group.c - what the members of a communicator have in common, so that it is
 * found once for all of them and not by each: who is missing in a collective
 * call, what the others have entered, who could send or act.
 *
 * Invariant: after group_begin() the groups are sorted by communicator and
 * number of the call, each is there once, and all of it but what depends on
 * who is held holds; that does as of the last group_update(). Ranks become
 * free in between: until the next one some are taken for held. */
#include "policies/deadlock/graph.h"

#include <string.h>

static struct deadlock_group *at(struct graph *g, uint32_t i)
{
    return i < GRAPH_FEW ? &g->few[i] : &g->w[i - GRAPH_FEW].group;
}

static bool before(uint64_t comm, uint64_t n, const struct deadlock_group *b)
{
    return comm != b->comm ? comm < b->comm : n < b->n;
}

static bool same(const struct deadlock_group *a, const struct deadlock_group *b)
{
    return a->comm == b->comm && a->n == b->n;
}

/* ------------------------------------------------------------- the groups */

static void sift(struct graph *g, uint32_t i, uint32_t n)
{
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        struct deadlock_group *a = at(g, i), *b = at(g, child), t = *a;

        if (child + 1 < n &&
            before(b->comm, b->n, at(g, child + 1)))
            b = at(g, ++child);
        if (!before(a->comm, a->n, b))
            return;
        *a = *b;
        *b = t;
    }
}

/* Sorts them in place, for there is no other memory, and drops the copies. */
static void tidy(struct graph *g)
{
    uint32_t n = g->ngroups, kept = 0;

    for (uint32_t i = n / 2; i-- > 0;)
        sift(g, i, n);
    for (uint32_t i = n; i-- > 1;) {
        struct deadlock_group t = *at(g, 0);

        *at(g, 0) = *at(g, i);
        *at(g, i) = t;
        sift(g, 0, i);
    }
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || !same(at(g, kept - 1), at(g, i)))
            *at(g, kept++) = *at(g, i);
    g->ngroups = g->sorted = kept;
}

/* The first group behind (comm, n), of those that are sorted. */
static uint32_t behind(struct graph *g, uint64_t comm, uint64_t n)
{
    uint32_t low = 0, high = g->sorted;

    while (low < high) {
        uint32_t i = low + (high - low) / 2;

        if (before(comm, n, at(g, i)))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

const struct deadlock_group *group_find(struct graph *g, uint64_t comm,
                                        uint64_t n)
{
    uint32_t i = behind(g, comm, n);
    const struct deadlock_group *m = i > 0 ? at(g, i - 1) : NULL;

    return m && m->comm == comm && m->n == n ? m : NULL;
}

void group_want(struct graph *g, uint64_t comm, uint64_t n)
{
    const struct deadlock_group wanted = { .comm = comm, .n = n, .first = -1 };
    uint32_t room = GRAPH_FEW + g->in->nranks;

    if (g->ngroups && same(at(g, g->ngroups - 1), &wanted))
        return;
    if (g->sorted && group_find(g, comm, n))
        return;
    if (g->ngroups == room && g->sorted < room)
        tidy(g);
    if (g->ngroups < room)
        *at(g, g->ngroups++) = wanted;
}

/* The first group of a communicator; NULL: there is none. */
static struct deadlock_group *head_of(struct graph *g, uint64_t comm,
                                      uint32_t *i)
{
    *i = comm ? behind(g, comm - 1, UINT64_MAX) : 0;
    return *i < g->ngroups && at(g, *i)->comm == comm ? at(g, *i) : NULL;
}

/* -------------------------------------------------- what does not change */

static void add_member(struct graph *g, struct deadlock_group *m, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);

    if (m->any.member[0] < 0)
        m->any.member[0] = (int32_t)r;
    else if (m->any.member[1] < 0)
        m->any.member[1] = (int32_t)r;
    m->any.completes |= k->comm == m->comm &&
        strcmp(hct_call(g->in, k->call)->name, "MPI_Win_complete") == 0;
}

/* What rank r has entered as this call, if that is known. */
static void add_call(struct graph *g, struct deadlock_group *m, uint32_t r)
{
    int32_t root;
    uint32_t call = deadlock_call(g->in, g->w, r, m->comm, m->n, &root);
    uint64_t bytes;

    if (!call)
        return;
    m->of.known++;
    if (deadlock_amount(g->in, g->w, r, m->comm, m->n, &bytes)) {
        if (m->of.amounts < 0) {
            m->of.amounts = (int32_t)r;
            m->of.bytes = bytes;
        } else if (bytes != m->of.bytes && m->of.unlike < 0) {
            m->of.unlike = (int32_t)r;
        }
    }
    if (m->of.first < 0) {
        m->of.first = (int32_t)r;
        m->of.call = call;
    }
    if (call != m->of.call) {
        if (m->of.other < 0)
            m->of.other = (int32_t)r;
    } else if (root >= 0 && m->of.rooted < 0) {
        m->of.rooted = (int32_t)r;
        m->of.root = root;
    } else if (root >= 0 && root != m->of.root && m->of.elsewhere < 0) {
        m->of.elsewhere = (int32_t)r;
    }
}

/* The first of its calls there of which it may be known what it entered. */
static uint64_t first_known(const struct graph *g, const struct hct_comm *c)
{
    const struct hct_rank *k = hct_rank(g->in, c->rank);
    const struct hct_flight *f;
    uint64_t n = c->collectives;

    if (k->comm == c->id && k->collective && k->collective < n)
        n = k->collective;
    for (uint32_t i = g->w[c->rank].flight;
         (f = flight_of(g->in, i, c->rank)); i++)
        if (f->comm == c->id && f->collective && f->collective < n)
            n = f->collective;
    return n;
}

/* How long w has looked for messages since it entered a call, age_ns ago: the
 * last one but for messages and questions, or another before. A look may be
 * torn. */
static uint64_t since_entered(const struct deadlock_rank *w, uint64_t age_ns)
{
    if (age_ns < w->still_ns / 4 * 3)
        return age_ns < w->span_ns ? age_ns : w->span_ns;
    return w->span_ns + (age_ns > w->still_ns ? age_ns - w->still_ns : 0);
}

static void count_members(struct graph *g)
{
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);
        uint32_t at_i;
        struct deadlock_group *m = head_of(g, c->id, &at_i);
        const struct deadlock_rank *w;
        uint64_t since;

        g->steps++;
        if (!m || c->rank >= g->in->nranks)
            continue;
        w = &g->w[c->rank];
        since = since_entered(w, c->age_ns);
        m->found++;
        m->expected = c->size + c->remote_size;
        if (m->found == 1 || w->span_ns < m->span_ns)
            m->span_ns = w->span_ns;
        if (c->collectives && (!m->youngest_ns || since < m->youngest_ns))
            m->youngest_ns = since ? since : 1;
        m->inter |= c->remote_size > 0;
        if (m->n == 0)
            add_member(g, m, c->rank);
        at_i = behind(g, c->id, c->collectives);
        if (at_i < g->ngroups && at(g, at_i)->comm == c->id)
            at(g, at_i)->missing++;
    }
    for (uint32_t i = 1; i < g->ngroups; i++) {
        struct deadlock_group *m = at(g, i), *last = at(g, i - 1);

        if (m->comm != last->comm)
            continue;
        m->found = last->found;
        m->youngest_ns = last->youngest_ns;
        m->span_ns = last->span_ns;
        m->expected = last->expected;
        m->inter = last->inter;
        m->missing += last->missing;
    }
}

void group_begin(struct graph *g)
{
    tidy(g);
    if (g->ngroups == 0)
        return;
    for (uint32_t i = 0; i < g->ngroups; i++) {
        struct deadlock_group *m = at(g, i);

        if (m->n == 0)
            m->any.member[0] = m->any.member[1] = -1;
        else
            m->of.first = m->of.other = m->of.rooted = m->of.elsewhere =
                m->of.amounts = m->of.unlike = -1;
    }
    count_members(g);
    /* Those who have entered a call: was it the same one? */
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);
        struct deadlock_group *m;

        g->steps++;
        if (c->rank >= g->in->nranks || !c->collectives)
            continue;
        for (uint32_t j = behind(g, c->id, first_known(g, c) - 1);
             j < g->ngroups && (m = at(g, j))->comm == c->id &&
             m->n <= c->collectives; j++) {
            g->steps++;
            if (!group_unsure(m))
                add_call(g, m, c->rank);
        }
    }
}

/* ----------------------------------------------------------- who is held */

bool group_rather(const struct graph *g, int32_t s, int32_t best)
{
    const struct deadlock_rank *a, *b;

    if (s < 0 || best < 0)
        return s >= 0;
    a = &g->w[s];
    b = &g->w[best];
    if (a->state != b->state)
        return a->state == DEADLOCK_BLOCKED;
    return a->state == DEADLOCK_BLOCKED && a->still_ns > b->still_ns;
}

/* It has freed the communicator of c, and has no request on it. */
static bool has_left(const struct graph *g, const struct hct_comm *c)
{
    const struct hct_request *q;

    if (!c->freed || (hct_rank(g->in, c->rank)->flags & HCT_LOST))
        return false;
    for (uint32_t i = g->w[c->rank].request;
         (q = request_of(g->in, i, c->rank)); i++)
        if (q->comm == c->id || q->comm == 0)
            return false;
    return true;
}

bool group_left(const struct graph *g, uint32_t r, uint64_t comm)
{
    const struct hct_comm *c = comm_of_id(g->in, g->w, r, comm);

    return c && has_left(g, c);
}

/* left: it has left what they are members of. */
static void add_any(const struct graph *g, struct deadlock_group *m, int32_t r,
                    bool left)
{
    if (!held(g, r) && !left) {
        if (m->any.free < 0)
            m->any.free = r;
    } else if (r == m->any.best || r == m->any.next) {
        return;
    } else if (group_rather(g, r, m->any.best)) {
        m->any.next = m->any.best;
        m->any.best = r;
    } else if (group_rather(g, r, m->any.next)) {
        m->any.next = r;
    }
}

static void forget_any(struct deadlock_group *m)
{
    m->any.free = m->any.best = m->any.next = -1;
}

static void forget_held(struct deadlock_group *m)
{
    m->held = 0;
    m->free = 0;
    m->first = m->unmade = -1;
    m->last[0] = m->last[1] = m->stayed[0] = m->stayed[1] = -1;
}

/* The member of c, held, has not entered the call of m. */
static void add_held(struct deadlock_group *m, const struct hct_comm *c)
{
    int32_t r = (int32_t)c->rank;

    m->held++;
    if (m->first < 0)
        m->first = r;
    if (c->collectives == 0 && m->unmade < 0)
        m->unmade = r;
    if (c->collectives + 1 != m->n)
        return;
    if (m->last[0] < 0) {
        m->last[0] = r;
        m->history = c->history;
    } else if (m->last[1] < 0 && c->history != m->history) {
        m->last[1] = r;
    }
}

/* ... has entered it, and none behind. */
static void add_stayed(struct deadlock_group *m, const struct hct_comm *c)
{
    if (m->stayed[0] < 0) {
        m->stayed[0] = (int32_t)c->rank;
        m->call = c->call;
    } else if (m->stayed[1] < 0 && c->call != m->call) {
        m->stayed[1] = (int32_t)c->rank;
    }
}

void group_update(struct graph *g)
{
    struct deadlock_group *m, *all, *last;
    uint32_t j;

    g->nfree = 0;
    for (uint32_t r = 0; r < g->in->nranks; r++)
        g->nfree += g->w[r].state == DEADLOCK_FREE;
    if (g->ngroups == 0)
        return;
    for (uint32_t i = 0; i < g->ngroups; i++) {
        m = at(g, i);
        forget_held(m);
        if (m->n == 0)
            forget_any(m);
    }
    forget_any(&g->unknown);
    all = head_of(g, HCT_COMM_WORLD, &j);
    for (uint32_t r = 0; r < g->in->nranks; r++) {
        g->steps++;
        if (!comm_of_rank(g->in, g->w[r].comm, r))
            add_any(g, &g->unknown, (int32_t)r, false);
        if (all && all->n == 0)
            add_any(g, all, (int32_t)r, false);
    }
    for (uint32_t i = 0; i < g->in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(g->in, i);

        g->steps++;
        if (c->rank >= g->in->nranks || !(m = head_of(g, c->id, &j)))
            continue;
        m->free |= !held(g, (int32_t)c->rank);
        if (m->n == 0 && m != all)
            add_any(g, m, (int32_t)c->rank, has_left(g, c));
        j = behind(g, c->id, c->collectives);
        last = j > 0 ? at(g, j - 1) : NULL;
        if (last && last->comm == c->id && last->n > 0 &&
            last->n == c->collectives && held(g, (int32_t)c->rank))
            add_stayed(last, c);
        if (j >= g->ngroups || (m = at(g, j))->comm != c->id ||
            !(held(g, (int32_t)c->rank) || has_left(g, c)))
            continue;
        add_held(m, c);
    }
    for (uint32_t i = 0; i < g->ngroups; i++) {
        last = i > 0 ? at(g, i - 1) : NULL;
        m = at(g, i);
        if (last && m->comm == last->comm) {
            m->held += last->held;
            m->free |= last->free;
            if (m->first < 0 || (last->first >= 0 && last->first < m->first))
                m->first = last->first >= 0 ? last->first : m->first;
            if (m->unmade < 0)
                m->unmade = last->unmade;
        }
    }
}
