/* adopt.h - jobs whose tasks others have started.
 *
 * A session is a job that a redirector submits with adopt_socket: it has
 * nodes, but no tasks of its own to start. Tasks are reported by its slaves
 * (Adopt) with the name of the MPI world they are in. The first world is the
 * session's own job; each other one becomes a job by itself, in state
 * running, which ends when its tasks have ended:
 *
 *   session  submitted -> preparing -> starting -task-> running
 *                         -AdoptEnd, all Drained-> done | failed | killed
 *   world    starting -task-> running -tasks ended-> done | failed | killed
 *
 * What follows from a task's end, a lost node or a redirector that is gone is
 * not what follows for jobs of ours: nothing here ends a task unless somebody
 * asks for a kill by name. How a task ended its slave may know, by its kernel; the
 * exit code of a session is its launcher's, that of a world is that of the first
 * of its tasks that failed, if it is known of all of them. */
#ifndef HECTOR_MASTER_ADOPT_H
#define HECTOR_MASTER_ADOPT_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/state/job_ops.h"
#include "proto/base/err.h"

struct job;
struct job_node;
struct task;

enum { ADOPT_TASKS_MAX = 1 << 20 };

/* Make j, which is new, a session. */
int adopt_init(struct job *j, bool named, struct err *err);

/* What a master before has noted of an adopted job that is taken up again: the
 * session itself if session is j (-1: it is none), or a world, made without a
 * number yet. job.session is not looked at. */
struct adopt_past {
    struct job_past job;
    uint32_t ntasks;
    const char *name, *command;
};
int adopt_restore(struct job *j, const struct adopt_past *past);
struct job *adopt_restore_world(struct job *session,
                                const struct adopt_past *past,
                                struct err *err);

/* Words of a slave; -1: they make no sense, as of the next. */
int adopt_task(struct job *session, struct job_node *jn, const Hct__Adopt *m,
               struct err *err);

/* The redirector's word that the launcher has ended. */
int adopt_end(struct job *session, const Hct__AdoptEnd *m, struct err *err);

#endif
