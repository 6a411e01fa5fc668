/* pending.c - see pending.h. */
#include "mpi-wrappers/stop/pending.h"

#include <stdlib.h>

#include "mpi-wrappers/inside/entry.h"

_Static_assert(sizeof(struct pending) <= OBJECT_BYTES, "a request is too large");

struct pending pending_all = { .object.next = &pending_all.object,
                               .before = &pending_all };
struct pending pending_messages = { .object.next = &pending_messages.object,
                                    .before = &pending_messages };

_Atomic unsigned pending_freed;

int32_t pending_peer(const struct pending *p)
{
    if (p->kind == PENDING_SEND || p->kind == PENDING_RECEIVE)
        return comm_peer(p->object.comm, p->peer);
    return p->kind == PENDING_COLLECTIVE ? PAGE_NONE : PAGE_ANY;
}

int pending_made(int rc, MPI_Request real, MPI_Request *request,
                 enum pending_kind kind, unsigned call, const void *buffer,
                 int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm, bool persistent)
{
    struct pending *p;

    if (rc != MPI_SUCCESS)
        return rc;
    p = (struct pending *)object_own(OBJECT_REQUEST, real);
    *request = (MPI_Request)p;
    if (UNLIKELY(!p))
        return MPI_ERR_NO_MEM;
    if (UNLIKELY(p->object.predefined))
        return rc;
    pending_fill(p, kind, call, buffer, count, type, peer, tag, comm);
    p->persistent = persistent;
    if (!persistent)
        pending_begin(p);
    else
        pending_hold(type);
    if (persistent && p->object.comm)
        p->object.comm->lasts = true;
    if (UNLIKELY(pending_freed))
        pending_sweep();
    return rc;
}

void pending_collective(MPI_Request request, MPI_Comm comm, unsigned call)
{
    struct pending *p = pending_of(request);

    if (!p)
        return;
    pending_fill(p, comm ? PENDING_COLLECTIVE : PENDING_OTHER, call, NULL, 0,
                 MPI_DATATYPE_NULL, 0, 0, comm);
    pending_begin(p);
}

/* MPI_Comm_idup: nobody may look for messages there before. */
void pending_makes(MPI_Request request, MPI_Comm made)
{
    struct pending *p = pending_of(request);
    struct comm *c = comm_of(made);

    if (!p || !c)
        return;
    p->buffer = c;
    c->unborn = true;
}

void pending_born(struct pending *p)
{
    struct comm *c = p->buffer;

    c->unborn = false;
    p->buffer = NULL;
}

void pending_done(struct pending *p, const MPI_Status *status, int error)
{
    pending_unlink(p);
    if (p->state == PENDING_ACTIVE && p->kind == PENDING_RECEIVE &&
        !p->persistent)
        pending_release(p->type);
    if (p->kind == PENDING_COLLECTIVE && p->buffer)
        pending_born(p);
    p->state = PENDING_DONE;
    p->status = *status;
    p->status.MPI_ERROR = error;
}

/* The error handler is not to be called now. */
static int pending_finish_error(struct pending *p, MPI_Status *status)
{
    MPI_Comm real = p->object.comm && p->object.comm->object
                  ? object_real(p->object.comm->object) : NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int flag = 0, rc;

    if (!real)
        real = object_real(MPI_COMM_WORLD);
    INSIDE(Comm_get_errhandler)(real, &handler);
    INSIDE(Comm_set_errhandler)(real, object_real(MPI_ERRORS_RETURN));
    rc = INSIDE(Test)((MPI_Request *)&p->object.real, &flag, status);
    INSIDE(Comm_set_errhandler)(real, handler);
    INSIDE(Errhandler_free)(&handler);
    return rc;
}

bool pending_try(struct pending *p)
{
    MPI_Status status = { .MPI_ERROR = MPI_SUCCESS };
    int flag = 0, rc;

    rc = INSIDE(Request_get_status)(p->object.real, &flag, &status);
    if (rc != MPI_SUCCESS || !flag)
        return false;
    rc = status.MPI_ERROR;
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Test)((MPI_Request *)&p->object.real, &flag, &status);
    else
        rc = pending_finish_error(p, &status);
    if (p->kind == PENDING_RECEIVE && !p->withdrawn)
        stand_received(p->peer);
    pending_done(p, &status, rc);
    if (p->freed) {
        MPI_Request handle = (MPI_Request)p;

        pending_freed--;
        if (p->object.real != object_null(OBJECT_REQUEST)->real)
            INSIDE(Request_free)((MPI_Request *)&p->object.real);
        object_settle(&handle, object_null(OBJECT_REQUEST)->real);
    }
    return true;
}

/* Of those that nobody has a handle of, so many at most. */
static unsigned pending_find_freed(struct pending **v, unsigned most)
{
    unsigned n = 0;

    stand_lock();
    for (struct pending *p = pending_next(&pending_all);
         p != &pending_all && n < most; p = pending_next(p))
        if (p->freed)
            v[n++] = p;
    stand_unlock();
    return n;
}

/* By one thread at a time: to nobody else they are of any concern. */
void pending_sweep(void)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    struct pending **v;
    unsigned n;

    if (atomic_flag_test_and_set(&busy))
        return;
    n = pending_freed;
    v = malloc((n + 1) * sizeof(struct pending *));
    n = v ? pending_find_freed(v, n) : 0;
    for (unsigned i = 0; i < n; i++)
        pending_try(v[i]);
    free(v);
    atomic_flag_clear(&busy);
}

static int pending_tell_error(const struct pending *p, int error)
{
    void *comm = p->object.comm ? p->object.comm->object : NULL;

    if (error == MPI_SUCCESS)
        return error;
    INSIDE(Comm_call_errhandler)(object_real(comm ? comm : MPI_COMM_WORLD),
                                 error);
    return error;
}

static void pending_tell(const struct pending *p, MPI_Status *status)
{
    int error;

    if (status == MPI_STATUS_IGNORE)
        return;
    error = status->MPI_ERROR;
    *status = p->status;
    status->MPI_ERROR = error;
}

int pending_take(struct pending *p, MPI_Status *status)
{
    pending_tell(p, status);
    p->state = PENDING_IDLE;
    return pending_tell_error(p, p->status.MPI_ERROR);
}

int pending_wait(struct pending *p, uint32_t before, MPI_Status *status)
{
    int flag = 0, rc;

    stand_wait(before, pending_peer(p));
    while (p->state != PENDING_DONE) {
        INSIDE(Request_get_status)(p->object.real, &flag, MPI_STATUS_IGNORE);
        if (flag)
            break;
        stand_look();
    }
    if (p->state == PENDING_DONE)
        return pending_take(p, status);
    pending_end(p);
    rc = INSIDE(Test)((MPI_Request *)&p->object.real, &flag, status);
    return rc;
}

bool pending_is_lost(void)
{
    for (struct pending *p = pending_next(&pending_all); p != &pending_all;
         p = pending_next(p))
        if (p->kind == PENDING_RECEIVE && p->object.comm &&
            !p->object.comm->object)
            return true;
    return false;
}

static bool pending_finds(const struct comm *c)
{
    for (struct pending *p = pending_next(&pending_all); p != &pending_all;
         p = pending_next(p))
        if (p->object.comm == c)
            return true;
    for (struct pending *p = pending_next(&pending_messages);
         p != &pending_messages; p = pending_next(p))
        if (p->object.comm == c)
            return true;
    return false;
}

bool pending_has(const struct comm *c)
{
    bool has;

    stand_lock();
    has = pending_finds(c);
    stand_unlock();
    return has;
}

unsigned pending_receives(struct pending **v)
{
    unsigned n = 0;

    for (struct pending *p = pending_next(&pending_all); p != &pending_all;
         p = pending_next(p))
        if (p->kind == PENDING_RECEIVE) {
            if (v)
                v[n] = p;
            n++;
        }
    return n;
}

/* ----------------------------------------------------- freed, and cancelled */

ENTRY_EXPORT int PMPI_Request_free(MPI_Request *request)
{
    struct pending *p = request ? pending_of(*request) : NULL;
    MPI_Request real;
    uint32_t before = stand_enter();
    int rc = MPI_SUCCESS;

    if (p && p->state == PENDING_ACTIVE && p->before &&
        p->kind != PENDING_GENERALIZED && !pending_try(p)) {
        p->freed = true;
        if (p->persistent && p->kind != PENDING_RECEIVE)
            pending_release(p->type);
        p->persistent = false;
        pending_freed++;
        *request = MPI_REQUEST_NULL;
    } else if (p && p->state == PENDING_DONE && !p->persistent) {
        object_settle(request, object_null(OBJECT_REQUEST)->real);
    } else {
        real = request ? object_real(*request) : NULL;
        rc = INSIDE(Request_free)(request ? &real : NULL);
        if (p && rc == MPI_SUCCESS) {
            pending_unlink(p);
            if (p->persistent)
                pending_release(p->type);
        }
        object_settle(request, real);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Request_free)

/* A receive is withdrawn at once, or has a message. */
ENTRY_EXPORT int PMPI_Cancel(MPI_Request *request)
{
    uint32_t before = stand_pass();
    struct pending *p = request ? pending_of(*request) : NULL;
    MPI_Status status = { .MPI_ERROR = MPI_SUCCESS };
    MPI_Request real = request ? object_real(*request) : NULL;
    bool done = p && p->state == PENDING_DONE;
    int flag = 0, rc = MPI_SUCCESS;

    if (!done)
        rc = INSIDE(Cancel)(request ? &real : NULL);
    if (p && !done && rc == MPI_SUCCESS && p->kind == PENDING_RECEIVE &&
        INSIDE(Request_get_status)(real, &flag, &status) == MPI_SUCCESS && flag)
        p->withdrawn = status._cancelled;
    stand_passed(before);
    return rc;
}
ENTRY_ALIAS(Cancel)
