/* fortran_attribute.c - keyvals and attributes, for Fortran: of INTEGERs, as in
 * MPI-1, and of addresses. As with Open MPI's own, an error is a code and calls no
 * error handler. */
#include "mpi-wrappers/layer/attribute.h"
#include "mpi-wrappers/layer/fortran.h"

/* Values that MPI defines are below all keyvals of ours, and are C's. */
static void defined(MPI_Comm comm, int keyval, enum attribute_from as, void *to,
                    MPI_Fint *flag, int *rc)
{
    int *value = NULL, found = 0;

    *rc = PMPI_Comm_get_attr(comm, keyval, &value, &found);
    *flag = found;
    if (*rc != MPI_SUCCESS || !found)
        return;
    if (as == ATTRIBUTE_INTEGER)
        *(MPI_Fint *)to = *value;
    else
        *(MPI_Aint *)to = *value;
}

static void win_defined(MPI_Win win, int keyval, MPI_Aint *to, MPI_Fint *flag,
                        int *rc)
{
    void *value = NULL;
    int found = 0;

    *rc = PMPI_Win_get_attr(win, keyval, &value, &found);
    *flag = found;
    if (*rc != MPI_SUCCESS || !found)
        return;
    *to = keyval == MPI_WIN_BASE ? (MPI_Aint)value
        : keyval == MPI_WIN_SIZE ? *(MPI_Aint *)value : *(int *)value;
}

#define FORTRAN_KEYVAL(lower, upper, mixed, kind, from, type)              \
    void fortran_##lower(void *copy, void *delete, MPI_Fint *keyval,       \
                         type *extra, MPI_Fint *ierr);                     \
    void fortran_##lower(void *copy, void *delete, MPI_Fint *keyval,       \
                         type *extra, MPI_Fint *ierr)                      \
    {                                                                      \
        fortran_error(ierr, attribute_keyval(kind, from, copy, delete,     \
                                             extra, keyval));              \
    }                                                                      \
    FORTRAN(lower, upper, mixed)
FORTRAN_KEYVAL(comm_create_keyval, COMM_CREATE_KEYVAL, Comm_create_keyval,
               OBJECT_COMM, ATTRIBUTE_ADDRESS, MPI_Aint)
FORTRAN_KEYVAL(type_create_keyval, TYPE_CREATE_KEYVAL, Type_create_keyval,
               OBJECT_DATATYPE, ATTRIBUTE_ADDRESS, MPI_Aint)
FORTRAN_KEYVAL(win_create_keyval, WIN_CREATE_KEYVAL, Win_create_keyval,
               OBJECT_WIN, ATTRIBUTE_ADDRESS, MPI_Aint)
FORTRAN_KEYVAL(keyval_create, KEYVAL_CREATE, Keyval_create, OBJECT_COMM,
               ATTRIBUTE_INTEGER, MPI_Fint)

#define FORTRAN_SET(lower, upper, mixed, kind, from, type)                 \
    void fortran_##lower(MPI_Fint *object, MPI_Fint *keyval, type *value,  \
                         MPI_Fint *ierr);                                  \
    void fortran_##lower(MPI_Fint *object, MPI_Fint *keyval, type *value,  \
                         MPI_Fint *ierr)                                   \
    {                                                                      \
        fortran_error(ierr, attribute_set(object_from_fortran(kind, *object), \
                                          kind, *keyval, from, value));    \
    }                                                                      \
    FORTRAN(lower, upper, mixed)
FORTRAN_SET(comm_set_attr, COMM_SET_ATTR, Comm_set_attr, OBJECT_COMM,
            ATTRIBUTE_ADDRESS, MPI_Aint)
FORTRAN_SET(type_set_attr, TYPE_SET_ATTR, Type_set_attr, OBJECT_DATATYPE,
            ATTRIBUTE_ADDRESS, MPI_Aint)
FORTRAN_SET(win_set_attr, WIN_SET_ATTR, Win_set_attr, OBJECT_WIN,
            ATTRIBUTE_ADDRESS, MPI_Aint)
FORTRAN_SET(attr_put, ATTR_PUT, Attr_put, OBJECT_COMM, ATTRIBUTE_INTEGER,
            MPI_Fint)

static void comm_get(MPI_Fint *comm, MPI_Fint *keyval, enum attribute_from as,
                     void *value, MPI_Fint *flag, MPI_Fint *ierr)
{
    void *object = object_from_fortran(OBJECT_COMM, *comm);
    int rc;

    if (*keyval < ATTRIBUTE_OURS)
        defined(object, *keyval, as, value, flag, &rc);
    else
        rc = attribute_get(object, OBJECT_COMM, *keyval, as, value, flag);
    fortran_error(ierr, rc);
}

void fortran_comm_get_attr(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value,
                           MPI_Fint *flag, MPI_Fint *ierr);
void fortran_comm_get_attr(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value,
                           MPI_Fint *flag, MPI_Fint *ierr)
{
    comm_get(comm, keyval, ATTRIBUTE_ADDRESS, value, flag, ierr);
}
FORTRAN(comm_get_attr, COMM_GET_ATTR, Comm_get_attr)

void fortran_attr_get(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value,
                      MPI_Fint *flag, MPI_Fint *ierr);
void fortran_attr_get(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value,
                      MPI_Fint *flag, MPI_Fint *ierr)
{
    comm_get(comm, keyval, ATTRIBUTE_INTEGER, value, flag, ierr);
}
FORTRAN(attr_get, ATTR_GET, Attr_get)

void fortran_type_get_attr(MPI_Fint *type, MPI_Fint *keyval, MPI_Aint *value,
                           MPI_Fint *flag, MPI_Fint *ierr);
void fortran_type_get_attr(MPI_Fint *type, MPI_Fint *keyval, MPI_Aint *value,
                           MPI_Fint *flag, MPI_Fint *ierr)
{
    fortran_error(ierr, attribute_get(object_from_fortran(OBJECT_DATATYPE, *type),
                                      OBJECT_DATATYPE, *keyval,
                                      ATTRIBUTE_ADDRESS, value, flag));
}
FORTRAN(type_get_attr, TYPE_GET_ATTR, Type_get_attr)

void fortran_win_get_attr(MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value,
                          MPI_Fint *flag, MPI_Fint *ierr);
void fortran_win_get_attr(MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value,
                          MPI_Fint *flag, MPI_Fint *ierr)
{
    void *object = object_from_fortran(OBJECT_WIN, *win);
    int rc;

    if (*keyval < ATTRIBUTE_OURS)
        win_defined(object, *keyval, value, flag, &rc);
    else
        rc = attribute_get(object, OBJECT_WIN, *keyval, ATTRIBUTE_ADDRESS, value,
                           flag);
    fortran_error(ierr, rc);
}
FORTRAN(win_get_attr, WIN_GET_ATTR, Win_get_attr)

/* -------------------------------------- callbacks that MPI itself defines */

#define FORTRAN_CALLBACKS(prefix, PREFIX, type)                            \
    void fortran_##prefix##null_copy_fn(MPI_Fint *object, MPI_Fint *keyval, \
        type *extra, type *in, type *out, MPI_Fint *flag, MPI_Fint *ierr); \
    void fortran_##prefix##null_copy_fn(MPI_Fint *object, MPI_Fint *keyval, \
        type *extra, type *in, type *out, MPI_Fint *flag, MPI_Fint *ierr)  \
    {                                                                      \
        (void)object, (void)keyval, (void)extra, (void)in, (void)out;      \
        *flag = 0;                                                         \
        fortran_error(ierr, MPI_SUCCESS);                                  \
    }                                                                      \
    FORTRAN_CALLBACK(prefix##null_copy_fn, PREFIX##NULL_COPY_FN)           \
    void fortran_##prefix##dup_fn(MPI_Fint *object, MPI_Fint *keyval,      \
        type *extra, type *in, type *out, MPI_Fint *flag, MPI_Fint *ierr); \
    void fortran_##prefix##dup_fn(MPI_Fint *object, MPI_Fint *keyval,      \
        type *extra, type *in, type *out, MPI_Fint *flag, MPI_Fint *ierr)  \
    {                                                                      \
        (void)object, (void)keyval, (void)extra;                           \
        *flag = 1;                                                         \
        *out = *in;                                                        \
        fortran_error(ierr, MPI_SUCCESS);                                  \
    }                                                                      \
    FORTRAN_CALLBACK(prefix##dup_fn, PREFIX##DUP_FN)                       \
    void fortran_##prefix##null_delete_fn(MPI_Fint *object,                \
        MPI_Fint *keyval, type *value, type *extra, MPI_Fint *ierr);       \
    void fortran_##prefix##null_delete_fn(MPI_Fint *object,                \
        MPI_Fint *keyval, type *value, type *extra, MPI_Fint *ierr)        \
    {                                                                      \
        (void)object, (void)keyval, (void)value, (void)extra;              \
        fortran_error(ierr, MPI_SUCCESS);                                  \
    }                                                                      \
    FORTRAN_CALLBACK(prefix##null_delete_fn, PREFIX##NULL_DELETE_FN)
FORTRAN_CALLBACKS(comm_, COMM_, MPI_Aint)
FORTRAN_CALLBACKS(type_, TYPE_, MPI_Aint)
FORTRAN_CALLBACKS(win_, WIN_, MPI_Aint)
FORTRAN_CALLBACKS(, , MPI_Fint)
