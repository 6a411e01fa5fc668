/* loop.h - an event loop whose timers are exact: deadlines of lines and
 * time-outs are in ms, not in ticks. */
#ifndef HECTOR_LOOP_H
#define HECTOR_LOOP_H

#include <event2/event.h>

struct event_base *loop_open(void);     /* NULL without memory */

#endif
