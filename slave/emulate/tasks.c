/* tasks.c - what a task that is not there would be doing. */
#include "slave/emulate/tasks.h"

#include <stdbool.h>

#include "policies/hct_policy.h"
#include "proto/base/clock.h"

enum { CALLS = 100, NOBODY = -1 };      /* NOBODY: PAGE_NONE */

static uint64_t in_mpi_ns(uint32_t rank, uint64_t age_ns)
{
    return age_ns / 100 * (10 + rank % 50);
}

/* Each ten microseconds are a step, a hundred steps a round. */
static bool is_in_mpi(uint32_t rank, uint64_t age_ns)
{
    return (age_ns / 10000 + rank) % 100 < 10 + rank % 50;
}

void tasks_sample(Hct__TaskSamples__Task *t, uint32_t rank, uint64_t age_ns)
{
    uint64_t in = in_mpi_ns(rank, age_ns);

    hct__task_samples__task__init(t);
    t->rank = rank;
    t->mpi_calls = age_ns / CLOCK_NS_PER_MS;
    t->in_mpi_ns = in;
    t->out_mpi_ns = age_ns - in;
    t->cpu_ns = age_ns / 10 * 9;
    t->cpu_in_mpi_ns = in / 10 * 9;
    t->call = is_in_mpi(rank, age_ns) ? 1 + rank % CALLS : 0;
    t->rss_bytes = 100 << 20;
}

void tasks_look(Hct__Looked__Task *t, uint32_t rank, uint64_t age_ns)
{
    uint64_t in = in_mpi_ns(rank, age_ns);

    hct__looked__task__init(t);
    t->rank = rank;
    t->life = HCT_LIFE_RUNNING;
    t->flags = HCT_OBSERVED | HCT_PAGE |
               (is_in_mpi(rank, age_ns) ? HCT_IN_MPI : 0u);
    t->threads = 1;
    t->threads_in = is_in_mpi(rank, age_ns);
    t->calls = age_ns / CLOCK_NS_PER_MS;
    t->age_ns = age_ns % CLOCK_NS_PER_MS;
    t->in_ns = in;
    t->out_ns = age_ns - in;
    t->cpu_ns = age_ns / 10 * 9;
    t->call = 1 + rank % CALLS;
    t->peer = t->source = t->tag = NOBODY;
}
