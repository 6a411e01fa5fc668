/* message.c - messages from one task to another: blocking calls are non-blocking
 * ones that are waited for here, where the task can be brought to stand. */
#include <stdlib.h>

#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/stop/kept.h"
#include "mpi-wrappers/layer/message.h"

enum { MESSAGE_SMALL = 16,      /* elements of what MPI defines, of 32 bytes each */
       MESSAGE_EAGER = 1024 };  /* bytes that every transport sends at once */

static unsigned message_small;  /* so many elements leave no request behind */

/* Who has set these limits lower has to have each message waited for. */
void message_begin(void)
{
    static const char *const transports[] = { "self", "vader", "tcp" };
    int (*find)(const char *, const char *, const char *, const char *);
    int (*get)(int, const void *, int *, const char **);

    *(void **)&find = inside_symbol("mca_base_var_find");
    *(void **)&get = inside_symbol("mca_base_var_get_value");
    message_small = 0;
    for (unsigned i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
        int at = find && get ? find("opal", "btl", transports[i], "eager_limit")
                             : -1;
        const size_t *limit = NULL;

        if (at < 0 || get(at, &limit, NULL, NULL) != 0 || !limit)
            continue;
        if (*limit < MESSAGE_EAGER) {
            message_small = 0;
            return;
        }
        message_small = MESSAGE_SMALL;
    }
}

/* A request of a call that does not return before it is finished. */
#define MESSAGE_OWN(name, what, from, n, datatype, who, label, over)       \
    struct pending name = { .object = { .real = NULL, .live = true,        \
                                        .kind = OBJECT_REQUEST } };        \
    pending_fill(&name, what, 0, from, n, datatype, who, label, over)
#define MESSAGE_REAL(name) ((MPI_Request *)&(name).object.real)

/* Waits for a request of a call's own, that Open MPI has just made. */
static int message_finish(struct pending *p, uint32_t before, MPI_Status *status)
{
    int flag = 0, rc;

    if (p->state == PENDING_IDLE) {     /* not listed yet */
        rc = INSIDE(Test)(MESSAGE_REAL(*p), &flag, status);
        if (flag || rc != MPI_SUCCESS) {
            if (p->kind == PENDING_RECEIVE)
                stand_received(p->peer);
            return rc;
        }
        pending_begin(p);
    }
    return pending_wait(p, before, status);
}

/* --------------------------------------------------------------------- send */

#define MESSAGE_SEND(exported, name, immediate)                            \
    exported int name(const void *buf, int count, MPI_Datatype type, int dest, \
                      int tag, MPI_Comm comm)                              \
    {                                                                      \
        uint32_t before = stand_enter();                                   \
        int rc;                                                            \
        MESSAGE_OWN(own, PENDING_SEND, buf, count, type, dest, tag, comm); \
                                                                           \
        stand_sent(dest);                                                  \
        rc = INSIDE(immediate)(buf, count, object_real(type), dest, tag,   \
                               object_real(comm), MESSAGE_REAL(own));      \
        if (rc == MPI_SUCCESS)                                             \
            rc = message_finish(&own, before, MPI_STATUS_IGNORE);          \
        else                                                               \
            stand_unsent(dest);                                            \
        stand_leave(before);                                               \
        return rc;                                                         \
    }
MESSAGE_SEND(static, message_send, Isend)
MESSAGE_SEND(ENTRY_EXPORT, PMPI_Ssend, Issend)
ENTRY_ALIAS(Ssend)
MESSAGE_SEND(ENTRY_EXPORT, PMPI_Rsend, Irsend)
ENTRY_ALIAS(Rsend)

/* Of a few numbers Open MPI keeps a copy, and nobody is waited for. */
static inline bool message_is_small(int count, MPI_Datatype type)
{
    return (unsigned)count < message_small && type &&
           ((struct object *)type)->predefined;
}

ENTRY_EXPORT int PMPI_Send(const void *buf, int count, MPI_Datatype type,
                          int dest, int tag, MPI_Comm comm)
{
    uint32_t before;
    int rc;

    if (!message_is_small(count, type))
        return message_send(buf, count, type, dest, tag, comm);
    before = stand_enter();
    stand_sent(dest);
    rc = INSIDE(Send)(buf, count, object_real(type), dest, tag,
                      object_real(comm));
    if (UNLIKELY(rc != MPI_SUCCESS))
        stand_unsent(dest);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Send)

/* Local: nobody is waited for. */
ENTRY_EXPORT int PMPI_Bsend(const void *buf, int count, MPI_Datatype type,
                           int dest, int tag, MPI_Comm comm)
{
    uint32_t before = stand_enter();
    int rc;

    stand_sent(dest);
    rc = INSIDE(Bsend)(buf, count, object_real(type), dest, tag,
                       object_real(comm));
    if (rc != MPI_SUCCESS)
        stand_unsent(dest);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Bsend)

/* Waits for what was sent from there, and cannot be asked: nobody stands in it, but
 * who stands receives what was sent. */
ENTRY_EXPORT int PMPI_Buffer_detach(void *buffer, int *size)
{
    uint32_t before = stand_enter();
    int rc;

    stand_wait(before, PAGE_ANY);
    rc = INSIDE(Buffer_detach)(buffer, size);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Buffer_detach)

#define MESSAGE_ISEND(name)                                                \
    ENTRY_EXPORT int PMPI_##name(const void *buf, int count,                \
                                MPI_Datatype type, int dest, int tag,      \
                                MPI_Comm comm, MPI_Request *request)       \
    {                                                                      \
        uint32_t before = stand_enter();                                   \
        MPI_Request real = NULL;                                           \
        int rc;                                                            \
                                                                           \
        stand_sent(dest);                                                  \
        rc = INSIDE(name)(buf, count, object_real(type), dest, tag,        \
                          object_real(comm), request ? &real : NULL);      \
        if (rc != MPI_SUCCESS)                                             \
            stand_unsent(dest);                                            \
        rc = pending_message(rc, real, request, PENDING_SEND, CALL_##name, \
                             buf, count, type, dest, tag, comm);           \
        stand_leave(before);                                               \
        return rc;                                                         \
    }                                                                      \
    ENTRY_ALIAS(name)
MESSAGE_ISEND(Isend)
MESSAGE_ISEND(Issend)
MESSAGE_ISEND(Irsend)
MESSAGE_ISEND(Ibsend)

/* ------------------------------------------------------------------ receive */

/* One that was kept, for a call that waits. */
static int message_kept(struct kept *k, MPI_Comm comm, void *buf, int count,
                        MPI_Datatype type, MPI_Status *status)
{
    struct pending p = { .object = { .live = true, .comm = comm_of(comm) } };

    kept_give(k, buf, count, type, &p.status);
    return pending_take(&p, status);
}

ENTRY_EXPORT int PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                          int tag, MPI_Comm comm, MPI_Status *status)
{
    uint32_t before = stand_enter();
    struct kept *k = kept_take(comm_of(comm), source, tag, MPI_STATUS_IGNORE);
    int rc;

    if (UNLIKELY(k != NULL)) {
        rc = message_kept(k, comm, buf, count, type, status);
    } else {
        MESSAGE_OWN(own, PENDING_RECEIVE, buf, count, type, source, tag, comm);

        rc = INSIDE(Irecv)(buf, count, object_real(type), source, tag,
                           object_real(comm), MESSAGE_REAL(own));
        if (rc == MPI_SUCCESS)
            rc = message_finish(&own, before, status);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Recv)

/* A receive that has its message already. */
static int message_given(struct kept *k, MPI_Request *request, unsigned call,
                         void *buf, int count, MPI_Datatype type, int source,
                         int tag, MPI_Comm comm)
{
    struct pending *p = object_bare(OBJECT_REQUEST);

    if (!p)
        return kept_put_back(comm_of(comm), k), MPI_ERR_NO_MEM;
    pending_fill(p, PENDING_RECEIVE, call, buf, count, type, source, tag, comm);
    kept_give(k, buf, count, type, &p->status);
    p->state = PENDING_DONE;
    *request = (MPI_Request)p;
    return MPI_SUCCESS;
}

ENTRY_EXPORT int PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                           int tag, MPI_Comm comm, MPI_Request *request)
{
    uint32_t before = stand_enter();
    struct kept *k = request ? kept_take(comm_of(comm), source, tag,
                                         MPI_STATUS_IGNORE) : NULL;
    MPI_Request real = NULL;
    int rc;

    if (UNLIKELY(k != NULL)) {
        rc = message_given(k, request, CALL_Irecv, buf, count, type, source,
                           tag, comm);
    } else {
        rc = INSIDE(Irecv)(buf, count, object_real(type), source, tag,
                           object_real(comm), request ? &real : NULL);
        rc = pending_message(rc, real, request, PENDING_RECEIVE, CALL_Irecv,
                             buf, count, type, source, tag, comm);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Irecv)

/* --------------------------------------------------------------------- both */

static int message_exchange(const void *sendbuf, int sendcount,
                            MPI_Datatype sendtype, int dest, int sendtag,
                            void *recvbuf, int recvcount, MPI_Datatype recvtype,
                            int source, int recvtag, MPI_Comm comm,
                            MPI_Status *status, uint32_t before)
{
    struct kept *k = kept_take(comm_of(comm), source, recvtag,
                               MPI_STATUS_IGNORE);
    int rc, sent;
    MESSAGE_OWN(in, PENDING_RECEIVE, recvbuf, recvcount, recvtype, source,
                recvtag, comm);
    MESSAGE_OWN(out, PENDING_SEND, sendbuf, sendcount, sendtype, dest, sendtag,
                comm);

    if (!k) {
        rc = INSIDE(Irecv)(recvbuf, recvcount, object_real(recvtype), source,
                           recvtag, object_real(comm), MESSAGE_REAL(in));
        if (rc != MPI_SUCCESS)
            return rc;
    }
    stand_sent(dest);
    sent = INSIDE(Isend)(sendbuf, sendcount, object_real(sendtype), dest,
                         sendtag, object_real(comm), MESSAGE_REAL(out));
    if (sent != MPI_SUCCESS) {
        stand_unsent(dest);
        if (k) {
            kept_put_back(comm_of(comm), k);
        } else {
            INSIDE(Cancel)(MESSAGE_REAL(in));
            INSIDE(Request_free)(MESSAGE_REAL(in));
        }
        return sent;
    }
    if (!k)
        pending_begin(&in);
    sent = message_finish(&out, before, MPI_STATUS_IGNORE);
    rc = k ? message_kept(k, comm, recvbuf, recvcount, recvtype, status)
           : message_finish(&in, before, status);
    return rc != MPI_SUCCESS ? rc : sent;
}

ENTRY_EXPORT int PMPI_Sendrecv(const void *sendbuf, int sendcount,
                              MPI_Datatype sendtype, int dest, int sendtag,
                              void *recvbuf, int recvcount,
                              MPI_Datatype recvtype, int source, int recvtag,
                              MPI_Comm comm, MPI_Status *status)
{
    uint32_t before = stand_enter();
    int rc = message_exchange(sendbuf, sendcount, sendtype, dest, sendtag,
                              recvbuf, recvcount, recvtype, source, recvtag,
                              comm, status, before);

    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Sendrecv)

/* What is sent is packed first. What is wrong with the arguments Open MPI says. */
ENTRY_EXPORT int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type,
                                      int dest, int sendtag, int source,
                                      int recvtag, MPI_Comm comm,
                                      MPI_Status *status)
{
    uint32_t before = stand_enter();
    MPI_Comm real = object_real(comm);
    int bytes = 0, at = 0, rc;
    void *packed = NULL;

    rc = INSIDE(Pack_size)(count, object_real(type), real, &bytes);
    if (rc == MPI_SUCCESS && !(packed = malloc((size_t)bytes + 1)))
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Pack)(buf, count, object_real(type), packed, bytes, &at,
                          real);
    if (rc == MPI_SUCCESS)
        rc = message_exchange(packed, at, MPI_PACKED, dest, sendtag, buf, count,
                              type, source, recvtag, comm, status, before);
    free(packed);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Sendrecv_replace)

/* --------------------------------------------------------------- persistent */

#define MESSAGE_INIT(name, qualified, what, who)                           \
    ENTRY_EXPORT int PMPI_##name(qualified void *buf, int count,            \
                                MPI_Datatype type, int who, int tag,       \
                                MPI_Comm comm, MPI_Request *request)       \
    {                                                                      \
        uint32_t before = stand_pass();                                    \
        MPI_Request real = NULL;                                           \
        int rc = INSIDE(name)(buf, count, object_real(type), who, tag,     \
                              object_real(comm), request ? &real : NULL);  \
                                                                           \
        rc = pending_made(rc, real, request, what, CALL_##name, buf,       \
                          count, type, who, tag, comm, true);              \
        stand_passed(before);                                              \
        return rc;                                                         \
    }                                                                      \
    ENTRY_ALIAS(name)
MESSAGE_INIT(Send_init, const, PENDING_SEND, dest)
MESSAGE_INIT(Ssend_init, const, PENDING_SEND, dest)
MESSAGE_INIT(Rsend_init, const, PENDING_SEND, dest)
MESSAGE_INIT(Bsend_init, const, PENDING_SEND, dest)
MESSAGE_INIT(Recv_init, , PENDING_RECEIVE, source)

static int message_start(MPI_Request *request)
{
    struct pending *p = request ? pending_of(*request) : NULL;
    MPI_Request real = request ? object_real(*request) : NULL;
    struct kept *k;
    int rc;

    if (!p || !p->persistent || p->state != PENDING_IDLE)
        return INSIDE(Start)(request ? &real : NULL);
    if (p->kind == PENDING_RECEIVE &&
        (k = kept_take(p->object.comm, p->peer, p->tag, MPI_STATUS_IGNORE))) {
        kept_give(k, p->buffer, p->count, p->type, &p->status);
        p->state = PENDING_DONE;
        return MPI_SUCCESS;
    }
    if (p->kind == PENDING_SEND)
        stand_sent(p->peer);
    rc = INSIDE(Start)(&real);
    p->object.real = real;
    if (rc == MPI_SUCCESS)
        pending_begin(p);
    else if (p->kind == PENDING_SEND)
        stand_unsent(p->peer);
    return rc;
}

ENTRY_EXPORT int PMPI_Start(MPI_Request *request)
{
    uint32_t before = stand_enter();
    int rc = message_start(request);

    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Start)

ENTRY_EXPORT int PMPI_Startall(int count, MPI_Request requests[])
{
    uint32_t before = stand_enter();
    int rc = count < 0 || (count && !requests)
           ? INSIDE(Startall)(count, requests) : MPI_SUCCESS;

    for (int i = 0; rc == MPI_SUCCESS && i < count; i++)
        rc = message_start(&requests[i]);
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Startall)
