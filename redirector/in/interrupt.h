/* interrupt.h - the signals hector-run gets, handed to the event loop.
 *
 * HUP and TSTP that were ignored when we were started (nohup) stay so. INT and
 * QUIT do not: a shell script that starts us with "&" has them ignored, and
 * its author still means what he sends. */
#ifndef HECTOR_INTERRUPT_H
#define HECTOR_INTERRUPT_H

#include <event2/event.h>

#include "proto/base/err.h"

/* What a signal means for the job. */
enum interrupt_kind {
    INTERRUPT_NONE,             /* it is left as it is */
    INTERRUPT_END,              /* INT TERM HUP QUIT: end it */
    INTERRUPT_FORWARD,          /* USR1 USR2 ALRM ...: the tasks' affair */
    INTERRUPT_STOP,             /* TSTP: tasks stop, then we */
    INTERRUPT_CHILD,
};

struct interrupt;
struct interrupt *interrupt_open(struct event_base *base,
                                 void (*on_signal)(void *arg,
                                                   enum interrupt_kind kind,
                                                   int sig),
                                 void *arg, struct err *err);
void interrupt_close(struct interrupt *in);     /* NULL is fine */

#endif
