/* jobs.h - all jobs of this node: who a fact belongs to, and the clockwork
 * that reads rings, samples tasks and reports the node's load. */
#ifndef HECTOR_JOBS_H
#define HECTOR_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/jobs/job.h"
#include "slave/jobs/node.h"
#include "slave/page/registry.h"
#include "slave/pmix/pmix.h"
#include "slave/proc/reap.h"

struct jobs;

/* idle() is called when the last job is gone after jobs_orphan(). */
struct jobs *jobs_create(struct node *node, void (*idle)(void *arg),
                         void *arg, struct err *err);
void jobs_destroy(struct jobs *js);     /* NULL is fine */

bool jobs_any(const struct jobs *js);    /* of ours */
bool jobs_watches(const struct jobs *js);       /* tasks of others, and none of ours */
/* Whoever has started its tasks; NULL: it is not here. */
struct part *jobs_find(const struct jobs *js, uint64_t id);
void jobs_each(const struct jobs *js, void (*step)(void *to, struct part *p),
               void *to);
struct node *jobs_node(const struct jobs *js);
/* The master wants to know what tasks of a job do. */
void jobs_look(struct jobs *js, const Hct__Look *m);

/* A Prepare. A second one of a job that is here (after a reconnection) is
 * answered with what is so. */
int jobs_prepare(struct jobs *js, const Hct__Prepare *m, struct err *err);
/* The part is forgotten, or has ended itself: destroy it. */
void jobs_remove(struct jobs *js, struct part *p);

/* A master has been joined, or joined again: tell it everything. */
void jobs_tell(struct jobs *js);

/* This process is to be replaced because of its PMIx library (pmix.h). True if
 * that may be now: nothing here needs it. Else jobs that the library leaves
 * waiting are refused. */
bool jobs_renewable(struct jobs *js);

/* Is some stream link up, so that hector-run lives? */
bool jobs_linked(const struct jobs *js);
/* Do tasks run, and none of their jobs has its stream link any more? */
bool jobs_alone(const struct jobs *js);

/* Somebody has sent us a signal that is for all tasks of these jobs, wherever
 * they are; one to end is the end of the jobs. */
void jobs_pass_signal(struct jobs *js, int sig);

/* The master is gone for good, or we are to go: end all jobs, TERM first
 * unless grace_ns is 0. May call idle() at once. */
void jobs_orphan(struct jobs *js, uint64_t grace_ns);

/* Callbacks for reap.h, registry.h and pmix.h; arg is the struct jobs. */
void jobs_reaped(void *arg, pid_t pid, int status,
                 const struct reap_usage *usage);
void jobs_stopped(void *arg, pid_t tid, int status);
void jobs_stood(void *arg, pid_t pid, int sig);
int jobs_grant(void *arg, const struct page_hello *hello,
               const struct registry_peer *peer, struct err *err);
extern const struct pmixd_ops jobs_pmix_ops;

#endif
