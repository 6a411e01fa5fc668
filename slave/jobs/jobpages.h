/* jobpages.h - the pages of a job's tasks: given out, read, sampled. What is
 * done with one page is tally.h's. */
#ifndef HECTOR_JOBPAGES_H
#define HECTOR_JOBPAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"
#include "slave/page/registry.h"

/* Give a task its page; its descriptor or -1. The master is to be told. */
int jobpages_grant(struct job *j, const struct page_hello *hello,
                   const struct registry_peer *peer, struct err *err);
bool jobpages_any(const struct job *j);

/* Read the rings of all tasks; how many stamps there were. */
long jobpages_read(struct job *j);
/* The stamps that people watch come before what the task printed later. */
void jobpages_before_output(struct job *j, uint32_t rank);
/* The master has committed what is below upto. */
int jobpages_ack(struct job *j, uint32_t rank, uint64_t upto, struct err *err);

/* CPU time and memory of a task that runs. */
void jobpages_use(struct task *t, struct sample_proc *out);

/* To another master: the records that are not committed, and all costs. */
void jobpages_again(struct job *j);

/* What their calls have cost, besides what part.c tells: of one that has ended;
 * and of all before the end, to be called until it says that this is done. */
void jobpages_account_last(struct job *j, struct task *t);
bool jobpages_account_close(struct job *j);

#endif
