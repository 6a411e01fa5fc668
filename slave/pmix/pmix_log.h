/* pmix_log.h - what the PMIx library writes for people.
 *
 * It writes to standard error, which is the user's under hector-run, in words
 * that say a line of its own source; most of it is about tasks that went while
 * it spoke with them. Here it becomes a line of our log: a warning until the
 * server has started, where it may be the only reason there is, and then only
 * for those who asked for more. What we make of it is told by others. */
#ifndef HECTOR_PMIX_LOG_H
#define HECTOR_PMIX_LOG_H

#include <event2/event.h>

#include "proto/base/err.h"

struct pmix_log;

/* Before the library is started, which looks for it in the environment. One in
 * a process: the library has one place to write to. NULL with err. */
struct pmix_log *pmix_log_open(struct event_base *base, struct err *err);

/* The server has started, or has not: out of the environment again, and what
 * was written so far is a warning. */
void pmix_log_started(struct pmix_log *l);

/* When the library writes no more. NULL is fine. */
void pmix_log_close(struct pmix_log *l);

#endif
