/* coming.h - a process that waits for the image of a task which comes here, and
 * is to become that task. */
#ifndef HECTOR_COMING_H
#define HECTOR_COMING_H

#include <event2/event.h>
#include <sys/resource.h>

#include "slave/jobs/job.h"
#include "slave/move/imagein.h"

struct coming {
    struct task *task;          /* owned, as are the next two; NULL: none */
    struct imagein *in;
    int words;                  /* what hector-restore says; -1: closed */
};

/* rooms: memory that it takes first, as hector-restore has it; "": none. report
 * is called with arg when it may be known whether it could be run:
 * task_report(). -1: to be dropped. */
int coming_start(struct coming *c, struct job *j, uint32_t rank,
                 const char *rooms, event_callback_fn report, void *arg,
                 struct err *err);
/* It is somebody else's, who is told from now on. */
int coming_tell(struct coming *c, struct event_base *base,
                event_callback_fn report, void *arg, struct err *err);
/* Ends it, if it has not become a task of the job. {-1} is fine. */
void coming_drop(struct coming *c, struct job *j, uint32_t rank);
/* What it has said before it ended; "". */
void coming_words(const struct coming *c, char *to, size_t size);

#endif
