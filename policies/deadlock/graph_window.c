/* graph_window.c - waiting in a one-sided call: who has locked a window, who
 * does not post, start, complete or wait for it. */
#include "policies/deadlock/graph.h"

#include <string.h>

/* Is it about to unlock? */
static bool unlocks(const struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);

    return (k->flags & HCT_IN_MPI) &&
           strncmp(hct_call(g->in, k->call)->name, "MPI_Win_unlock", 14) == 0;
}

/* Who holds rank target's part of the window locked, by the last calls. */
static enum met locked(struct graph *g, uint64_t win, int32_t target)
{
    int32_t first = -1;

    if (win == 0 || (win & HCT_COMM_LOCAL) || target < 0 ||
        (uint32_t)target >= g->in->nranks || !held(g, target))
        return FREE;
    for (uint32_t s = 0; s < g->in->nranks; s++) {
        const struct hct_flight *f;
        bool has = false;

        g->steps++;
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
        if (!held(g, (int32_t)s) || unlocks(g, s))
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
    /* What one has done before it stood still, or ended, has to be there. */
    if (!m || m->any.free >= 0 || (waits && m->any.completes) || m->inter ||
        group_unsure(m) || m->span_ns <= g->limits->small_ns)
        return FREE;
    first = m->any.member[m->any.member[0] == (int32_t)r];
    return first < 0 ? FREE : never(g, DEADLOCK_WINDOW, first);
}

enum met graph_window(struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);
    const char *name = hct_call(g->in, hct_rank(g->in, r)->call)->name;

    if (strcmp(name, "MPI_Win_start") == 0 ||
        strcmp(name, "MPI_Win_complete") == 0)
        return window(g, r, k->comm, false);
    if (strcmp(name, "MPI_Win_wait") == 0)
        return window(g, r, k->comm, true);
    /* To unlock or to flush takes as long as what was put there, of which
     * nothing is known here. */
    return strcmp(name, "MPI_Win_lock") == 0 ? locked(g, k->comm, k->peer)
                                             : FREE;
}
