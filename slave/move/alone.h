/* alone.h - a job that stands for a move whose master is gone: its tasks go on when it
 * is sure that no other slave knows better.
 *
 *   nobody may have come apart             they go on
 *   all tasks of the job are here, and     they go on, or, where they have come apart,
 *   none was told to leave                 into one more namespace, here
 *   places were given out, all have joined they go on
 *
 * All else waits for a master: a task that was told to leave may be gone, and what was
 * made of it may not go on unless its places are in the database; tasks on several
 * nodes join each other by way of a master. */
#ifndef HECTOR_ALONE_H
#define HECTOR_ALONE_H

#include "slave/jobs/job.h"

/* As in jobhook.h; again and again, as long as it is away. */
void alone_away(struct job *j);
/* To a master: it has gone on. False: it has not. */
bool alone_say(const struct job *j);

#endif
