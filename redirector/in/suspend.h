/* suspend.h - Ctrl-Z: the tasks stop, then hector-run; whoever continues it
 * continues them. */
#ifndef HECTOR_SUSPEND_H
#define HECTOR_SUSPEND_H

#include <event2/event.h>

#include "redirector/link/uplink.h"

struct suspend;

/* went_on (may be NULL) is called when somebody has continued us. NULL when memory
 * runs out. */
struct suspend *suspend_open(struct event_base *base, void (*went_on)(void *arg),
                             void *arg);

/* Stop the tasks by way of u (borrowed; NULL: none run), and then, when the
 * message is on its way, ourselves. Returns at once. */
void suspend_begin(struct suspend *s, struct uplink *u);

/* u is closed. */
void suspend_forget(struct suspend *s);
void suspend_close(struct suspend *s);  /* NULL is fine */

#endif
