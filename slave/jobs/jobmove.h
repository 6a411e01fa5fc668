/* jobmove.h - tasks of a job that go from here to another node, or come here, and
 * those that stay: all of them are to be members of a further PMIx namespace.
 *
 *   Swap     the namespace is registered, processes are started that are to
 *            become the tasks that come; Swapped says that both went well
 *   leases   are asked for by tasks that stand. Who leaves gets a pipe for its
 *            image, which goes to the process that waits for it; all others
 *            wait, and so do those that have come
 *   SwapGo   answers them all
 *   SwapEnd  the namespace before goes
 *
 * A task that leaves is here until all that it had printed and tagged is where
 * it belongs; it has not ended then. One that comes is a task of the job from
 * SwapGo on. */
#ifndef HECTOR_JOBMOVE_H
#define HECTOR_JOBMOVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "hct.pb-c.h"
#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"

struct registry_peer;

/* Orders, and what is passed on from another slave. */
int jobmove_swap(struct job *j, const Hct__Swap *m, struct err *err);
int jobmove_go(struct job *j, const Hct__SwapGo *m, struct err *err);
int jobmove_end(struct job *j, const Hct__SwapEnd *m, struct err *err);
void jobmove_image(struct job *j, const Hct__Image *m);
void jobmove_credit(struct job *j, const Hct__ImageCredit *m);

/* Facts. A lease was asked for: fd is taken unless it is refused (-1). */
int jobmove_lease(struct job *j, const struct page_lease_ask *ask,
                  const struct registry_peer *peer, int fd, struct err *err);
/* The latest namespace is known to PMIx, or cannot be. False: that is not about a
 * move. */
bool jobmove_registered(struct job *j, const char *why);
/* A process of ours has ended; false: it is none that comes or leaves. */
bool jobmove_reaped(struct job *j, pid_t pid, int status,
                    const struct rusage *usage);
/* Records were acknowledged, or streams have moved. */
void jobmove_look(struct job *j);

/* The task of this rank that comes; NULL: there is none. */
struct task *jobmove_task(const struct job *j, uint32_t rank);
/* Tasks drop their library: what PMIx says of that is no end. */
bool jobmove_swaps(const struct job *j);
/* Some may still come, so a part without tasks is not over. */
bool jobmove_awaits(const struct job *j);

/* The job ends, or is freed: nothing comes or leaves any more. */
void jobmove_drop(struct job *j);

#endif
