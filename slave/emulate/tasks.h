/* tasks.h - what a task that is not there would be doing: computed from its
 * rank and the virtual time. Tasks are in MPI for 10 to 59 per cent of their
 * time, which differs, and change often. */
#ifndef HECTOR_EMULATE_TASKS_H
#define HECTOR_EMULATE_TASKS_H

#include "proto/message.h"
#include "proto/taskset.h"

void tasks_sample(Hct__TaskSamples__Task *t, uint32_t rank, uint64_t age_ns);
void tasks_look(Hct__Looked__Task *t, uint32_t rank, uint64_t age_ns);

#endif
