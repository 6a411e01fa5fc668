/* pending.h - what is known of a request beyond Open MPI's handle, in the
 * object itself; and the list of those that are unfinished, in the order in
 * which they were posted.
 *
 * A request that was finished while the task stood (or by a message that had
 * been kept) is done: its status waits here for the call that asks for it. A
 * message that MPI_Mprobe has found and that is not received yet is of the same
 * form. */
#ifndef HECTOR_STOP_PENDING_H
#define HECTOR_STOP_PENDING_H

#include <mpi.h>

#include "mpi-wrappers/stop/comm.h"
#include "mpi-wrappers/inside/object.h"
#include "mpi-wrappers/stop/stand.h"

enum pending_kind {
    PENDING_OTHER,              /* of a window or file, or with nobody */
    PENDING_SEND, PENDING_RECEIVE, PENDING_COLLECTIVE, PENDING_GENERALIZED,
    PENDING_MESSAGE
};
enum pending_state {
    PENDING_IDLE,               /* persistent, not started */
    PENDING_ACTIVE,
    PENDING_DONE
};

struct pending {                /* object.comm: on which it is; may be NULL */
    struct object object;       /* first: what the handle points to */
    struct pending *before;     /* in the list, with object.next; NULL: in none */
    void *buffer;               /* a message's: struct kept, or NULL; of a
                                   collective: struct comm that it makes; of a
                                   generalized request: callback.h */
    void *type;                 /* the program's handle; of a receive, and what
                                   is persistent, its object is held */
    int count, peer, tag;
    uint16_t call;              /* that made it, enum call_id */
    uint8_t kind, state;
    bool persistent;
    bool freed;                 /* no handle is left, it only has to end */
    bool withdrawn;             /* a receive that was cancelled */
    MPI_Status status;          /* when done; its error is the request's */
};

/* Before the first, and behind the last one; linked by object.next. */
extern struct pending pending_all, pending_messages;

static inline struct pending *pending_next(const struct pending *p)
{
    return (struct pending *)(void *)p->object.next;
}

static inline void pending_hold(void *type)
{
    stand_lock();
    object_hold(type);
    stand_unlock();
}

static inline void pending_release(void *type)
{
    stand_lock();
    object_release(type);
    stand_unlock();
}

static inline void pending_link(struct pending *p, struct pending *list)
{
    struct pending *last;

    stand_lock();
    last = list->before;
    p->before = last;
    p->object.next = &list->object;
    last->object.next = &p->object;
    list->before = p;
    stand_unlock();
}

static inline void pending_unlink(struct pending *p)
{
    stand_lock();
    if (LIKELY(p->before)) {
        p->before->object.next = p->object.next;
        pending_next(p)->before = p->before;
        p->before = NULL;
    }
    stand_unlock();
}

static inline void pending_fill(struct pending *p, enum pending_kind kind,
                                unsigned call, const void *buffer, int count,
                                MPI_Datatype type, int peer, int tag,
                                MPI_Comm comm)
{
    p->object.comm = comm_of(comm);
    p->before = NULL;
    p->buffer = (void *)(uintptr_t)buffer;
    p->type = type;
    p->count = count;
    p->peer = peer;
    p->tag = tag;
    p->call = (uint16_t)call;
    p->kind = peer == MPI_PROC_NULL ? PENDING_OTHER : (uint8_t)kind;
    p->state = PENDING_IDLE;
    p->persistent = p->freed = p->withdrawn = false;
}

static inline void pending_begin(struct pending *p)
{
    p->state = PENDING_ACTIVE;
    p->withdrawn = false;
    if (p->kind == PENDING_RECEIVE && !p->persistent)
        pending_hold(p->type);
    pending_link(p, &pending_all);
}

void pending_born(struct pending *p);

/* Open MPI has finished it, and the program knows. */
static inline void pending_end(struct pending *p)
{
    if (p->state != PENDING_ACTIVE)
        return;
    p->state = PENDING_IDLE;
    pending_unlink(p);
    if (p->kind == PENDING_RECEIVE) {
        if (!p->withdrawn)
            stand_received(p->peer);
        if (!p->persistent)
            pending_release(p->type);
    } else if (UNLIKELY(p->kind == PENDING_COLLECTIVE && p->buffer)) {
        pending_born(p);
    }
}

/* Is it one of which something is kept here? The handle may be a null one. */
static inline struct pending *pending_of(MPI_Request request)
{
    struct object *o = (struct object *)request;

    return o && !o->predefined ? (struct pending *)o : NULL;
}

/* World rank of whom it waits for, PAGE_NONE of a collective, or PAGE_ANY. */
int32_t pending_peer(const struct pending *p);

/* After a call that made a request: what Open MPI gave, for the program. */
int pending_made(int rc, MPI_Request real, MPI_Request *request,
                 enum pending_kind kind, unsigned call, const void *buffer,
                 int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm, bool persistent);
/* The same of a message that is under way, without a call of a function. */
extern _Atomic unsigned pending_freed;  /* that no handle is left of */
static inline int pending_message(int rc, MPI_Request real,
                                  MPI_Request *request,
                                  enum pending_kind kind, unsigned call,
                                  const void *buffer, int count,
                                  MPI_Datatype type, int peer, int tag,
                                  MPI_Comm comm)
{
    struct object *o = object_spare, *null = (struct object *)MPI_REQUEST_NULL;
    struct pending *p = (struct pending *)o;

    if (UNLIKELY(rc != MPI_SUCCESS || !o || real == null->real ||
                       GET(pending_freed)))
        return pending_made(rc, real, request, kind, call, buffer, count, type,
                            peer, tag, comm, false);
    object_spare = o->next;
    *o = (struct object){ .real = real, .kind = OBJECT_REQUEST, .live = true,
                          .refs = 1, .fortran = -1 };
    *request = (MPI_Request)o;
    pending_fill(p, kind, call, buffer, count, type, peer, tag, comm);
    pending_begin(p);
    return MPI_SUCCESS;
}

/* A request that is none that MPI defines, and of which Open MPI has left real:
 * object_settle(), likewise. */
static inline void pending_settle(MPI_Request *request, MPI_Request real)
{
    struct object *o = (struct object *)*request;
    struct object *null = (struct object *)MPI_REQUEST_NULL;

    if (UNLIKELY(real != null->real || o->kept || o->fortran >= 0)) {
        object_settle(request, real);
        return;
    }
    *request = MPI_REQUEST_NULL;
    o->live = false;
    o->next = object_spare;
    object_spare = o;
}

void pending_collective(MPI_Request request, MPI_Comm comm, unsigned call);
void pending_makes(MPI_Request request, MPI_Comm made);

/* Done, without Open MPI: the status is here. */
void pending_done(struct pending *p, const MPI_Status *status, int error);

/* Is it finished? If so it is done, and Open MPI's is gone (or inactive). No
 * error handler is called. */
bool pending_try(struct pending *p);

/* Waits for one that has no object: a blocking call's own. Calls the error
 * handler, and returns what it does. */
int pending_wait(struct pending *p, uint32_t before, MPI_Status *status);

/* One that is done is given to the caller, and ends. */
int pending_take(struct pending *p, MPI_Status *status);

/* Those that nobody has a handle of are forgotten when they are finished. */
void pending_sweep(void);

/* A receive on a communicator that has been freed: nobody can post it again. */
bool pending_is_lost(void);

/* Has anybody this communicator yet? */
bool pending_has(const struct comm *c);

/* Unfinished receives, in the order in which they were posted, into v if that
 * is not NULL; how many there are. */
unsigned pending_receives(struct pending **v);

#endif
