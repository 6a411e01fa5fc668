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
 * ended is not. Its states are those of the page. Nothing is ever done to a
 * task but what an order names it for; when session, master or slave end, its
 * page is given up and it runs on.
 *
 * Limits: the peer's uid has to be the session's; a rank must be below the
 * number of tasks that its own launcher announced; there are at most
 * ADOPT_RANKS ranks a world. A process that lies within these bounds can only
 * add a task to its own user's record. */
#ifndef HECTOR_ADOPT_H
#define HECTOR_ADOPT_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/node.h"
#include "slave/jobs/taskwalk.h"
#include "slave/jobs/world.h"

enum { ADOPT_RANKS = 1 << 20 };

struct adopts;                  /* all sessions of this slave */

/* wake() is called when a page was given out: rings have to be read. */
struct adopts *adopts_create(struct node *node, void (*wake)(void *arg),
                             void *arg);
void adopts_destroy(struct adopts *as); /* lets all go; NULL is fine */

/* The master's orders. Those about a job return false if it is none of
 * ours. */
int adopts_prepare(struct adopts *as, const Hct__Prepare *m, struct err *err);
void adopts_adopted(struct adopts *as, const Hct__Adopted *m);
void adopts_end(struct adopts *as, const Hct__AdoptEnd *m);
bool adopts_signal(struct adopts *as, const Hct__TaskSignal *m);
bool adopts_hold(struct adopts *as, const Hct__TaskHold *m);
bool adopts_terminate(struct adopts *as, const Hct__Terminate *m);
bool adopts_forget(struct adopts *as, uint64_t job);
bool adopts_ack(struct adopts *as, const Hct__EventAck *m);

/* A master has been joined, or joined again: tell it everything. */
void adopts_tell(struct adopts *as);

/* The jobs that are here; at most max numbers, returns how many there are. */
size_t adopts_list(const struct adopts *as, uint64_t *ids, size_t max);

/* Its tasks that the master knows; false: none of ours. */
bool adopts_walk(struct adopts *as, uint64_t job, taskwalk_f *step, void *to);

/* The world that is this job, *in its session; NULL: not here. */
struct adopt;
struct world *adopts_world(const struct adopts *as, uint64_t job,
                           struct adopt **in);

/* The master is gone for good: let all tasks go. */
void adopts_orphan(struct adopts *as);

/* The clockwork of jobs.c. */
long adopts_read(struct adopts *as);    /* stamps found */
bool adopts_any(const struct adopts *as);
void adopts_sample(struct adopts *as);

#endif
