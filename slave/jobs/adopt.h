/* adopt.h - jobs that others have started (mpirun, srun, mpiexec) and that
 * are watched all the same.
 *
 * A session is what `hector-run --adopt` submits: a job without tasks. Its
 * slaves listen on a socket of one name on all hosts, which stands in the
 * launcher's environment with the wrapper library. A process that calls
 * MPI_Init there registers, and gets its page at once; that is all the
 * application ever waits for.
 *
 *   world    all processes of one MPI_COMM_WORLD (origin.h). The first one of
 *            a session is the session's own job, each other one a job of its
 *            own: two programs of a script, two mpiruns side by side.
 *   task     a rank of a world. A rank that registers again, because its
 *            program was followed by another one or because two processes
 *            claim it, begins a new world "NAME#2", also a job of its own:
 *            what is known of the first is never touched.
 *
 * Which job a world is the master says (Adopt, Adopted). Until it has, and
 * while there is no master, the ring is not read: nothing is lost, as the
 * wrapper waits when it is full.
 *
 *   registered -Adopted-> running - - -process gone-> over -all committed->
 *       TaskExited
 *
 * We are not the parent: that a process is gone is seen by a pidfd, how it
 * ended by what newer kernels remember of it (reap.h). Its states are those of
 * the page. Nothing is ever done to a task but what an order names it for; when
 * session, master or slave end, its page is given up and it runs on.
 *
 * Limits: the peer's uid has to be the session's; a rank must be below the
 * number of tasks that its own launcher announced; there are at most
 * ADOPT_RANKS ranks a world. A process that lies within these bounds can only
 * add a task to its own user's record. */
#ifndef HECTOR_ADOPT_H
#define HECTOR_ADOPT_H

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/node.h"
#include "slave/jobs/part.h"

enum { ADOPT_RANKS = 1 << 20 };

/* A session, by its Prepare. wake() is called when a page was given out: rings
 * have to be read. NULL only without memory. */
struct part *adopt_create(struct node *node, const Hct__Prepare *m,
                          void (*wake)(void *arg), void *arg,
                          struct err *err);

/* The master's words for sessions; others do not hear them. */
void adopt_adopted(struct part *session, const Hct__Adopted *m);
void adopt_end(struct part *session, const Hct__AdoptEnd *m);

#endif
