/* job.h - the part of a job that runs on this node: the master's orders in,
 * facts out. States in jobstate.h.
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
#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "slave/jobs/jobstate.h"
#include "slave/jobs/node.h"
#include "slave/jobs/task.h"
#include "slave/launch/plan.h"
#include "slave/page/account.h"
#include "slave/page/registry.h"

struct job {
    struct job *next;           /* of the list in jobs.c */
    struct node *node;          /* borrowed */
    uint64_t id;
    enum job_state state;
    struct plan *plan;          /* owned; NULL if the Prepare was no good */
    struct launch_user user;
    struct streams *streams;    /* owned */
    struct task *tasks;         /* owned: the local ones, by rank */
    size_t ntasks;
    struct account account;
    bool pmix_ready, streams_ready;
    char *refusal;              /* owned: why it cannot be prepared */
    bool launched, told_prepared, told_launched, told_drained;
    bool asked;                 /* the master has ordered the end */
    uint64_t launched_ns;
    struct event *kill_timer;   /* owned: the grace is over */
    struct event *drain_timer;  /* owned: looks whether all is gone */
    bool swept, ended_stdtim, accounted;
    unsigned losses_told;       /* see losses.h */
    struct peek_job peek;
    uint64_t draining_ns, cut_ns;
    void (*done)(void *arg, struct job *j);     /* orphaned and drained: may
                                                   free j */
    void *done_arg;
};

/* Begin to prepare. NULL only without memory: a job that cannot be prepared
 * exists, so that it can be refused and forgotten. */
struct job *job_create(struct node *node, const Hct__Prepare *m,
                       void (*done)(void *arg, struct job *j), void *arg,
                       struct err *err);
void job_destroy(struct job *j);        /* kills nothing; NULL is fine */

/* The master's orders. -1 if the job's state does not allow it. */
int job_launch(struct job *j, struct err *err);
int job_signal(struct job *j, const char *ranks, int sig, struct err *err);
int job_hold(struct job *j, const char *ranks, bool release, struct err *err);
int job_terminate(struct job *j, const char *ranks, int sig,
                  uint64_t grace_ns, struct err *err);  /* sig 0: TERM */
int job_forget(struct job *j, struct err *err);         /* then destroy it */
int job_ack(struct job *j, uint32_t rank, uint64_t upto, struct err *err);

/* Facts. */
void job_registered(struct job *j, const char *why);
bool job_reaped(struct job *j, pid_t pid, int status,
                const struct rusage *usage);
int job_grant_page(struct job *j, const struct page_hello *hello,
                   const struct registry_peer *peer, struct err *err);

struct task *job_task(struct job *j, uint32_t rank);    /* or NULL */

/* Tell the master what it does not know; with again, everything. */
void job_tell(struct job *j, bool again);

/* Read the rings of all tasks; how many stamps there were. */
long job_read_rings(struct job *j);
/* The stamps that people watch come before what the task printed later. */
void job_before_output(struct job *j, uint32_t rank);
bool job_has_pages(const struct job *j);

/* Send TaskSamples: of all tasks that run, or of one that was reaped. */
void job_sample(struct job *j);
void job_sample_last(struct job *j, struct task *t);

/* What their calls have cost: now and then, of all; of one that has ended;
 * all of it once more, to another master; and of all before the end, to be
 * called until it says that this is done. */
void job_account(struct job *j);
void job_account_last(struct job *j, struct task *t);
void job_account_again(struct job *j);
bool job_account_close(struct job *j);

#endif
