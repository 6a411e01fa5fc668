/* launch.h - from a job's wishes to tasks on nodes: finds the nodes, places
 * the ranks, and tells the slaves what they have to know. */
#ifndef HECTOR_LAUNCH_H
#define HECTOR_LAUNCH_H

#include <stdint.h>

#include "hct.pb-c.h"
#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

/* What the job wishes for, by its Submit: once. -1: out of memory. */
int launch_wish(struct job *j, const Hct__Submit *s);
/* These nodes from now on, all of their processors, also for a later master. -1: no
 * memory. */
int launch_rewish(struct job *j, char *const *nodes, size_t n, struct err *err);
void launch_free(struct job *j);        /* part of flow_free_job() */

/* Has its user left open where its tasks go, and in what order? */
bool launch_is_open(const struct job *j);
/* May its tasks be on that node: does it not say which, or is that one of them? */
bool launch_may(const struct job *j, const struct node *n);
uint32_t launch_per_node(const struct job *j);  /* 0: no limit */

enum launch_result {
    LAUNCH_PLACED,
    LAUNCH_MISSING,     /* hosts have to join first; *missing names them */
    LAUNCH_IMPOSSIBLE,  /* err says why */
};
enum launch_result launch_place(struct job *j, const struct nodes *nodes,
                                struct str *missing, struct err *err);

/* "4 tasks on 2 processors of vm: oversubscribed"; "" if it is not,
 * or the user has given the slots himself or does not want to hear of it. */
void launch_oversubscription(const struct job *j, struct str *text);

/* Note the placement in j->placement, once. instance makes the PMIx namespace
 * differ from those of other masters. */
int launch_seal(struct job *j, uint64_t instance, struct err *err);

/* The same once tasks are elsewhere; its namespace was given by then. */
int launch_seal_again(struct job *j, Hct__SwapGo__Arrival **arrivals, size_t n,
                      struct err *err);
/* One more node, or (jn) one that has been left, without a task: it is placed
 * and told to prepare. */
int launch_further(struct job *j, struct job_node *jn, struct node *n,
                   struct err *err);

/* Send Prepare to the nodes of the job that are there, or to one of them. */
int launch_prepare(const struct job *j, const struct job_node *only,
                   struct err *err);

#endif
