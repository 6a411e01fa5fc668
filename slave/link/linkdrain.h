/* linkdrain.h - links that are closed, but whose last bytes are still on their
 * way.
 *
 * A process that ends with such a link cuts it off: the kernel resets a
 * connection that is closed with something unread. So the slave stays until
 * none is left whose peer shows that it lives. */
#ifndef HECTOR_LINKDRAIN_H
#define HECTOR_LINKDRAIN_H

#include <stdint.h>
#include <sys/queue.h>

#include <event2/event.h>

#include "proto/link/conn.h"

struct linkdrain {
    LIST_HEAD(, linkdrain_link) links;  /* owned */
    struct event *over;         /* borrowed: made active when the last one has
                                   closed; or NULL */
};

/* Close c when all is written and read; p must outlive it. */
void linkdrain_add(struct linkdrain *p, struct conn *c);

/* Turn the loop until all have closed, or those that have not are silent, or
 * max_ns have passed (0: no such limit). */
void linkdrain_wait(const struct linkdrain *p, struct event_base *base,
                    uint64_t max_ns);

#endif
