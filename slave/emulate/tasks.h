/* tasks.h - what a task that is not there would be doing: computed from its
 * rank and the virtual time, unless a ledger knows better. Tasks are in MPI
 * for 10 to 59 per cent of their time, which differs, and change often. */
#ifndef HECTOR_EMULATE_TASKS_H
#define HECTOR_EMULATE_TASKS_H

#include <stdbool.h>

#include "proto/base/taskset.h"
#include "proto/link/message.h"

struct tasks_state {
    uint64_t calls, in_ns, out_ns;
    uint64_t age_ns;            /* since it entered or left MPI */
    uint32_t call;              /* this one, or the last one */
    uint32_t site;              /* of the call, as in the page; 0: not known */
    uint64_t site_calls;
    bool in_mpi;
};
void tasks_state(struct tasks_state *s, uint32_t rank, uint64_t age_ns);

void tasks_sample(Hct__TaskSamples__Task *t, uint32_t rank,
                  const struct tasks_state *s);
void tasks_look(Hct__Looked__Task *t, uint32_t rank,
                const struct tasks_state *s);
void tasks_exit(Hct__TaskExited *t, uint32_t rank,
                const struct tasks_state *s);

#endif
