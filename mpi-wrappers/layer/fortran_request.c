/* fortran_request.c - requests that a call may end, for Fortran. */
#include <stdlib.h>

#include "mpi-wrappers/layer/fortran.h"

enum { FORTRAN_STATUS = sizeof(MPI_Status) / sizeof(MPI_Fint), FORTRAN_FEW = 32 };

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGERs are C's int");

/* Requests and statuses of a call, as C has them. */
struct fortran_requests {
    MPI_Request few[FORTRAN_FEW], *v;
    MPI_Status few_statuses[FORTRAN_FEW], *statuses;
    int n;
};

static int requests_begin(struct fortran_requests *r, int n, const MPI_Fint *from)
{
    r->v = r->few;
    r->statuses = r->few_statuses;
    r->n = n > 0 ? n : 0;
    if (n > FORTRAN_FEW) {
        r->v = malloc((size_t)n * sizeof(*r->v));
        r->statuses = malloc((size_t)n * sizeof(*r->statuses));
        if (!r->v || !r->statuses) {
            free(r->v);
            free(r->statuses);
            return MPI_ERR_NO_MEM;
        }
    }
    for (int i = 0; i < r->n; i++)
        r->v[i] = PMPI_Request_f2c(from[i]);
    return MPI_SUCCESS;
}

static void requests_end(struct fortran_requests *r, MPI_Fint *to)
{
    for (int i = 0; i < r->n; i++)
        to[i] = PMPI_Request_c2f(r->v[i]);
    if (r->v != r->few) {
        free(r->v);
        free(r->statuses);
    }
}

static void statuses_give(const struct fortran_requests *r, int n, MPI_Fint *to)
{
    for (int i = 0; to != MPI_F_STATUSES_IGNORE && i < n && i < r->n; i++)
        PMPI_Status_c2f(&r->statuses[i], to + i * FORTRAN_STATUS);
}

static void status_give(const MPI_Status *status, MPI_Fint *to)
{
    if (to != MPI_F_STATUS_IGNORE)
        PMPI_Status_c2f(status, to);
}

void fortran_wait(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierr);
void fortran_wait(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierr)
{
    MPI_Request r = PMPI_Request_f2c(*request);
    MPI_Status s;
    int rc = PMPI_Wait(&r, &s);

    if (rc == MPI_SUCCESS) {
        *request = PMPI_Request_c2f(r);
        status_give(&s, status);
    }
    fortran_error(ierr, rc);
}
FORTRAN(wait, WAIT, Wait)

void fortran_test(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status,
                  MPI_Fint *ierr);
void fortran_test(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status,
                  MPI_Fint *ierr)
{
    MPI_Request r = PMPI_Request_f2c(*request);
    MPI_Status s;
    int one = 0, rc = PMPI_Test(&r, &one, &s);

    *flag = one;
    if (rc == MPI_SUCCESS && one) {
        *request = PMPI_Request_c2f(r);
        status_give(&s, status);
    }
    fortran_error(ierr, rc);
}
FORTRAN(test, TEST, Test)

void fortran_request_free(MPI_Fint *request, MPI_Fint *ierr);
void fortran_request_free(MPI_Fint *request, MPI_Fint *ierr)
{
    MPI_Request r = PMPI_Request_f2c(*request);
    int rc = PMPI_Request_free(&r);

    if (rc == MPI_SUCCESS)
        *request = PMPI_Request_c2f(r);
    fortran_error(ierr, rc);
}
FORTRAN(request_free, REQUEST_FREE, Request_free)

/* An error of one of them is told in the statuses. */
static int told(int rc)
{
    return rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS;
}

void fortran_waitall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *statuses,
                     MPI_Fint *ierr);
void fortran_waitall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *statuses,
                     MPI_Fint *ierr)
{
    struct fortran_requests r;
    int rc = requests_begin(&r, *n, requests);

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Waitall(*n, r.v, r.statuses);
        if (told(rc))
            statuses_give(&r, *n, statuses);
        requests_end(&r, requests);
    }
    fortran_error(ierr, rc);
}
FORTRAN(waitall, WAITALL, Waitall)

void fortran_testall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *flag,
                     MPI_Fint *statuses, MPI_Fint *ierr);
void fortran_testall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *flag,
                     MPI_Fint *statuses, MPI_Fint *ierr)
{
    struct fortran_requests r;
    int rc = requests_begin(&r, *n, requests), all = 0;

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Testall(*n, r.v, &all, r.statuses);
        *flag = all;
        if (told(rc) && all)
            statuses_give(&r, *n, statuses);
        requests_end(&r, requests);
    }
    fortran_error(ierr, rc);
}
FORTRAN(testall, TESTALL, Testall)

/* Fortran counts from 1. */
static MPI_Fint index_of(int i)
{
    return i == MPI_UNDEFINED ? i : i + 1;
}

void fortran_waitany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index,
                     MPI_Fint *status, MPI_Fint *ierr);
void fortran_waitany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index,
                     MPI_Fint *status, MPI_Fint *ierr)
{
    struct fortran_requests r;
    int rc = requests_begin(&r, *n, requests), i = MPI_UNDEFINED;

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Waitany(*n, r.v, &i, &r.few_statuses[0]);
        *index = index_of(i);
        if (rc == MPI_SUCCESS)
            status_give(&r.few_statuses[0], status);
        requests_end(&r, requests);
    }
    fortran_error(ierr, rc);
}
FORTRAN(waitany, WAITANY, Waitany)

void fortran_testany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index,
                     MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierr);
void fortran_testany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index,
                     MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierr)
{
    struct fortran_requests r;
    int rc = requests_begin(&r, *n, requests), i = MPI_UNDEFINED, one = 0;

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Testany(*n, r.v, &i, &one, &r.few_statuses[0]);
        *index = index_of(i);
        *flag = one;
        if (rc == MPI_SUCCESS && one)
            status_give(&r.few_statuses[0], status);
        requests_end(&r, requests);
    }
    fortran_error(ierr, rc);
}
FORTRAN(testany, TESTANY, Testany)

static int some(int (*call)(int, MPI_Request *, int *, int *, MPI_Status *),
                MPI_Fint *n, MPI_Fint *requests, MPI_Fint *nout,
                MPI_Fint *indices, MPI_Fint *statuses)
{
    struct fortran_requests r;
    int rc = requests_begin(&r, *n, requests), out = MPI_UNDEFINED;

    if (rc != MPI_SUCCESS)
        return rc;
    rc = call(*n, r.v, &out, indices, r.statuses);
    *nout = out;
    if (told(rc) && out != MPI_UNDEFINED) {
        statuses_give(&r, out, statuses);
        for (int i = 0; i < out; i++)
            indices[i]++;
    }
    requests_end(&r, requests);
    return rc;
}

void fortran_waitsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *nout,
                      MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierr);
void fortran_waitsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *nout,
                      MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierr)
{
    fortran_error(ierr, some(PMPI_Waitsome, n, requests, nout, indices, statuses));
}
FORTRAN(waitsome, WAITSOME, Waitsome)

void fortran_testsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *nout,
                      MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierr);
void fortran_testsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *nout,
                      MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierr)
{
    fortran_error(ierr, some(PMPI_Testsome, n, requests, nout, indices, statuses));
}
FORTRAN(testsome, TESTSOME, Testsome)

void fortran_startall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *ierr);
void fortran_startall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *ierr)
{
    struct fortran_requests r;
    int rc = requests_begin(&r, *n, requests);

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Startall(*n, r.v);
        requests_end(&r, requests);
    }
    fortran_error(ierr, rc);
}
FORTRAN(startall, STARTALL, Startall)
