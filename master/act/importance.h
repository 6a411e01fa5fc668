/* importance.h - how important a job is, as people have asked for it, and what its
 * tasks have of the processors for that, as their slaves say. */
#ifndef HECTOR_IMPORTANCE_H
#define HECTOR_IMPORTANCE_H

#include "master/act/act.h"
#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/conf/priority.h"
#include "proto/link/message.h"

struct journal;

/* May it be asked for? What is not more than now (NULL: there is no job yet) always
 * may. -1 with a sentence: no. */
int importance_allowed(const struct acts_conf *conf, const struct priority *p,
                       const struct priority *now, struct err *err);

/* Note it, so that a later master and a node that comes to the job have it too: the
 * slaves are to be told after the commit, by importance_send(). */
int importance_order(struct journal *jn, struct job *j, const struct priority *p,
                     struct err *err);

/* Of what is due in a job, what comes round in it: texts of s, in a list that is the
 * caller's to free. */
size_t importance_periods(const Hct__Submit *s, char ***v);

/* To one node or (NULL) to all, if they may not know. */
void importance_send(const struct job *j, const struct job_node *only);

/* What a slave says about a task on that node. -1: it makes no sense. */
int importance_scheduled(struct acts *a, struct job *j, struct job_node *on,
                         const Hct__Scheduled *m, struct err *err);

#endif
