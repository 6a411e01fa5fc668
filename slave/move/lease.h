/* lease.h - what a task gets that has dropped its MPI library and asks where it goes
 * on (struct page_lease): the environment of its place; and what is known of one that
 * was elsewhere, or was made of an image. */
#ifndef HECTOR_LEASE_H
#define HECTOR_LEASE_H

#include "hct.pb-c.h"
#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"

struct registry_peer;

/* The answer goes to fd, which is closed: its place here. */
void lease_give(struct job *j, uint32_t rank, int fd);

/* Is it that task, of that user? -1 with err. */
int lease_check(const struct job *j, const struct task *t,
                const struct page_lease_ask *ask,
                const struct registry_peer *peer, struct err *err);

/* What was known of it, if m has that. -1: no memory. */
int lease_know(struct job *j, struct task *t, const Hct__SwapGo *m);

/* A task that is made of the image in a file asks: from now on it is one as any
 * other. Its page says then that it need not stand. */
int lease_restored(struct job *j, struct task *t, int fd, struct err *err);

#endif
