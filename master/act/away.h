/* away.h - where tasks of a job go that are to leave the nodes they are on. */
#ifndef HECTOR_AWAY_H
#define HECTOR_AWAY_H

#include <stdbool.h>

#include "master/state/job.h"
#include "master/state/node.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

/* May tasks go there? */
typedef bool away_may(const void *arg, const struct node *n);

/* Fill to_of, by rank, for these ranks; text (may be NULL) says which nodes these
 * are. -1 with a sentence: there is no room. */
int away_plan(const struct nodes *all, away_may *may, const void *arg,
              const struct job *j, const struct taskset *ranks,
              struct node **to_of, struct str *text, struct err *err);

#endif
