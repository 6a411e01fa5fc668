/* job.h - the part of a job of ours, whose tasks are our children: the master's
 * orders in (part.h), facts out. States in jobstate.h.
 *
 * Nothing is decided here: tasks start, are signalled and ended on the
 * master's order only. The exception is a master that is gone for good
 * (node->orphaned): then the job ends itself, and nobody is told. */
#ifndef HECTOR_JOB_H
#define HECTOR_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/jobstate.h"
#include "slave/jobs/node.h"
#include "slave/jobs/part.h"
#include "slave/jobs/task.h"
#include "slave/launch/plan.h"
#include "slave/page/account.h"

struct job {
    struct part part;
    enum job_state state;
    struct plan *plan;          /* owned; NULL if the Prepare was no good */
    struct launch_user user;
    struct streams *streams;    /* owned */
    struct task **tasks;        /* owned: the local ones, by rank; each stays
                                   where it is while the table grows */
    size_t ntasks, tasks_cap;
    struct account account;
    bool pmix_ready, streams_ready;
    char *refusal;              /* owned: why it cannot be prepared */
    bool launched, told_prepared, told_launched, told_drained;
    bool asked;                 /* the master has ordered the end */
    uint64_t launched_ns;
    struct jobdrain *drain;     /* owned: how far its end has come */
    bool accounted;             /* what its calls cost has been told */
    unsigned losses_told;       /* see losses.h */
    struct peek_job peek;
    struct jobstop *stop;       /* owned, of jobstop.c; NULL: none is ordered */
    struct jobmove *move;       /* owned, of jobmove.c; the same */
    struct jobroom *rooms;      /* owned, of jobroom.c; NULL: there are none */
    struct jobkeep *keep;       /* owned, of jobkeep.c; the same */
    unsigned weight;            /* of its control group; 0: it has none */
    bool awaits;                /* it has no task yet: some are to come */
    void (*done)(void *arg, struct job *j);     /* orphaned and drained: may
                                                   free j */
    void *done_arg;
};

/* Begin to prepare. NULL only without memory: a job that cannot be prepared
 * exists, so that it can be refused and forgotten. */
struct part *job_create(struct node *node, const Hct__Prepare *m,
                        void (*done)(void *arg, struct job *j), void *arg,
                        struct err *err);

struct job *job_of(struct part *p);     /* NULL: others have started it */

/* Facts. */
void job_registered(struct job *j, const char *why);
bool job_reaped(struct job *j, pid_t pid, int status,
                const struct reap_usage *usage);
/* ago_ns: since then we have stood ourselves, and were not told; 0: we have not. */
bool job_stood(struct job *j, pid_t pid, int sig, uint64_t ago_ns);

/* Some more tasks are to get what it asks for of the processors. */
void job_admit(struct job *j, unsigned n);
/* One of them has got its part of each period: once all have, they need no
 * processors of their own. */
void job_reserved(struct job *j);

/* All processes of its tasks, which have been started (sweep_each()). */
void job_each_process(struct job *j, void (*f)(void *arg, pid_t pid, size_t task),
                      void *arg);

/* One more task, whose rank is above those that are there. -1: no memory. */
int job_add_task(struct job *j, uint32_t rank);
/* One more, wherever its rank stands; t is the job's then. -1: no memory. And one
 * less. */
int job_insert_task(struct job *j, struct task *t);
void job_remove_task(struct job *j, uint32_t rank);
/* Something has happened to its tasks. */
void job_look(struct job *j);
/* The task of this rank; NULL: it is not here. */
struct task *job_task(const struct job *j, uint32_t rank);

/* Tell the master what it does not know; with again, everything. */
void job_tell(struct job *j, bool again);

#endif
