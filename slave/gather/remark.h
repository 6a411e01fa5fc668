/* remark.h - what is said of messages beside the slice of a task, see awaited.h: in
 * words, with the place in the source that they are about. */
#ifndef HECTOR_REMARK_H
#define HECTOR_REMARK_H

#include <stdint.h>

#include "slave/proc/ticks.h"
#include "slave/stacks/unwinder.h"

struct remark_task {            /* all of it borrowed */
    const char *page;
    uint32_t rank;
    const struct ticks *ticks;
};

/* Which call has taken the last message like the one that it waits for; and whose
 * message that is. Nothing if it waits for none. */
void remark_taken(struct unwinder_remark *to, const struct remark_task *t);

/* The calls that it has made last. */
void remark_lately(struct unwinder_remark *to, const struct remark_task *t);

/* Whose message it waits for; below 0: anybody's, or that is not known. */
int32_t remark_peer(const struct remark_task *t);
/* Where another task is, or was last, in MPI, that the task may wait for; both run
 * the same program. */
void remark_theirs(struct unwinder_remark *to, const struct remark_task *t,
                   const struct remark_task *other);

/* Which builds of its program and libraries it has loaded. */
void remark_loaded(struct unwinder_remark *to, const struct remark_task *t);

/* Where it has sent to this rank last. Nothing if that is not known. */
void remark_sent(struct unwinder_remark *to, const struct remark_task *t,
                 uint32_t rank);

#endif
