/* pace.h - how fast this node is: told when a master takes it, and when the quota of
 * our control group is another than before. */
#ifndef HECTOR_SLAVE_PACE_H
#define HECTOR_SLAVE_PACE_H

#include <event2/event.h>

#include "proto/base/err.h"
#include "slave/link/uplink.h"

struct pace;

/* Measures the processor, which takes some milliseconds. NULL with a sentence. */
struct pace *pace_open(struct event_base *base, struct uplink *uplink,
                       struct err *err);
void pace_close(struct pace *p);        /* NULL is fine */

/* A master has taken this node, and knows how many processors it has now. */
void pace_tell(struct pace *p);

#endif
