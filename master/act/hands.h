/* hands.h - what hands do to the tasks of a job that runs on: suspend, resume,
 * end some of them, signal them. */
#ifndef HECTOR_HANDS_H
#define HECTOR_HANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"
#include "proto/link/message.h"

struct journal;

/* How many tasks of the set would change. -1: none of them runs, or all are
 * being ended. */
long hands_check(const struct job *j, const struct taskset *ranks,
                 enum hold_event ev, struct err *err);

/* Take the step for all of them that run, and note it. Returns whether any has
 * changed: the slaves are to be told after the commit, by hands_send(). */
bool hands_order(struct journal *jn, struct job *j,
                 const struct taskset *ranks, enum hold_event ev);

/* Orders that are not carried out yet, to one node or (NULL) to all. */
void hands_send(struct job *j, const struct job_node *only);

/* At once. -1: none of these tasks is there. */
int hands_signal(struct job *j, const struct taskset *ranks, int number,
                 struct err *err);

/* What a slave says about a task on that node. -1: it makes no sense. */
int hands_held(struct journal *jn, struct job *j, const struct job_node *on,
               const Hct__Held *m, struct err *err);

/* A task stands no more, at that time of its node: it goes on, or has ended. */
void hands_over(struct task *t, uint64_t at_ns);

#endif
