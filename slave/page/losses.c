/* losses.c - what is missing from the pages of a job, see losses.h. */
#include "slave/page/losses.h"

#include "proto/base/log.h"
#include "slave/page/state.h"

static void tell(unsigned kind, const struct state_losses *l, uint64_t job,
                 uint32_t rank)
{
    unsigned long long j = job, r = rank;

    switch (kind) {
    case LOSSES_PHASE:
        log_warn("watch", "HECTOR_PHASE makes no sense: the models of all "
                 "tasks have one phase job=%llu", j);
        return;
    case LOSSES_LIBRARY:
        log_warn("watch", "this MPI library is not known: calls, times, tags "
                 "and models are recorded, but not communicators, partners "
                 "and requests job=%llu", j);
        return;
    case LOSSES_COMMS:
        log_warn("watch", "more than %d communicators, windows and files at "
                 "once: %llu calls were of others, which are not told apart "
                 "job=%llu rank=%llu", PAGE_COMMS - 8,
                 (unsigned long long)l->comms, j, r);
        return;
    case LOSSES_REQUESTS:
        log_warn("watch", "more than some %d unfinished requests at once: "
                 "%llu are not recorded job=%llu rank=%llu",
                 PAGE_REQUESTS / 2, (unsigned long long)l->requests, j, r);
        return;
    case LOSSES_SITES:
        log_warn("watch", "more than some %d call sites: %llu calls count as "
                 "from \"other\" job=%llu rank=%llu", PAGE_SITES,
                 (unsigned long long)l->sites, j, r);
        return;
    case LOSSES_EDGES:
        log_warn("watch", "more than some %d pairs of call sites: %llu steps "
                 "are not in the model job=%llu rank=%llu",
                 PAGE_EDGES, (unsigned long long)l->edges, j, r);
        return;
    default:
        log_warn("watch", "more than %d threads call MPI: %u are recorded "
                 "together job=%llu rank=%llu", PAGE_SLOTS - 1,
                 (unsigned)l->threads, j, r);
    }
}

void losses_tell(const char *page, uint64_t job, uint32_t rank,
                 unsigned *told)
{
    struct state_losses l;
    unsigned found;

    state_losses(page, &l);
    found = (l.phase ? LOSSES_PHASE : 0) | (l.library ? LOSSES_LIBRARY : 0) |
            (l.comms ? LOSSES_COMMS : 0) |
            (l.requests ? LOSSES_REQUESTS : 0) |
            (l.sites ? LOSSES_SITES : 0) | (l.edges ? LOSSES_EDGES : 0) |
            (l.threads ? LOSSES_THREADS : 0);
    for (found &= ~*told; found; found &= found - 1) {
        unsigned kind = found & -found;

        *told |= kind;
        tell(kind, &l, job, rank);
    }
}
