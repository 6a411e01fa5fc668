/* graph_meeting.c - waiting for those who make a communicator together: the
 * members of a group in MPI_Comm_create_group; in MPI_Intercomm_create the two
 * leaders wait for each other, and each group for its own members.
 *
 * They agree on the new communicator's identity first, so none comes back
 * before all have entered. They do so by messages of their own, with the tag
 * that the program gave, which are in no account. So one of them is held only
 * if all who take part are, and nothing of the program's can be taken for such
 * a message, nor such a message for the program's (MPI 3.1, 6.4.2 and 6.6.2,
 * forbids both; it ends a wait all the same). */
#include "policies/deadlock/graph.h"

#include <string.h>

#include "policies/deadlock/account.h"
#include "policies/deadlock/wanted.h"

enum { MEMBERS = 1024 };        /* of more than that nothing is said */

/* -------------------------------------------------------- who has met whom */

/* The first meeting of rank r, if there is one. */
static uint32_t first_of(const struct hct_snapshot *in, uint32_t r)
{
    uint32_t low = 0, high = in->nmeetings;

    while (low < high) {
        uint32_t i = low + (high - low) / 2;

        if (hct_meeting(in, i)->rank < r)
            low = i + 1;
        else
            high = i;
    }
    return low;
}

static const struct hct_meeting *nth_of(const struct hct_snapshot *in,
                                        uint32_t i, uint32_t r)
{
    return i < in->nmeetings && hct_meeting(in, i)->rank == r
               ? hct_meeting(in, i) : NULL;
}

const struct hct_meeting *meeting_of(const struct hct_snapshot *in, uint32_t r)
{
    const struct hct_meeting *m, *found = NULL;
    const struct hct_rank *k = hct_rank(in, r);

    for (uint32_t i = first_of(in, r); (m = nth_of(in, i, r)); i++)
        if (m->id && m->in && m->call == k->call && m->tag == k->tag) {
            if (found)
                return NULL;
            found = m;
        }
    return found;
}

/* What rank x has to do with the n-th meeting of this kind. */
enum part { UNKNOWN, ENTERED, MISSING };

static enum part part_of(struct graph *g, uint32_t x,
                         const struct hct_meeting *of)
{
    const struct hct_meeting *m;
    enum part part = MISSING;

    g->steps++;
    if (!comm_of_rank(g->in, g->w[x].comm, x) ||
        (hct_rank(g->in, x)->flags & (HCT_LOST | HCT_TORN)))
        return UNKNOWN;
    for (uint32_t i = first_of(g->in, x); (m = nth_of(g->in, i, x)); i++) {
        if (m->id == of->id && m->count >= of->count)
            return ENTERED;
        if (m->id == 0)         /* its counts may be too low */
            part = UNKNOWN;
    }
    return part;
}

/* May r take part in it? */
static bool may_be_in(const struct hct_meeting *m, uint32_t r)
{
    for (uint32_t i = 0; i < m->nruns && i < HCT_RUNS_MAX; i++) {
        int64_t away = (int64_t)r - m->runs[i].first, step = m->runs[i].step;

        if (step == 0 ? away == 0 : away % step == 0 && away / step >= 0 &&
                                    away / step < m->runs[i].n)
            return true;
    }
    return m->nruns == 0;
}

/* Is x in one like this with others, of whom r is one: may messages of the one
 * be taken for the other's? */
static bool elsewhere(const struct graph *g, uint32_t x, uint32_t r,
                      const struct hct_meeting *of)
{
    const struct hct_meeting *m;

    for (uint32_t i = first_of(g->in, x); (m = nth_of(g->in, i, x)); i++)
        if (m->in && m->id != of->id && m->comm == of->comm &&
            m->tag == of->tag && may_be_in(m, r))
            return true;
    return false;
}

static bool taken_by_now(const struct graph *g, uint32_t r, uint32_t x)
{
    return graph_long_enough(g, r, 0) && graph_had_time(g, x, 0);
}

/* x has not come. Can no message between it and r be mistaken? */
static bool stays_away(struct graph *g, uint32_t r, uint32_t x,
                       const struct hct_meeting *of)
{
    return !g->w[x].spins &&
           !wanted(g->in, g->w, x, true, r, of->comm, of->tag) &&
           account_under_way(g->in, g->w, x, r, of->comm, of->tag) == 0 &&
           (!elsewhere(g, x, r, of) || taken_by_now(g, r, x));
}

/* The first of those who take part that has not come and will not; *who is
 * negative if all have come. False: it cannot be said. */
static bool absent(struct graph *g, uint32_t r, const struct hct_meeting *of,
                   int32_t *who)
{
    uint32_t n = 0;

    *who = -1;
    if (of->size > MEMBERS)
        return false;
    for (uint32_t i = 0; i < of->nruns && i < HCT_RUNS_MAX; i++)
        for (uint32_t j = 0; j < of->runs[i].n && j < MEMBERS; j++, n++) {
            int64_t x = of->runs[i].first + (int64_t)j * of->runs[i].step;
            enum part part;

            if (x < 0 || x >= g->in->nranks || !held(g, (int32_t)x))
                return false;
            part = part_of(g, (uint32_t)x, of);
            if (part == UNKNOWN)
                return false;
            if (part == ENTERED)
                continue;
            if (!stays_away(g, r, (uint32_t)x, of))
                return false;
            if (*who < 0 || x < *who)
                *who = (int32_t)x;
        }
    return n == of->size;
}

/* --------------------------------------------------------------- the calls */

static enum met create_group(struct graph *g, uint32_t r)
{
    const struct hct_meeting *m = meeting_of(g->in, r);
    int32_t who;

    if (!m)
        return FREE;
    if (g->collects)
        return never(g, DEADLOCK_MEETING, (int32_t)r);
    return absent(g, r, m, &who) && who >= 0
               ? never(g, DEADLOCK_MEETING, who) : FREE;
}

/* Is rank x in this very call? */
static bool is_in(const struct graph *g, uint32_t x, uint64_t comm, uint64_t n,
                  uint32_t call)
{
    const struct hct_rank *k = hct_rank(g->in, x);

    return held(g, (int32_t)x) && (k->flags & HCT_IN_MPI) && k->call == call &&
           k->comm == comm && k->collective == n;
}

/* Does a group of its own, which is in its n-th call on comm, lack a member? */
static bool group_lacks(struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                        int32_t *who)
{
    return comm != HCT_COMM_SELF && graph_lacks(g, r, comm, n, who);
}

/* Does the leader of a group wait for ever for the other one, who has not come,
 * or whose group has not? */
static bool leader_waits(struct graph *g, uint32_t leader, int32_t *other)
{
    const struct hct_meeting *m = meeting_of(g->in, leader), *its;
    const struct hct_rank *k;
    int32_t who;

    if (!m || !absent(g, leader, m, other))
        return false;
    if (*other >= 0)
        return true;
    /* Both are there, which are first and first + step. */
    *other = (int32_t)m->runs[0].first;
    if (*other == (int32_t)leader)
        *other += m->runs[0].step;
    k = hct_rank(g->in, (uint32_t)*other);
    its = meeting_of(g->in, (uint32_t)*other);
    return its && its->id == m->id && its->count == m->count &&
           (k->flags & HCT_IN_MPI) &&
           group_lacks(g, (uint32_t)*other, k->comm, k->collective, &who);
}

static enum met intercomm_create(struct graph *g, uint32_t r, uint64_t comm,
                                 uint64_t n, uint32_t call, int32_t leader)
{
    int32_t who;

    if (comm == 0 || n == 0 || (comm & HCT_COMM_LOCAL) || leader < 0 ||
        (uint32_t)leader >= g->in->nranks)
        return FREE;
    if (g->collects) {
        group_want(g, comm, n);
        return never(g, DEADLOCK_MEMBER, (int32_t)r);
    }
    if (group_lacks(g, r, comm, n, &who))
        return never(g, DEADLOCK_MEMBER, who);
    if (!is_in(g, (uint32_t)leader, comm, n, call) ||
        !leader_waits(g, (uint32_t)leader, &who))
        return FREE;
    return never(g, DEADLOCK_MEETING, leader == (int32_t)r ? who : leader);
}

enum met graph_meeting(struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                       uint32_t call, int32_t leader)
{
    const char *name = hct_call(g->in, call)->name;

    if (strcmp(name, "MPI_Comm_create_group") == 0)
        return create_group(g, r);
    if (strcmp(name, "MPI_Intercomm_create") == 0)
        return intercomm_create(g, r, comm, n, call, leader);
    return FREE;
}
