/* kept.h - messages that were received before the program asked for them, while
 * the task stood. They lie in the program's memory, packed, and are matched
 * before those that Open MPI has, which came later. */
#ifndef HECTOR_STOP_KEPT_H
#define HECTOR_STOP_KEPT_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi-wrappers/stop/comm.h"

struct kept {
    struct kept *next;
    int source, tag;
    size_t bytes;
    char data[];
};

/* How many there are on all communicators. */
extern uint64_t kept_messages;

/* Receive all that has come on this communicator and nobody has asked for. */
void kept_drain(struct comm *c);

/* Receive this one (Open MPI's handle), which was found with this status. NULL:
 * it is not received, there is no memory or it is too large. */
struct kept *kept_receive(MPI_Message *real, const MPI_Status *found);

/* The oldest that a receive would get is the caller's, and with the communicator
 * no more; NULL if there is none. What a probe says of it goes to status, which
 * may be MPI_STATUS_IGNORE. */
struct kept *kept_take_out(struct comm *c, int source, int tag,
                           MPI_Status *status);
static inline struct kept *kept_take(struct comm *c, int source, int tag,
                                     MPI_Status *status)
{
    return __builtin_expect(kept_messages != 0, 0) && c
           ? kept_take_out(c, source, tag, status) : NULL;
}
/* Nobody has received it. */
void kept_put_back(struct comm *c, struct kept *k);

/* What a probe says of the oldest; false: there is none. */
bool kept_find(struct comm *c, int source, int tag, MPI_Status *status);
static inline bool kept_probe(struct comm *c, int source, int tag,
                              MPI_Status *status)
{
    return __builtin_expect(kept_messages != 0, 0) && c &&
           kept_find(c, source, tag, status);
}

/* All of a communicator that ends. */
void kept_drop(struct comm *c);

/* Into the program's buffer; it ends. Returns the error class that the receive
 * has: the error handler was not called. */
int kept_give(struct kept *k, void *buffer, int count, MPI_Datatype type,
              MPI_Status *status);

#endif
