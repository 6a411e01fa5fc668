/* progress.h - one line on the terminal while a start takes its time.
 *
 * Nothing is shown during the first second, nor ever in a pipe. */
#ifndef HECTOR_PROGRESS_H
#define HECTOR_PROGRESS_H

#include <event2/event.h>

struct progress;

/* NULL when memory runs out. */
struct progress *progress_open(struct event_base *base);

/* What is being waited for: a word of the jobs view. */
void progress_set(struct progress *p, const char *state);

/* It has started, or never will: the line goes. */
void progress_end(struct progress *p);
void progress_close(struct progress *p);        /* NULL is fine */

#endif
