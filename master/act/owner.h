/* owner.h - the owner of a node that is lent to jobs while he is not there (the Hector
 * paper, section 2: "workstations can be released back to their owner on demand").
 * When he comes back the node takes no new tasks and those that are there leave; when
 * he is gone it takes tasks again, unless an operator has drained it. */
#ifndef HECTOR_OWNER_H
#define HECTOR_OWNER_H

#include "hct.pb-c.h"
#include "master/act/act.h"
#include "master/act/drain.h"
#include "master/state/job.h"
#include "master/state/node.h"

struct owners { struct acts *acts; struct drains *drains; struct jobs *jobs; };

/* What the slave of that node says; NULL: nothing. What is known already changes
 * nothing. */
void owner_told(const struct owners *o, struct node *n, const Hct__Owner *m);

#endif
