/* imageroute.h - how the image of a task that leaves goes to where that comes: by a
 * link to the slave there (imagelink.h), or, where that is not reached, through the
 * master. Which of the two is settled when its first piece is sent. */
#ifndef HECTOR_IMAGEROUTE_H
#define HECTOR_IMAGEROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slave/link/uplink.h"
#include "slave/move/imagelink.h"

struct imageroute {             /* made by the user: the rest is {0} */
    struct uplink *uplink;      /* borrowed */
    struct imagelink *link;     /* borrowed; NULL: through the master */
    uint64_t job;
    uint32_t rank, serial;
    bool begun, ended;          /* a piece, the last one was sent */
    uint64_t untold;            /* bytes that the master has not heard of, nor seen */
    uint64_t told_ns;           /* monotonic: when it heard last */
};

/* It is not settled yet, or too much waits to be sent. */
bool imageroute_congested(struct imageroute *r);
void imageroute_send(struct imageroute *r, const void *data, size_t bytes,
                     bool last);
/* That link is broken: is the image cut by it? What has gone is told. One that was
 * sent to its end may be whole there: who takes it knows. */
bool imageroute_cut(struct imageroute *r, const struct imagelink *l);

#endif
