/* probe.c - looking for messages, and taking those that were found: first among
 * those that are kept. */
#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/stop/kept.h"

/* Open MPI has found one, or a kept one is given out, for the program to take. */
static int probe_found(struct kept *k, MPI_Message real, MPI_Comm comm,
                       MPI_Message *message, const MPI_Status *found)
{
    struct pending *p = k ? object_bare(OBJECT_MESSAGE)
                          : object_own(OBJECT_MESSAGE, real);

    if (!p && k)
        kept_put_back(comm_of(comm), k);
    if (!p)
        return MPI_ERR_NO_MEM;
    *message = (MPI_Message)p;
    if (p->object.predefined)
        return MPI_SUCCESS;
    pending_fill(p, PENDING_MESSAGE, CALL_Mprobe, k, 0, MPI_DATATYPE_NULL, 0, 0,
                 comm);
    if (found)
        p->status = *found;
    pending_link(p, &pending_messages);
    return MPI_SUCCESS;
}

ENTRY_EXPORT int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
                            MPI_Status *status)
{
    uint32_t before = stand_enter();
    int rc = MPI_SUCCESS;

    if (UNLIKELY(flag && kept_probe(comm_of(comm), source, tag, status))) {
        *flag = 1;
    } else {
        rc = INSIDE(Iprobe)(source, tag, object_real(comm), flag, status);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Iprobe)

ENTRY_EXPORT int PMPI_Probe(int source, int tag, MPI_Comm comm,
                           MPI_Status *status)
{
    uint32_t before = stand_enter();
    struct comm *c = comm_of(comm);
    int flag = 0, rc;

    stand_wait(before, comm_peer(c, source));
    for (;;) {
        if (kept_probe(c, source, tag, status)) {
            rc = MPI_SUCCESS;
            break;
        }
        rc = INSIDE(Iprobe)(source, tag, object_real(comm), &flag, status);
        if (rc != MPI_SUCCESS || flag)
            break;
        stand_look();
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Probe)

ENTRY_EXPORT int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag,
                             MPI_Message *message, MPI_Status *status)
{
    uint32_t before = stand_enter();
    MPI_Message real = NULL;
    struct kept *k;
    MPI_Status own;
    int rc;

    if (status == MPI_STATUS_IGNORE)
        status = &own;
    k = flag && message ? kept_take(comm_of(comm), source, tag, status) : NULL;
    if (UNLIKELY(k != NULL)) {
        *flag = 1;
        rc = probe_found(k, NULL, comm, message, NULL);
    } else {
        rc = INSIDE(Improbe)(source, tag, object_real(comm), flag,
                             message ? &real : NULL, status);
        if (rc == MPI_SUCCESS && *flag)
            rc = probe_found(NULL, real, comm, message, status);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Improbe)

ENTRY_EXPORT int PMPI_Mprobe(int source, int tag, MPI_Comm comm,
                            MPI_Message *message, MPI_Status *status)
{
    uint32_t before = stand_enter();
    struct comm *c = comm_of(comm);
    MPI_Message real = NULL;
    MPI_Status own;
    struct kept *k;
    int flag = 0, rc;

    if (status == MPI_STATUS_IGNORE)
        status = &own;
    stand_wait(before, comm_peer(c, source));
    do {
        if (message && (k = kept_take(c, source, tag, status))) {
            rc = probe_found(k, NULL, comm, message, NULL);
            break;
        }
        rc = INSIDE(Improbe)(source, tag, object_real(comm), &flag,
                             message ? &real : NULL, status);
        if (rc == MPI_SUCCESS && flag)
            rc = probe_found(NULL, real, comm, message, status);
        else if (rc == MPI_SUCCESS)
            stand_look();
    } while (rc == MPI_SUCCESS && !flag);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Mprobe)

/* The message of a handle of the program's; the handle becomes null. */
static struct kept *probe_take(MPI_Message *message, struct comm **c)
{
    struct object *o = (struct object *)*message;
    struct pending *p = (struct pending *)o;
    struct kept *k;

    *c = NULL;
    if (!o || o->predefined)
        return NULL;
    k = p->buffer;
    *c = o->comm;
    pending_unlink(p);
    if (k)
        object_settle(message, object_null(OBJECT_MESSAGE)->real);
    return k;
}

static MPI_Comm probe_comm(const struct comm *c)
{
    return c && c->object ? (MPI_Comm)c->object : MPI_COMM_NULL;
}

ENTRY_EXPORT int PMPI_Mrecv(void *buf, int count, MPI_Datatype type,
                           MPI_Message *message, MPI_Status *status)
{
    uint32_t before = stand_enter();
    MPI_Message real = message ? object_real(*message) : NULL;
    struct comm *c = NULL;
    struct kept *k = message ? probe_take(message, &c) : NULL;
    bool is_nobodys = message && *message == MPI_MESSAGE_NO_PROC;
    struct pending p = { .object = { .live = true, .kind = OBJECT_REQUEST } };
    int flag = 0, rc;

    pending_fill(&p, PENDING_RECEIVE, CALL_Mrecv, buf, count, type,
                 is_nobodys ? MPI_PROC_NULL : MPI_ANY_SOURCE, MPI_ANY_TAG,
                 probe_comm(c));
    if (k) {
        kept_give(k, buf, count, type, &p.status);
        rc = pending_take(&p, status);
    } else {
        rc = INSIDE(Imrecv)(buf, count, object_real(type),
                            message ? &real : NULL,
                            (MPI_Request *)&p.object.real);
        object_settle(message, real);
        if (rc == MPI_SUCCESS) {
            rc = INSIDE(Test)((MPI_Request *)&p.object.real, &flag, status);
            if (!flag && rc == MPI_SUCCESS) {
                pending_begin(&p);
                rc = pending_wait(&p, before, status);
            } else if (p.kind == PENDING_RECEIVE) {
                stand_received(p.peer);
            }
        }
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Mrecv)

ENTRY_EXPORT int PMPI_Imrecv(void *buf, int count, MPI_Datatype type,
                            MPI_Message *message, MPI_Request *request)
{
    uint32_t before = stand_enter();
    MPI_Message real = message ? object_real(*message) : NULL;
    struct comm *c = NULL;
    struct kept *k = message ? probe_take(message, &c) : NULL;
    int peer = message && *message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL
                                                          : MPI_ANY_SOURCE;
    MPI_Request made = NULL;
    struct pending *p;
    int rc = MPI_SUCCESS;

    if (k) {
        p = object_bare(OBJECT_REQUEST);
        if (p) {
            pending_fill(p, PENDING_RECEIVE, CALL_Imrecv, buf, count, type,
                         peer, MPI_ANY_TAG, probe_comm(c));
            kept_give(k, buf, count, type, &p->status);
            p->state = PENDING_DONE;
            *request = (MPI_Request)p;
        } else {
            rc = MPI_ERR_NO_MEM;
        }
    } else {
        rc = INSIDE(Imrecv)(buf, count, object_real(type),
                            message ? &real : NULL, request ? &made : NULL);
        object_settle(message, real);
        rc = pending_made(rc, made, request, PENDING_RECEIVE, CALL_Imrecv, buf,
                          count, type, peer, MPI_ANY_TAG, probe_comm(c), false);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Imrecv)
