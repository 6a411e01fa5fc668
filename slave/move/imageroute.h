/* imageroute.h - how the image of a task that leaves goes to where that comes:
 * by a link to the slave there (imagelink.h), past this process, or, where that
 * is not reached, through the master, in pieces. Which of the two is settled
 * when there is something of it to be sent. */
#ifndef HECTOR_IMAGEROUTE_H
#define HECTOR_IMAGEROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slave/link/uplink.h"
#include "slave/move/imagelink.h"

struct imageroute {             /* made by the user: the rest is {0} */
    struct uplink *uplink;      /* borrowed */
    struct imagelink *link;     /* owned; NULL: through the master */
    uint64_t job;
    uint32_t rank, serial;
    bool begun, ended;          /* some of it was sent, all of it was */
    uint64_t untold;            /* bytes that the master has not heard of, nor seen */
    uint64_t told_ns;           /* monotonic: when it heard last */
};

/* It is not settled yet, or too much waits to be sent. */
bool imageroute_congested(struct imageroute *r);
/* Does it go by the link? Then that reads it out of the pipe, as
 * imagelink_pass() has it. If not, it is sent in pieces. */
bool imageroute_pass(struct imageroute *r, int pipe);
void imageroute_send(struct imageroute *r, const void *data, size_t bytes);
/* So much was sent by the link. */
void imageroute_sent(struct imageroute *r, size_t bytes);
/* That was all. */
void imageroute_end(struct imageroute *r);
/* Nothing more is read out of the pipe. */
void imageroute_stop(struct imageroute *r);
/* The link is broken: is the image cut by it? What has gone is told. One that
 * was sent to its end may be whole there: who takes it knows. */
bool imageroute_cut(struct imageroute *r);
/* An image that has not ended is cut. {0} is fine. */
void imageroute_close(struct imageroute *r);

#endif
