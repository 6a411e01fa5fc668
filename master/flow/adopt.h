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
 * asks for a kill by name. How a task ended is not known; the exit code of a
 * session is its launcher's, that of a world is not known. */
#ifndef HECTOR_MASTER_ADOPT_H
#define HECTOR_MASTER_ADOPT_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/state/adopted.h"
#include "master/state/node.h"
#include "proto/base/err.h"

struct job;
struct job_node;
struct task;

enum { ADOPT_TASKS_MAX = 1 << 20 };

/* Make j, which is new, a session. */
int adopt_init(struct job *j, bool named, struct err *err);
void adopt_fini(struct job *j);         /* part of flow_free_job() */
bool adopt_is_session(const struct job *j);

/* What a master before has noted of an adopted job that is taken up again: the
 * session itself if session is j; world may be NULL. A world is made, without
 * a number yet. */
struct adopt_past {
    uint32_t ntasks;
    const char *name, *command, *world;
    bool closing, known, left;
    int code;
};
int adopt_restore(struct job *j, const struct adopt_past *past);
struct job *adopt_restore_world(struct job *session,
                                const struct adopt_past *past);
/* A task of it, which is to be filled in: a rank below ntasks. NULL: no. */
struct task *adopt_restore_task(struct job *j, struct node *n, uint64_t rank);

/* The session's nodes, instead of a placement. */
int adopt_place(struct job *j, struct node *const *nodes, size_t n,
                struct err *err);

/* Words of a slave; -1: they make no sense. */
int adopt_task(struct job *session, struct job_node *jn, const Hct__Adopt *m,
               struct err *err);
void adopt_task_ended(struct job *j, struct task *t, bool finalized);
void adopt_drained(struct job *session, struct job_node *jn);

/* A new world has its number: tell the slaves. */
void adopt_accepted(struct job *w);

/* The redirector's word that the launcher has ended. */
void adopt_end(struct job *session, const Hct__AdoptEnd *m);

/* Watch the job no more; its tasks run on. */
void adopt_release(struct job *j, const char *why, uint64_t grace_ns);

/* A node of the job is lost, and its tasks with it for us. */
void adopt_node_lost(struct job *j, const char *why);
/* It is back: give it those orders again that it may not have heard. */
void adopt_order_again(struct job *j, struct job_node *jn);

/* The time for stragglers of a world is over. */
void adopt_timer(struct job *j);

/* Its nodes should be through with it. */
bool adopt_is_over(const struct job *j);

#endif
