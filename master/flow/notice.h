/* notice.h - what is said to the person who runs a job: by its hector-run, where
 * that is there. Nothing here is kept; what must not be lost is in the
 * database. */
#ifndef HECTOR_NOTICE_H
#define HECTOR_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/link/message.h"

struct flow;
struct job;
struct task;

/* A sentence for the person who runs the job. */
void notice(const struct job *j, bool error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A sentence for everyone who runs a job, or has submitted one. */
void notice_all(const struct flow *f, bool error, const char *text);

/* What a policy has found, in its parts. */
void notice_finding(const struct job *j, const Hct__Finding *m);

/* That it was taken, how it fares, how it has ended. */
void notice_accepted(const struct job *j);
void notice_state(const struct job *j);
void notice_ended(const struct job *j);

/* "task 1 on vm exited with code 7": how a task has ended. core: it has left
 * one. */
void notice_of_end(const struct job *j, const struct task *t, bool core,
                   char *buf, size_t size);

#endif
