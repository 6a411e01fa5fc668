/* control.h - Signal, Hold and Kill: from a redirector for its own job, from an
 * operator for any, who gets a Result with a sentence. */
#ifndef HECTOR_CONTROL_H
#define HECTOR_CONTROL_H

#include "master/act/act.h"
#include "master/act/drain.h"
#include "master/move/mover.h"
#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/link/message.h"

/* own is the link of a redirector, NULL for an operator. -1 with a sentence
 * when nothing was done. */
int control_signal(struct acts *a, struct jobs *jobs, const struct conn *own,
                   const Hct__Signal *m, struct err *err);
/* A batch system has sent it to a slave of the job. It sends it to many, and
 * perhaps to hector-run: the tasks get it once. One to end ends the job as if
 * hector-run had got it. -1: a slave may not say so. */
int control_passed_signal(struct acts *a, struct job *j,
                          const struct job_node *jn, const Hct__Signal *m,
                          struct err *err);
/* What an operator hears is left in text. */
int control_hold(struct acts *a, struct jobs *jobs, const struct conn *own,
                 const Hct__Hold *m, char *text, size_t size, struct err *err);
int control_priority(struct acts *a, struct jobs *jobs, const Hct__Priority *m,
                     char *text, size_t size, struct err *err);
/* The same. */
int control_calendar(struct acts *a, struct jobs *jobs, const Hct__Calendar *m,
                     struct str *text, struct err *err);
/* Which tasks are behind? */
int control_ask(struct jobs *jobs, const Hct__Ask *m, struct err *err);
int control_kill(struct acts *a, struct jobs *jobs, const struct conn *own,
                 const Hct__Kill *m, struct err *err);
/* asker hears of each step, and of the end; not if this is -1. */
int control_migrate(struct acts *a, struct movers *all, struct jobs *jobs,
                    struct nodes *nodes, struct conn *asker,
                    const Hct__Migrate *m, struct err *err);

/* The same. */
int control_save(struct acts *a, struct movers *all, struct jobs *jobs,
                 struct conn *asker, const Hct__Save *m, struct err *err);

/* asker hears of each job, and of the end; not if this is -1. */
int control_drain(struct acts *a, struct drains *all, struct conn *asker,
                  const Hct__Drain *m, struct err *err);

#endif
