/* notify.h - the command of --notify: told of each hang that a policy has found,
 * as one JSON object on its standard input.
 *
 * It is run when the hang is told; or, if the job is to be ended for it soon,
 * when that has been done, with what was saved. One at a time, each for 10 s at
 * most, and in all no longer than that after the job's end. */
#ifndef HECTOR_NOTIFY_H
#define HECTOR_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/link/message.h"

struct notify;

/* NULL: there is no command (NULL), or no memory; which all below take. command
 * is borrowed; batch: the job of a batch system that we are in, or NULL; copied. */
struct notify *notify_open(struct event_base *base, const char *command,
                           uint32_t ntasks, const char *batch);
void notify_job(struct notify *n, uint64_t job, const char *name);
void notify_finding(struct notify *n, const Hct__Finding *m);
/* The job has ended: those that wait for that are run. */
void notify_ended(struct notify *n, const Hct__JobEnded *m);
/* Nothing of it is left to be done: true. Else done is called when it is. */
bool notify_is_idle(struct notify *n, void (*done)(void *arg), void *arg);
/* It is killed if it runs, and nothing more is told; n lives until it is gone. */
void notify_stop(struct notify *n);
void notify_close(struct notify *n);

#endif
