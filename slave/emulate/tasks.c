/* tasks.c - what a task that is not there would be doing. */
#include "slave/emulate/tasks.h"

#include "policies/hct_policy.h"
#include "proto/base/clock.h"

enum { CALLS = 100, NOBODY = -1 };      /* NOBODY: PAGE_NONE */

/* Each ten microseconds are a step, a hundred steps a round. */
static bool is_in_mpi(uint32_t rank, uint64_t age_ns)
{
    return (age_ns / 10000 + rank) % 100 < 10 + rank % 50;
}

void tasks_state(struct tasks_state *s, uint32_t rank, uint64_t age_ns)
{
    uint64_t in = age_ns / 100 * (10 + rank % 50);

    *s = (struct tasks_state){
        .calls = age_ns / CLOCK_NS_PER_MS, .in_ns = in, .out_ns = age_ns - in,
        .age_ns = age_ns % CLOCK_NS_PER_MS, .call = 1 + rank % CALLS,
        .in_mpi = is_in_mpi(rank, age_ns) };
}

static uint64_t cpu_ns(const struct tasks_state *s)
{
    return (s->in_ns + s->out_ns) / 10 * 9;
}

void tasks_sample(Hct__TaskSamples__Task *t, uint32_t rank,
                  const struct tasks_state *s)
{
    hct__task_samples__task__init(t);
    t->rank = rank;
    t->mpi_calls = s->calls;
    t->in_mpi_ns = s->in_ns;
    t->out_mpi_ns = s->out_ns;
    t->cpu_ns = cpu_ns(s);
    t->cpu_in_mpi_ns = s->in_ns / 10 * 9;
    t->call = s->in_mpi ? s->call : 0;
    t->rss_bytes = 100 << 20;
}

void tasks_look(Hct__Looked__Task *t, uint32_t rank,
                const struct tasks_state *s)
{
    hct__looked__task__init(t);
    t->rank = rank;
    t->life = HCT_LIFE_RUNNING;
    t->flags = HCT_OBSERVED | HCT_PAGE | (s->in_mpi ? HCT_IN_MPI : 0u);
    t->threads = 1;
    t->threads_in = s->in_mpi;
    t->calls = s->calls;
    t->age_ns = s->age_ns;
    t->in_ns = s->in_ns;
    t->out_ns = s->out_ns;
    t->cpu_ns = cpu_ns(s);
    t->call = s->call;
    t->site = s->site;
    t->site_calls = s->site_calls;
    t->peer = t->source = t->tag = NOBODY;
}

void tasks_exit(Hct__TaskExited *t, uint32_t rank,
                const struct tasks_state *s)
{
    t->rank = rank;
    t->mpi_calls = s->calls;
    t->in_mpi_ns = s->in_ns;
    t->out_mpi_ns = s->out_ns;
    t->user_ns = cpu_ns(s);
}
