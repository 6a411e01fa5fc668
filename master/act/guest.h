/* guest.h - jobs on a node whose owner has come back: what they are told, and what
 * becomes of those that cannot leave. */
#ifndef HECTOR_GUEST_H
#define HECTOR_GUEST_H

#include "master/act/act.h"
#include "master/state/job.h"
#include "master/state/node.h"

/* Its tasks leave: text says which, and for where. */
void guest_leaves(struct acts *a, const struct job *j, const struct node *n,
                  const char *text);

/* They cannot, for that reason: the whole job is suspended where the node says so,
 * as those on other nodes could only wait for these. */
void guest_stays(struct acts *a, struct job *j, const struct node *n,
                 const char *why);

/* An owner is gone: what was suspended for him goes on, unless another one waits. */
void guest_again(struct acts *a, struct job *j, const struct node *n);

#endif
