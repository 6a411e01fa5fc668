/* fortran_callback.c - functions of Fortran that MPI calls: operators, error
 * handlers, generalized requests, data representations. */
#include <stdlib.h>

#include "mpi-wrappers/layer/callback.h"
#include "mpi-wrappers/layer/fortran.h"
#include "mpi-wrappers/inside/internals.h"

void fortran_op_create(callback_f *function, MPI_Fint *commute, MPI_Fint *op,
                       MPI_Fint *ierr);
void fortran_op_create(callback_f *function, MPI_Fint *commute, MPI_Fint *op,
                       MPI_Fint *ierr)
{
    struct callback of = { function, true };
    MPI_Op made = MPI_OP_NULL;
    int rc = callback_operator(of, *commute != 0, &made);

    if (rc == MPI_SUCCESS)
        *op = PMPI_Op_c2f(made);
    fortran_error(ierr, rc);
}
FORTRAN(op_create, OP_CREATE, Op_create)

#define FORTRAN_HANDLER(lower, upper, mixed, create)                       \
    void fortran_##lower(callback_f *function, MPI_Fint *handler,          \
                         MPI_Fint *ierr);                                  \
    void fortran_##lower(callback_f *function, MPI_Fint *handler,          \
                         MPI_Fint *ierr)                                   \
    {                                                                      \
        struct callback of = { function, true };                           \
        MPI_Errhandler made = MPI_ERRHANDLER_NULL;                         \
        int rc = create(of, &made);                                        \
                                                                           \
        if (rc == MPI_SUCCESS)                                             \
            *handler = PMPI_Errhandler_c2f(made);                          \
        fortran_error(ierr, rc);                                           \
    }                                                                      \
    FORTRAN(lower, upper, mixed)
FORTRAN_HANDLER(comm_create_errhandler, COMM_CREATE_ERRHANDLER,
                Comm_create_errhandler, callback_comm_handler)
FORTRAN_HANDLER(win_create_errhandler, WIN_CREATE_ERRHANDLER,
                Win_create_errhandler, callback_win_handler)
FORTRAN_HANDLER(file_create_errhandler, FILE_CREATE_ERRHANDLER,
                File_create_errhandler, callback_file_handler)
FORTRAN_HANDLER(errhandler_create, ERRHANDLER_CREATE, Errhandler_create,
                callback_comm_handler)

/* ------------------------------------------------ generalized requests */

typedef void query_fortran_f(MPI_Aint *extra, MPI_Fint *status, MPI_Fint *ierr);
typedef void free_fortran_f(MPI_Aint *extra, MPI_Fint *ierr);
typedef void cancel_fortran_f(MPI_Aint *extra, MPI_Fint *complete,
                              MPI_Fint *ierr);

/* Goes with the request, with the call of free_. */
struct generalized_fortran {
    query_fortran_f *query;
    free_fortran_f *free_;
    cancel_fortran_f *cancel;
    MPI_Aint extra;
};

static int generalized_query(void *arg, MPI_Status *status)
{
    struct generalized_fortran *g = arg;
    MPI_Fint as_fortran[sizeof(*status) / sizeof(MPI_Fint)], ierr = MPI_SUCCESS;

    PMPI_Status_c2f(status, as_fortran);
    g->query(&g->extra, as_fortran, &ierr);
    PMPI_Status_f2c(as_fortran, status);
    return ierr;
}

static int generalized_free(void *arg)
{
    struct generalized_fortran *g = arg;
    MPI_Fint ierr = MPI_SUCCESS;

    g->free_(&g->extra, &ierr);
    free(g);
    return ierr;
}

static int generalized_cancel(void *arg, int complete)
{
    struct generalized_fortran *g = arg;
    MPI_Fint is = complete, ierr = MPI_SUCCESS;

    g->cancel(&g->extra, &is, &ierr);
    return ierr;
}

void fortran_grequest_start(query_fortran_f *query, free_fortran_f *free_,
                            cancel_fortran_f *cancel, MPI_Aint *extra,
                            MPI_Fint *request, MPI_Fint *ierr);
void fortran_grequest_start(query_fortran_f *query, free_fortran_f *free_,
                            cancel_fortran_f *cancel, MPI_Aint *extra,
                            MPI_Fint *request, MPI_Fint *ierr)
{
    struct generalized_fortran *g = malloc(sizeof(*g));
    MPI_Request made = MPI_REQUEST_NULL;
    int rc = MPI_ERR_NO_MEM;

    if (g) {
        *g = (struct generalized_fortran){ query, free_, cancel, *extra };
        rc = PMPI_Grequest_start(generalized_query, generalized_free,
                                 generalized_cancel, g, &made);
        if (rc == MPI_SUCCESS)
            *request = PMPI_Request_c2f(made);
        else
            free(g);
    }
    fortran_error(ierr, rc);
}
FORTRAN(grequest_start, GREQUEST_START, Grequest_start)

/* ------------------------------------------------ data representations */

typedef void convert_fortran_f(void *user, MPI_Fint *type, MPI_Fint *n,
                               void *file, MPI_Offset *at, MPI_Aint *extra,
                               MPI_Fint *ierr);
typedef void extent_fortran_f(MPI_Fint *type, MPI_Aint *extent, MPI_Aint *extra,
                              MPI_Fint *ierr);

/* For ever, as the representation. */
struct representation_fortran {
    convert_fortran_f *read, *write;
    extent_fortran_f *extent;
    MPI_Aint *extra;
};

void fortran_conversion_fn_null(void);
void fortran_conversion_fn_null(void)
{
}
FORTRAN_CALLBACK(conversion_fn_null, CONVERSION_FN_NULL)

static int convert(convert_fortran_f *function, void *user, MPI_Datatype type,
                   int n, void *file, MPI_Offset at, MPI_Aint *extra)
{
    MPI_Fint number = PMPI_Type_c2f(type), count = n, ierr = MPI_SUCCESS;

    function(user, &number, &count, file, &at, extra, &ierr);
    return ierr;
}

static int representation_read(void *user, MPI_Datatype type, int n, void *file,
                               MPI_Offset at, void *arg)
{
    struct representation_fortran *r = arg;

    return convert(r->read, user, type, n, file, at, r->extra);
}

static int representation_write(void *user, MPI_Datatype type, int n,
                                void *file, MPI_Offset at, void *arg)
{
    struct representation_fortran *r = arg;

    return convert(r->write, user, type, n, file, at, r->extra);
}

static int representation_extent(MPI_Datatype type, MPI_Aint *extent, void *arg)
{
    struct representation_fortran *r = arg;
    MPI_Fint number = PMPI_Type_c2f(type), ierr = MPI_SUCCESS;

    r->extent(&number, extent, r->extra, &ierr);
    return ierr;
}

static bool converts(convert_fortran_f *f)
{
    return f && (callback_f *)f != (callback_f *)fortran_conversion_fn_null;
}

void fortran_register_datarep(char *name, convert_fortran_f *read,
                              convert_fortran_f *write,
                              extent_fortran_f *extent, MPI_Aint *extra,
                              MPI_Fint *ierr, size_t bytes);
void fortran_register_datarep(char *name, convert_fortran_f *read,
                              convert_fortran_f *write,
                              extent_fortran_f *extent, MPI_Aint *extra,
                              MPI_Fint *ierr, size_t bytes)
{
    struct representation_fortran *r = malloc(sizeof(*r));
    char *text = internals_string(name, bytes);
    int rc = MPI_ERR_NO_MEM;

    if (r && text) {
        *r = (struct representation_fortran){ read, write, extent, extra };
        rc = PMPI_Register_datarep(
            text, converts(read) ? representation_read : NULL,
            converts(write) ? representation_write : NULL,
            representation_extent, r);
    }
    if (rc != MPI_SUCCESS)
        free(r);
    free(text);
    fortran_error(ierr, rc);
}
FORTRAN(register_datarep, REGISTER_DATAREP, Register_datarep)

/* ----------------------------------------------------- and one more */

void fortran_type_match_size(MPI_Fint *class, MPI_Fint *size, MPI_Fint *type,
                             MPI_Fint *ierr);
void fortran_type_match_size(MPI_Fint *class, MPI_Fint *size, MPI_Fint *type,
                             MPI_Fint *ierr)
{
    MPI_Datatype found = MPI_DATATYPE_NULL;
    int rc = PMPI_Type_match_size(*class, *size, &found);

    if (rc == MPI_SUCCESS)
        *type = PMPI_Type_c2f(found);
    fortran_error(ierr, rc);
}
FORTRAN(type_match_size, TYPE_MATCH_SIZE, Type_match_size)
