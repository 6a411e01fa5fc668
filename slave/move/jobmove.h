/* jobmove.h - tasks of a job that go from here to another node, or come here, and
 * those that stay: all of them are to be members of a further PMIx namespace.
 *
 *   Swap     the namespace is registered, processes are started that are to
 *            become the tasks that come; Swapped says that both went well
 *   leases   are asked for by tasks that stand. Who leaves gets a pipe for its
 *            image, which goes to the process that waits for it, by a link to
 *            the slave there or through the master (imageroute.h); all others
 *            wait, and so do those that have come
 *   SwapGo   answers them all
 *   SwapEnd  the namespace before goes
 *
 * A task that leaves is here until all that it had printed and tagged is where
 * it belongs; it has not ended then. One that comes is a task of the job from
 * SwapGo on. */
#ifndef HECTOR_JOBMOVE_H
#define HECTOR_JOBMOVE_H

#include "hct.pb-c.h"
#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"
#include "slave/jobs/jobhook.h"
#include "slave/link/reduce_link.h"

struct registry_peer;

/* Orders, and what the master passes on from another slave. */
int jobmove_swap(struct job *j, const Hct__Swap *m, struct err *err);
int jobmove_go(struct job *j, const Hct__SwapGo *m, struct err *err);
int jobmove_end(struct job *j, const Hct__SwapEnd *m, struct err *err);
void jobmove_image(struct job *j, const Hct__Image *m);
void jobmove_credit(struct job *j, const Hct__ImageCredit *m);

/* Images from other slaves; arg is the struct jobs. */
extern const struct reduce_images jobmove_images;

/* Facts: what jobs ask, and a callback for registry.h; arg is the struct jobs. */
extern const struct jobhook jobmove_hook;
int jobmove_lease(void *arg, const struct page_lease_ask *ask,
                  const struct registry_peer *peer, int fd, struct err *err);

#endif
