/* feed.h - standard input on its way to the tasks: joins reader.c and
 * links.c. */
#ifndef HECTOR_FEED_H
#define HECTOR_FEED_H

#include <event2/event.h>

#include "proto/base/err.h"
#include "redirector/link/links.h"

struct feed;

enum feed_terminal { FEED_PIPES, FEED_TERMINAL, FEED_TERMINAL_ALONE };

/* ranks: as --stdin has it, not "none". terminal: whether those ranks have
 * one, and are alone. links: borrowed. on_error: standard input could not be
 * read; the tasks see its end. */
struct feed *feed_open(struct event_base *base, const char *ranks,
                       enum feed_terminal terminal, struct links *links,
                       void (*on_error)(void *arg, const struct err *err),
                       void *arg, struct err *err);

/* All tasks run: every slave that has readers has come. */
void feed_started(struct feed *f);

/* The job is over: a terminal is as it was before. NULL is fine. */
void feed_stop(struct feed *f);

/* Credit, or who wants input, may have changed. */
void feed_wake(struct feed *f);
void feed_close(struct feed *f);        /* NULL is fine */

#endif
