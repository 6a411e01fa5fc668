/* rebuild_request.c - see rebuild_request.h. Receives are posted again in their
 * order, those of calls that wait as well; so messages come to the same ones. */
#include "mpi-wrappers/swap/rebuild_request.h"

#include <stdlib.h>

#include "mpi-wrappers/inside/grow.h"
#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/layer/callback.h"
#include "mpi-wrappers/swap/rebuild_type.h"

struct again {
    struct pending *pending;
    struct rebuild_type *type;  /* NULL: it has none */
};

static struct {
    struct again *v;            /* owned */
    size_t n, room;
} requests;

static int read_pending(struct pending *p)
{
    struct again *v = grow(requests.v, requests.n, &requests.room, 64,
                           sizeof(*v)), *a;

    if (!v)
        return MPI_ERR_NO_MEM;
    requests.v = v;
    a = &requests.v[requests.n++];
    *a = (struct again){ p, NULL };
    if (p->kind == PENDING_GENERALIZED)
        return MPI_SUCCESS;
    a->type = rebuild_type_get(object_real(p->type));
    return a->type ? MPI_SUCCESS : MPI_ERR_TYPE;
}

/* Those that are not started are in no list. */
static int read_one(struct object *o, void *arg)
{
    struct pending *p = (struct pending *)o;

    (void)arg;
    return p->persistent && p->state != PENDING_ACTIVE ? read_pending(p)
                                                       : MPI_SUCCESS;
}

int rebuild_request_read(void)
{
    int rc = MPI_SUCCESS;

    for (struct pending *p = pending_next(&pending_all);
         p != &pending_all && rc == MPI_SUCCESS; p = pending_next(p))
        rc = p->kind == PENDING_RECEIVE || p->kind == PENDING_GENERALIZED
           ? read_pending(p) : MPI_ERR_PENDING;
    for (struct pending *p = pending_next(&pending_messages);
         p != &pending_messages && rc == MPI_SUCCESS; p = pending_next(p))
        if (!p->buffer)
            rc = MPI_ERR_NO_MEM;
    return rc == MPI_SUCCESS ? object_each(OBJECT_REQUEST, read_one, NULL) : rc;
}

/* ------------------------------------------------------------------ make */

typedef int init_f(const void *buffer, int count, MPI_Datatype type, int peer,
                   int tag, MPI_Comm comm, MPI_Request *request);

static int make_request(const struct again *a, MPI_Request *to)
{
    const struct pending *p = a->pending;
    MPI_Datatype type = a->type ? rebuild_type_now(a->type) : NULL;
    MPI_Comm comm;
    int rc;

    if (p->kind == PENDING_GENERALIZED)
        return callback_generalized_again(p->buffer, to);
    comm = object_real(p->object.comm->object);
    if (!p->persistent)
        return INSIDE(Irecv)(p->buffer, p->count, type, p->peer, p->tag, comm,
                             to);
    rc = ((init_f *)inside_get(p->call))(p->buffer, p->count, type, p->peer,
                                         p->tag, comm, to);
    return rc == MPI_SUCCESS && p->state == PENDING_ACTIVE ? INSIDE(Start)(to)
                                                           : rc;
}

/* The program may have freed its type: then nobody else tells. */
static void make_held(const struct again *a)
{
    struct object *type = a->type ? a->pending->type : NULL;

    if (type && !type->live)
        type->real = rebuild_type_now(a->type);
}

/* What is done, or is a message that lies here, has none of Open MPI's. */
static int make_null(struct object *o, void *arg)
{
    (void)arg;
    o->real = object_null((enum object_kind)o->kind)->real;
    return MPI_SUCCESS;
}

int rebuild_request_make(void)
{
    int rc = MPI_SUCCESS;

    object_each(OBJECT_REQUEST, make_null, NULL);
    object_each(OBJECT_MESSAGE, make_null, NULL);
    for (size_t i = 0; i < requests.n && rc == MPI_SUCCESS; i++) {
        struct again *a = &requests.v[i];
        MPI_Request real = NULL;

        rc = make_request(a, &real);
        a->pending->object.real = real;
        make_held(a);
    }
    return rc;
}

void rebuild_request_end(void)
{
    free(requests.v);
    requests.v = NULL;
    requests.n = requests.room = 0;
}
