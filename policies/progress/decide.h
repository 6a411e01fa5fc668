/* decide.h - who waits for whom, by what is exact: numbers of collective calls
 * on each communicator, messages that are missing between two tasks, and who
 * sleeps where others are. */
#ifndef HCT_DECIDE_H
#define HCT_DECIDE_H

#include "policies/deadlock/deadlock.h"
#include "policies/progress/nodes.h"

enum { DECIDE_WANTED = 256 };   /* collective calls that tasks wait in, at most */

/* Adds edges to g. The snapshot has detail. */
void decide_collectives(struct nodes *g, const struct nodes_task *t,
                        const struct hct_snapshot *in);
void decide_messages(struct nodes *g, const struct nodes_task *t,
                     const struct hct_snapshot *in);

/* By the wait-for graph (deadlock.h): of tasks that can only be released by
 * each other, whom each waits for that nothing has been said of yet; but nobody
 * for those that wait for him by what is exact: his part is missing, while theirs
 * has come, and does not fit what he waits for. w has an entry for each rank. */
void decide_waits(struct nodes *g, const struct nodes_task *t,
                  const struct hct_snapshot *in, struct deadlock_rank *w);

#endif
