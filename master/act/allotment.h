/* allotment.h - what a batch system says of the job of its own that a job is in:
 * when it ends, and why it ends it.
 *
 * One rule: a job that the batch system ends is killed, with 128 + TERM, whichever
 * of its processes has heard of it first and died of it. So what the batch system
 * says is waited for before a job that failed or was killed has ended. */
#ifndef HECTOR_MASTER_ALLOTMENT_H
#define HECTOR_MASTER_ALLOTMENT_H

#include <stdbool.h>

#include "master/act/act.h"
#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/link/message.h"

/* -1: it makes no sense, close the link. */
int allotment_take(struct acts *a, struct job *j, const Hct__Allotment *m,
                   struct err *err);

/* Can this be done before it ends, as Submit has it? */
bool allotment_knows(const char *before);
/* Do it, once, when the time has come. */
void allotment_look(struct acts *a, struct job *j);

/* It has failed with a node that is not heard of any more, whatever the batch
 * system takes it for. */
void allotment_node_failed(struct acts *a, struct job *j);

/* Can the batch system be asked why it ends, as it has not said so yet? */
bool allotment_may_tell(const struct job *j);
/* It ends: is the word of the batch system on that still to come? */
bool allotment_is_due(const struct job *j);
/* Who was to bring it is gone: it is not waited for. false: it was not. */
bool allotment_left(struct acts *a, struct job *j);

#endif
