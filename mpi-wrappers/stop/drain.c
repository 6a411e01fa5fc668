/* drain.c - see drain.h. Calls no function of the program's and gives nothing to
 * it: what is finished is told when the program asks. */
#include "mpi-wrappers/stop/drain.h"

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/stop/kept.h"
#include "mpi-wrappers/stop/pending.h"

/* A message that MPI_Mprobe has found is received, and its handle lives on. */
static void drain_message(struct pending *p)
{
    MPI_Status status = { .MPI_ERROR = MPI_SUCCESS };
    MPI_Message real = p->object.real;
    struct kept *k;

    if (p->buffer)
        return;
    status.MPI_SOURCE = p->status.MPI_SOURCE;
    status.MPI_TAG = p->status.MPI_TAG;
    status._ucount = p->status._ucount;
    k = kept_receive(&real, &status);
    if (!k)
        return;
    p->buffer = k;
    p->object.real = real;
}

void drain_arrived(void)
{
    for (struct comm *c = comm_all.next; c != &comm_all; c = c->next)
        if (!c->unborn)
            kept_drain(c);
}

uint32_t drain_once(void)
{
    struct pending *next;
    uint32_t n = 0;

    for (struct pending *p = pending_next(&pending_all); p != &pending_all;
         p = next) {
        next = pending_next(p);
        if (p->kind != PENDING_GENERALIZED && !pending_try(p))
            n += p->kind == PENDING_SEND || p->kind == PENDING_COLLECTIVE;
    }
    for (struct pending *p = pending_next(&pending_messages);
         p != &pending_messages; p = pending_next(p))
        drain_message(p);
    drain_arrived();
    return n;
}
