/* fortran_exchange.c - types that are different for each member, for Fortran: Open
 * MPI's own functions look behind the communicator for how many there are. */
#include <stdlib.h>

#include "mpi-wrappers/layer/fortran.h"

extern int mpi_fortran_bottom_, mpi_fortran_in_place_;

struct exchange {               /* as C has it */
    const void *from;
    void *to;
    MPI_Datatype *types;        /* owned: those sent, and behind them the others */
    int n;
};

static void *place(void *at)
{
    return at == &mpi_fortran_in_place_ ? MPI_IN_PLACE
           : at == &mpi_fortran_bottom_ ? MPI_BOTTOM : at;
}

/* What is sent from where it comes to has no types of its own. */
static int exchange_begin(struct exchange *e, void *from, const MPI_Fint *sent,
                          void *to, const MPI_Fint *received, MPI_Comm comm)
{
    int rc, inter = 0;

    e->n = 0;
    e->from = place(from);
    e->to = place(to);
    rc = PMPI_Comm_test_inter(comm, &inter);
    if (rc == MPI_SUCCESS)
        rc = (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &e->n);
    if (rc != MPI_SUCCESS)
        return rc;
    e->types = malloc((2 * (size_t)e->n + 1) * sizeof(*e->types));
    if (!e->types)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < e->n; i++) {
        e->types[e->n + i] = PMPI_Type_f2c(received[i]);
        e->types[i] = e->from == MPI_IN_PLACE ? e->types[e->n + i]
                                              : PMPI_Type_f2c(sent[i]);
    }
    return MPI_SUCCESS;
}

void fortran_alltoallw(void *from, MPI_Fint *counts, MPI_Fint *displs,
                       MPI_Fint *types, void *to, MPI_Fint *rcounts,
                       MPI_Fint *rdispls, MPI_Fint *rtypes, MPI_Fint *comm,
                       MPI_Fint *ierr);
void fortran_alltoallw(void *from, MPI_Fint *counts, MPI_Fint *displs,
                       MPI_Fint *types, void *to, MPI_Fint *rcounts,
                       MPI_Fint *rdispls, MPI_Fint *rtypes, MPI_Fint *comm,
                       MPI_Fint *ierr)
{
    MPI_Comm c = PMPI_Comm_f2c(*comm);
    struct exchange e;
    int rc = exchange_begin(&e, from, types, to, rtypes, c);

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Alltoallw(e.from, counts, displs, e.types, e.to, rcounts,
                            rdispls, e.types + e.n, c);
        free(e.types);
    }
    fortran_error(ierr, rc);
}
FORTRAN(alltoallw, ALLTOALLW, Alltoallw)

void fortran_ialltoallw(void *from, MPI_Fint *counts, MPI_Fint *displs,
                        MPI_Fint *types, void *to, MPI_Fint *rcounts,
                        MPI_Fint *rdispls, MPI_Fint *rtypes, MPI_Fint *comm,
                        MPI_Fint *request, MPI_Fint *ierr);
void fortran_ialltoallw(void *from, MPI_Fint *counts, MPI_Fint *displs,
                        MPI_Fint *types, void *to, MPI_Fint *rcounts,
                        MPI_Fint *rdispls, MPI_Fint *rtypes, MPI_Fint *comm,
                        MPI_Fint *request, MPI_Fint *ierr)
{
    MPI_Comm c = PMPI_Comm_f2c(*comm);
    MPI_Request r = MPI_REQUEST_NULL;
    struct exchange e;
    int rc = exchange_begin(&e, from, types, to, rtypes, c);

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Ialltoallw(e.from, counts, displs, e.types, e.to, rcounts,
                             rdispls, e.types + e.n, c, &r);
        free(e.types);
        if (rc == MPI_SUCCESS)
            *request = PMPI_Request_c2f(r);
    }
    fortran_error(ierr, rc);
}
FORTRAN(ialltoallw, IALLTOALLW, Ialltoallw)
