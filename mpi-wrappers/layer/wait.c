/* wait.c - waits and tests. A wait asks again and again, and looks at the word in
 * between. Open MPI finishes what is unfinished, with its errors and their
 * handlers; of what is done here already it sees a null request. */
#include "mpi-wrappers/layer/call.h"

/* Open MPI's handles of a call's requests, and whether some are done here. */
struct wait {
    MPI_Request few[CALL_FEW], *v;
    int n;
    bool done;
};

static int wait_begin(struct wait *w, int n, MPI_Request requests[])
{
    const struct pending *p;

    w->v = w->few;
    w->n = requests && n > 0 ? n : 0;
    w->done = false;
    if (n > CALL_FEW && !(w->v = malloc((size_t)n * sizeof(*w->v))))
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < w->n; i++) {
        w->v[i] = object_real(requests[i]);
        p = pending_of(requests[i]);
        w->done |= p && p->state == PENDING_DONE;
    }
    return MPI_SUCCESS;
}

/* Once more: the task may have stood. */
static void wait_again(struct wait *w, MPI_Request requests[])
{
    const struct pending *p;

    w->done = false;
    for (int i = 0; i < w->n; i++) {
        w->v[i] = object_real(requests[i]);
        p = pending_of(requests[i]);
        w->done |= p && p->state == PENDING_DONE;
    }
}

static void wait_end(const struct wait *w)
{
    if (w->v != w->few)
        free(w->v);
}

/* The handle of one that is finished, which Open MPI has left as real. */
static inline void wait_settle(MPI_Request *request, MPI_Request real)
{
    struct pending *p = pending_of(*request);

    if (!p)
        return;
    pending_end(p);
    pending_settle(request, real);
}

/* One that is done here, as Open MPI would end it; its error. */
static int wait_take(MPI_Request *request, MPI_Status *status)
{
    struct pending *p = pending_of(*request);
    int rc = p->status.MPI_ERROR;

    if (status != MPI_STATUS_IGNORE) {
        int error = status->MPI_ERROR;

        *status = p->status;
        status->MPI_ERROR = error;
    }
    p->state = PENDING_IDLE;
    if (!p->persistent)
        object_settle(request, object_null(OBJECT_REQUEST)->real);
    return rc;
}

static int wait_fail(const struct comm *c, int rc)
{
    if (rc != MPI_SUCCESS)
        INSIDE(Comm_call_errhandler)(
            object_real(c && c->object ? (MPI_Comm)c->object : MPI_COMM_WORLD),
            rc);
    return rc;
}

/* ----------------------------------------------------------------- one */

static int test_one(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct pending *p = request ? pending_of(*request) : NULL;
    MPI_Request real = request ? object_real(*request) : NULL;
    const struct comm *c;
    int rc;

    if (p && UNLIKELY(p->state == PENDING_DONE)) {
        c = p->object.comm;
        *flag = 1;
        return wait_fail(c, wait_take(request, status));
    }
    rc = INSIDE(Test)(request ? &real : NULL, flag, status);
    if (p && (rc != MPI_SUCCESS || *flag))
        wait_settle(request, real);
    return rc;
}

ENTRY_EXPORT int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    uint32_t before = stand_enter();
    int rc = test_one(request, flag, status);

    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Test)

ENTRY_EXPORT int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    uint32_t before = stand_enter();
    int flag = 0, rc = test_one(request, &flag, status);

    if (rc == MPI_SUCCESS && !flag) {
        stand_wait(before, pending_peer((struct pending *)*request));
        while (rc == MPI_SUCCESS && !flag) {
            stand_look();
            rc = test_one(request, &flag, status);
        }
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Wait)

ENTRY_EXPORT int PMPI_Request_get_status(MPI_Request request, int *flag,
                                        MPI_Status *status)
{
    uint32_t before = stand_enter();
    struct pending *p = pending_of(request);
    int rc = MPI_SUCCESS;

    if (p && p->state == PENDING_DONE && flag) {
        *flag = 1;
        if (status != MPI_STATUS_IGNORE)
            *status = p->status;
    } else {
        rc = INSIDE(Request_get_status)(object_real(request), flag, status);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Request_get_status)

/* ----------------------------------------------------------------- all */

/* All are finished. Of errors the statuses of all tell. */
static int wait_all(struct wait *w, MPI_Request requests[],
                    MPI_Status statuses[], int rc)
{
    const struct comm *failed = NULL;
    int before = rc, error, first = MPI_SUCCESS;
    struct pending *p;

    for (int i = 0; i < w->n; i++) {
        p = pending_of(requests[i]);
        if (UNLIKELY(p && p->state == PENDING_DONE)) {
            const struct comm *c = p->object.comm;

            error = wait_take(&requests[i], statuses ? &statuses[i]
                                                     : MPI_STATUS_IGNORE);
            if (error != MPI_SUCCESS && first == MPI_SUCCESS) {
                first = error;
                failed = c;
                for (int k = 0; statuses && rc == MPI_SUCCESS && k < w->n; k++)
                    statuses[k].MPI_ERROR = MPI_SUCCESS;
                rc = MPI_ERR_IN_STATUS;
            }
            if (statuses && rc != MPI_SUCCESS)
                statuses[i].MPI_ERROR = error;
        } else if (p) {
            wait_settle(&requests[i], w->v[i]);
        }
    }
    if (before == MPI_SUCCESS)
        wait_fail(failed, first);
    return rc;
}

static inline bool wait_told(int rc)
{
    return rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS;
}

/* A fatal or foreign error: what Open MPI has left. */
static int test_all(struct wait *w, MPI_Request requests[], int *flag,
                    MPI_Status statuses[])
{
    int rc = INSIDE(Testall)(w->n, w->v, flag, statuses);

    if (rc == MPI_ERR_IN_STATUS)
        *flag = 1;
    if (wait_told(rc) && *flag)
        return wait_all(w, requests, statuses, rc);
    return rc;
}

ENTRY_EXPORT int PMPI_Testall(int n, MPI_Request requests[], int *flag,
                             MPI_Status statuses[])
{
    uint32_t before = stand_enter();
    struct wait w;
    int rc = wait_begin(&w, n, requests);

    if (rc == MPI_SUCCESS) {
        if (n < 0 || (n && !requests) || !flag)
            rc = INSIDE(Testall)(n, requests ? w.v : NULL, flag, statuses);
        else
            rc = test_all(&w, requests, flag, statuses);
        wait_end(&w);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Testall)

/* For each in turn, so that what is waited for is known; nothing is ended before
 * all are finished. */
static void wait_each(struct wait *w, MPI_Request requests[], uint32_t before)
{
    struct pending *p;
    int flag;

    for (int i = 0; i < w->n; i++) {
        p = pending_of(requests[i]);
        if (!p || p->state != PENDING_ACTIVE)
            continue;
        for (bool told = false; p->state == PENDING_ACTIVE; told = true) {
            flag = 0;
            if (INSIDE(Request_get_status)(p->object.real, &flag,
                                           MPI_STATUS_IGNORE) || flag)
                break;
            if (!told)
                stand_wait(before, pending_peer(p));
            stand_look();
        }
    }
}

ENTRY_EXPORT int PMPI_Waitall(int n, MPI_Request requests[],
                             MPI_Status statuses[])
{
    uint32_t before = stand_enter();
    int flag = 0, rc;
    struct wait w;

    rc = wait_begin(&w, n, requests);
    if (rc == MPI_SUCCESS) {
        if (n < 0 || (n && !requests))
            rc = INSIDE(Waitall)(n, requests ? w.v : NULL, statuses);
        else
            rc = test_all(&w, requests, &flag, statuses);
        while (rc == MPI_SUCCESS && !flag && w.n) {
            wait_each(&w, requests, before);
            wait_again(&w, requests);
            rc = test_all(&w, requests, &flag, statuses);
        }
        wait_end(&w);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Waitall)

/* ----------------------------------------------------------------- any */

static int test_any(struct wait *w, MPI_Request requests[], int *index,
                    int *flag, MPI_Status *status)
{
    const struct comm *c;
    int rc;

    for (int i = 0; w->done && i < w->n; i++) {
        struct pending *p = pending_of(requests[i]);

        if (!p || p->state != PENDING_DONE)
            continue;
        c = p->object.comm;
        *index = i;
        *flag = 1;
        return wait_fail(c, wait_take(&requests[i], status));
    }
    rc = INSIDE(Testany)(w->n, w->v, index, flag, status);
    if ((rc != MPI_SUCCESS || *flag) && *index >= 0 && *index < w->n) {
        wait_settle(&requests[*index], w->v[*index]);
        *flag = 1;
    }
    return rc;
}

ENTRY_EXPORT int PMPI_Testany(int n, MPI_Request requests[], int *index,
                             int *flag, MPI_Status *status)
{
    uint32_t before = stand_enter();
    struct wait w;
    int rc = wait_begin(&w, n, requests);

    if (rc == MPI_SUCCESS) {
        if (n < 0 || (n && !requests) || !index || !flag)
            rc = INSIDE(Testany)(n, requests ? w.v : NULL, index, flag, status);
        else
            rc = test_any(&w, requests, index, flag, status);
        wait_end(&w);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Testany)

/* Whom the only one that is unfinished waits for. */
static int32_t wait_peer(const struct wait *w, MPI_Request requests[])
{
    const struct pending *only = NULL, *p;

    for (int i = 0; i < w->n; i++) {
        p = pending_of(requests[i]);
        if (!p || p->state != PENDING_ACTIVE)
            continue;
        if (only)
            return PAGE_ANY;
        only = p;
    }
    return only ? pending_peer(only) : PAGE_ANY;
}

ENTRY_EXPORT int PMPI_Waitany(int n, MPI_Request requests[], int *index,
                             MPI_Status *status)
{
    uint32_t before = stand_enter();
    int flag = 0, rc;
    struct wait w;

    rc = wait_begin(&w, n, requests);
    if (rc == MPI_SUCCESS) {
        if (n < 0 || (n && !requests) || !index) {
            rc = INSIDE(Waitany)(n, requests ? w.v : NULL, index, status);
            flag = 1;
        } else {
            rc = test_any(&w, requests, index, &flag, status);
        }
        if (rc == MPI_SUCCESS && !flag)
            stand_wait(before, wait_peer(&w, requests));
        while (rc == MPI_SUCCESS && !flag) {
            stand_look();
            wait_again(&w, requests);
            rc = test_any(&w, requests, index, &flag, status);
        }
        wait_end(&w);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Waitany)

/* ---------------------------------------------------------------- some */

/* Those that are done here, and none of the others: these are for the next. */
static int take_some(struct wait *w, MPI_Request requests[], int *out,
                     int indices[], MPI_Status statuses[])
{
    const struct comm *failed = NULL;
    int first = MPI_SUCCESS, error, n = 0;

    for (int i = 0; i < w->n; i++) {
        struct pending *p = pending_of(requests[i]);
        const struct comm *c;

        if (!p || p->state != PENDING_DONE)
            continue;
        c = p->object.comm;
        error = wait_take(&requests[i], statuses ? &statuses[n]
                                                 : MPI_STATUS_IGNORE);
        if (statuses)
            statuses[n].MPI_ERROR = error;
        if (error != MPI_SUCCESS && first == MPI_SUCCESS) {
            first = error;
            failed = c;
        }
        indices[n++] = i;
    }
    *out = n;
    wait_fail(failed, first);
    return first == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

static int test_some(struct wait *w, MPI_Request requests[], int *out,
                     int indices[], MPI_Status statuses[])
{
    int rc;

    if (UNLIKELY(w->done))
        return take_some(w, requests, out, indices, statuses);
    rc = INSIDE(Testsome)(w->n, w->v, out, indices, statuses);
    if (wait_told(rc) && *out != MPI_UNDEFINED)
        for (int k = 0; k < *out; k++)
            wait_settle(&requests[indices[k]], w->v[indices[k]]);
    return rc;
}

/* Arguments that are wrong are for the call itself to complain of. */
static int some(struct wait *w, unsigned call, int n, MPI_Request requests[],
                int *out, int indices[], MPI_Status statuses[])
{
    __typeof__(&PMPI_Testsome) inside;

    if (n >= 0 && (!n || (requests && indices)) && out)
        return test_some(w, requests, out, indices, statuses);
    inside = (__typeof__(inside))inside_get(call);
    return inside(n, requests ? w->v : NULL, out, indices, statuses);
}

ENTRY_EXPORT int PMPI_Testsome(int n, MPI_Request requests[], int *out,
                              int indices[], MPI_Status statuses[])
{
    uint32_t before = stand_enter();
    struct wait w;
    int rc = wait_begin(&w, n, requests);

    if (rc == MPI_SUCCESS) {
        rc = some(&w, CALL_Testsome, n, requests, out, indices, statuses);
        wait_end(&w);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Testsome)

ENTRY_EXPORT int PMPI_Waitsome(int n, MPI_Request requests[], int *out,
                              int indices[], MPI_Status statuses[])
{
    uint32_t before = stand_enter();
    struct wait w;
    int rc = wait_begin(&w, n, requests);

    if (rc == MPI_SUCCESS) {
        rc = some(&w, CALL_Waitsome, n, requests, out, indices, statuses);
        if (rc == MPI_SUCCESS && out && *out == 0)
            stand_wait(before, wait_peer(&w, requests));
        while (rc == MPI_SUCCESS && out && *out == 0 && w.n) {
            stand_look();
            wait_again(&w, requests);
            rc = test_some(&w, requests, out, indices, statuses);
        }
        wait_end(&w);
    }
    stand_leave(before);
    return rc;
}
ENTRY_ALIAS(Waitsome)
