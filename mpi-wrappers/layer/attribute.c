/* attribute.c - see attribute.h. Keyvals are numbers of a table, and above all
 * that Open MPI defines. One that was freed lives on while an attribute of it
 * does. Callbacks are called without the lock. */
#include "mpi-wrappers/layer/attribute.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi-wrappers/inside/grow.h"
#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/inside/object.h"

enum { ATTRIBUTE_DEFINED = 32 };        /* those of MPI are below */

union value {
    void *pointer;
    MPI_Fint integer;
    MPI_Aint address;
};

/* The callbacks of the three kinds of objects are called alike: in C, in Fortran
 * with INTEGERs (mpi_keyval_create), or with addresses. */
typedef int copy_f(void *object, int keyval, void *extra, void *in, void *out,
                   int *flag);
typedef int delete_f(void *object, int keyval, void *value, void *extra);
typedef void copy_fortran_f(MPI_Fint *object, MPI_Fint *keyval, union value *extra,
                            union value *in, union value *out, MPI_Fint *flag,
                            MPI_Fint *ierr);
typedef void delete_fortran_f(MPI_Fint *object, MPI_Fint *keyval,
                              union value *value, union value *extra,
                              MPI_Fint *ierr);

struct keyval {
    enum object_kind kind;
    enum attribute_from from;
    void (*copy)(void), (*delete)(void);
    union value extra;
    uint32_t uses;              /* attributes of it */
    bool used, freed;
};

struct attribute {
    struct attribute *next;     /* older */
    int keyval;
    enum attribute_from from;
    union value value;
};

static struct {
    pthread_mutex_t lock;
    struct keyval *v;           /* owned */
    int n;
    size_t room;
} keyvals = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* With the lock, as the two below; NULL if there is no such keyval. */
static struct keyval *keyval_at(int number)
{
    int i = number - ATTRIBUTE_OURS;

    return i >= 0 && i < keyvals.n && keyvals.v[i].used ? &keyvals.v[i] : NULL;
}

static struct keyval *keyval_place(int *number)
{
    struct keyval *v;
    int i = 0;

    while (i < keyvals.n && keyvals.v[i].used)
        i++;
    v = grow(keyvals.v, (size_t)i, &keyvals.room, 16, sizeof(*v));
    if (!v)
        return NULL;
    keyvals.v = v;
    if (i == keyvals.n)
        keyvals.n++;
    *number = ATTRIBUTE_OURS + i;
    return &keyvals.v[i];
}

static void keyval_drop(struct keyval *k)
{
    if (k->freed && k->uses == 0)
        k->used = false;
}

static union value value_read(enum attribute_from from, const void *at)
{
    union value v = { NULL };

    if (from == ATTRIBUTE_POINTER)
        v.pointer = (void *)(uintptr_t)at;
    else if (from == ATTRIBUTE_INTEGER)
        v.integer = *(const MPI_Fint *)at;
    else
        v.address = *(const MPI_Aint *)at;
    return v;
}

int attribute_keyval(enum object_kind kind, enum attribute_from from,
                     void *copy, void *delete, const void *extra, int *number)
{
    struct keyval *k;
    int rc = MPI_SUCCESS;

    if (!number || !copy || !delete)
        return MPI_ERR_ARG;
    pthread_mutex_lock(&keyvals.lock);
    k = keyval_place(number);
    if (k) {
        *k = (struct keyval){ .kind = kind, .from = from, .used = true,
                              .extra = value_read(from, extra) };
        *(void **)&k->copy = copy;      /* ISO C has no such cast */
        *(void **)&k->delete = delete;
    } else {
        rc = MPI_ERR_NO_MEM;
    }
    pthread_mutex_unlock(&keyvals.lock);
    return rc;
}

static int keyval_free(int *number)
{
    struct keyval *k;
    int rc = MPI_ERR_KEYVAL;

    if (!number)
        return MPI_ERR_ARG;
    pthread_mutex_lock(&keyvals.lock);
    k = keyval_at(*number);
    if (k && !k->freed) {
        k->freed = true;
        keyval_drop(k);
        *number = MPI_KEYVAL_INVALID;
        rc = MPI_SUCCESS;
    }
    pthread_mutex_unlock(&keyvals.lock);
    return rc;
}

/* What a callback needs of it; false if there is no such one for this kind. */
static bool keyval_read(int number, enum object_kind kind, struct keyval *to)
{
    struct keyval *k;
    bool found;

    pthread_mutex_lock(&keyvals.lock);
    k = keyval_at(number);
    found = k && k->kind == kind;
    if (found)
        *to = *k;
    pthread_mutex_unlock(&keyvals.lock);
    return found;
}

static void keyval_uses(int number, int more)
{
    struct keyval *k;

    pthread_mutex_lock(&keyvals.lock);
    k = keyval_at(number);
    if (k) {
        k->uses += (uint32_t)more;
        keyval_drop(k);
    }
    pthread_mutex_unlock(&keyvals.lock);
}

/* ------------------------------------------------------------- attributes */

/* With the lock. */
static struct attribute **attribute_place(struct object *o, int number)
{
    struct attribute **at = &o->attributes;

    while (*at && (*at)->keyval != number)
        at = &(*at)->next;
    return at;
}

/* The attribute that has this keyval stays where it is until it is removed. */
static struct attribute *attribute_find(struct object *o, int number)
{
    struct attribute *a;

    pthread_mutex_lock(&keyvals.lock);
    a = *attribute_place(o, number);
    pthread_mutex_unlock(&keyvals.lock);
    return a;
}

/* What one who reads as `as` gets: in C a value of Fortran's is its address. */
static union value value_as(struct attribute *a, enum attribute_from as)
{
    MPI_Aint address = a->from == ATTRIBUTE_POINTER ? (MPI_Aint)a->value.pointer
                     : a->from == ATTRIBUTE_INTEGER ? a->value.integer
                     : a->value.address;
    union value v = { NULL };

    if (as == ATTRIBUTE_POINTER)
        v.pointer = a->from == ATTRIBUTE_POINTER ? a->value.pointer
                  : a->from == ATTRIBUTE_INTEGER ? (void *)&a->value.integer
                  : (void *)&a->value.address;
    else if (as == ATTRIBUTE_INTEGER)
        v.integer = (MPI_Fint)address;
    else
        v.address = address;
    return v;
}

static int call_delete(struct object *o, struct keyval *k, struct attribute *a)
{
    union value v = value_as(a, k->from);
    MPI_Fint object, number = a->keyval, ierr = MPI_SUCCESS;

    stand_callbacks++;
    if (k->from == ATTRIBUTE_POINTER) {
        ierr = ((delete_f *)k->delete)(o, a->keyval, v.pointer,
                                       k->extra.pointer);
    } else {
        object = object_to_fortran(o);
        ((delete_fortran_f *)k->delete)(&object, &number, &v, &k->extra, &ierr);
    }
    stand_callbacks--;
    return ierr;
}

static int call_copy(struct object *o, struct keyval *k, struct attribute *a,
                     union value *to, int *flag)
{
    union value in = value_as(a, k->from);
    MPI_Fint object, number = a->keyval, ierr = MPI_SUCCESS, copied = 0;

    stand_callbacks++;
    if (k->from == ATTRIBUTE_POINTER) {
        ierr = ((copy_f *)k->copy)(o, a->keyval, k->extra.pointer, in.pointer,
                                   to, flag);
    } else {
        object = object_to_fortran(o);
        ((copy_fortran_f *)k->copy)(&object, &number, &k->extra, &in, to,
                                    &copied, &ierr);
        *flag = copied != 0;
    }
    stand_callbacks--;
    return ierr;
}

static int attribute_remove(struct object *o, int number)
{
    struct attribute **at, *a;
    struct keyval k;
    int rc;

    if (!keyval_read(number, (enum object_kind)o->kind, &k))
        return MPI_ERR_KEYVAL;
    a = attribute_find(o, number);
    if (!a)
        return MPI_SUCCESS;
    rc = call_delete(o, &k, a);
    if (rc != MPI_SUCCESS)
        return rc;
    pthread_mutex_lock(&keyvals.lock);
    at = attribute_place(o, number);
    a = *at;
    if (a)
        *at = a->next;
    pthread_mutex_unlock(&keyvals.lock);
    if (a)
        keyval_uses(number, -1);
    free(a);
    return MPI_SUCCESS;
}

static int attribute_add(struct object *o, int number, enum attribute_from from,
                         union value value)
{
    struct attribute *a = malloc(sizeof(*a));

    if (!a)
        return MPI_ERR_NO_MEM;
    keyval_uses(number, 1);
    pthread_mutex_lock(&keyvals.lock);
    *a = (struct attribute){ o->attributes, number, from, value };
    o->attributes = a;
    pthread_mutex_unlock(&keyvals.lock);
    return MPI_SUCCESS;
}

static int attribute_wrong(const void *handle, enum object_kind kind)
{
    if (handle && object_is(handle) && handle != object_null(kind))
        return MPI_SUCCESS;
    return kind == OBJECT_COMM ? MPI_ERR_COMM
         : kind == OBJECT_WIN ? MPI_ERR_WIN : MPI_ERR_TYPE;
}

int attribute_set(void *handle, enum object_kind kind, int number,
                  enum attribute_from from, const void *value)
{
    int rc = attribute_wrong(handle, kind);
    struct keyval k;

    if (rc == MPI_SUCCESS && !keyval_read(number, kind, &k))
        rc = MPI_ERR_KEYVAL;
    if (rc == MPI_SUCCESS)
        rc = attribute_remove(handle, number);
    return rc == MPI_SUCCESS ? attribute_add(handle, number, from,
                                             value_read(from, value)) : rc;
}

int attribute_get(void *handle, enum object_kind kind, int number,
                  enum attribute_from from, void *value, int *flag)
{
    int rc = attribute_wrong(handle, kind);
    struct attribute *a;
    union value v;

    if (rc != MPI_SUCCESS)
        return rc;
    if (!value || !flag)
        return MPI_ERR_ARG;
    a = attribute_find(handle, number);
    *flag = a != NULL;
    if (!a)
        return MPI_SUCCESS;
    v = value_as(a, from);
    if (from == ATTRIBUTE_POINTER)
        *(void **)value = v.pointer;
    else if (from == ATTRIBUTE_INTEGER)
        *(MPI_Fint *)value = v.integer;
    else
        *(MPI_Aint *)value = v.address;
    return MPI_SUCCESS;
}

/* The newest is copied last, so that it is the newest there too. */
static int attribute_copy_from(struct object *from, struct object *to,
                               struct attribute *a)
{
    union value value = { NULL };
    struct keyval k;
    int flag = 0, rc;

    if (!a)
        return MPI_SUCCESS;
    rc = attribute_copy_from(from, to, a->next);
    if (rc != MPI_SUCCESS ||
        !keyval_read(a->keyval, (enum object_kind)from->kind, &k))
        return rc;
    rc = call_copy(from, &k, a, &value, &flag);
    return rc == MPI_SUCCESS && flag ? attribute_add(to, a->keyval, k.from, value)
                                     : rc;
}

int attribute_copy(void *from, void *to)
{
    return attribute_copy_from(from, to, ((struct object *)from)->attributes);
}

int attribute_ending(void *handle)
{
    struct object *o = handle;
    int rc = MPI_SUCCESS;

    if (!handle || !object_is(handle) || (!o->predefined && o->refs > 1))
        return rc;
    while (o->attributes && rc == MPI_SUCCESS)
        rc = attribute_remove(o, o->attributes->keyval);
    return rc;
}

/* ------------------------------------------------------ MPI's functions */

/* An error that Open MPI does not see goes the way of its own. */
static int comm_error(MPI_Comm comm, int rc)
{
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm && object_is(comm) ? comm
                                                          : MPI_COMM_WORLD, rc);
    return rc;
}

static int win_error(MPI_Win win, int rc)
{
    if (rc != MPI_SUCCESS && win && object_is(win))
        PMPI_Win_call_errhandler(win, rc);
    return rc;
}

#define VOID(f) (*(void **)&(f))

#define CREATE_KEYVAL(name, kind, copy_type, delete_type)                  \
    ENTRY_EXPORT int PMPI_##name(copy_type *copy, delete_type *delete,      \
                                int *keyval, void *extra)                  \
    {                                                                      \
        return comm_error(MPI_COMM_WORLD, attribute_keyval(kind,           \
            ATTRIBUTE_POINTER, VOID(copy), VOID(delete), extra, keyval));  \
    }                                                                      \
    ENTRY_ALIAS(name)
CREATE_KEYVAL(Comm_create_keyval, OBJECT_COMM, MPI_Comm_copy_attr_function,
              MPI_Comm_delete_attr_function)
CREATE_KEYVAL(Type_create_keyval, OBJECT_DATATYPE, MPI_Type_copy_attr_function,
              MPI_Type_delete_attr_function)
CREATE_KEYVAL(Win_create_keyval, OBJECT_WIN, MPI_Win_copy_attr_function,
              MPI_Win_delete_attr_function)
CREATE_KEYVAL(Keyval_create, OBJECT_COMM, MPI_Copy_function,
              MPI_Delete_function)

#define FREE_KEYVAL(name)                                                  \
    ENTRY_EXPORT int PMPI_##name(int *keyval)                               \
    {                                                                      \
        return comm_error(MPI_COMM_WORLD, keyval_free(keyval));            \
    }                                                                      \
    ENTRY_ALIAS(name)
FREE_KEYVAL(Comm_free_keyval)
FREE_KEYVAL(Type_free_keyval)
FREE_KEYVAL(Win_free_keyval)
FREE_KEYVAL(Keyval_free)

/* What MPI defines is the same on all communicators that have it. */
static int comm_defined(MPI_Comm comm, int keyval, void *to, int *flag)
{
    static int values[ATTRIBUTE_DEFINED];
    __typeof__(&PMPI_Comm_get_attr) inside =
        (__typeof__(inside))inside_get(CALL_Comm_get_attr);
    int *value = NULL, rc;

    rc = inside(object_real(comm), keyval, &value, flag);
    if (rc == MPI_SUCCESS && *flag && keyval >= 0 && keyval < ATTRIBUTE_DEFINED) {
        values[keyval] = *value;
        *(int **)to = &values[keyval];
    }
    return rc;
}

ENTRY_EXPORT int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value,
                                   int *flag)
{
    if (keyval < ATTRIBUTE_OURS && value && flag)
        return comm_defined(comm, keyval, value, flag);
    return comm_error(comm, attribute_get(comm, OBJECT_COMM, keyval,
                                          ATTRIBUTE_POINTER, value, flag));
}
ENTRY_ALIAS(Comm_get_attr)

ENTRY_EXPORT int PMPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return PMPI_Comm_get_attr(comm, keyval, value, flag);
}
ENTRY_ALIAS(Attr_get)

ENTRY_EXPORT int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    return comm_error(comm, attribute_set(comm, OBJECT_COMM, keyval,
                                          ATTRIBUTE_POINTER, value));
}
ENTRY_ALIAS(Comm_set_attr)

ENTRY_EXPORT int PMPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
    return PMPI_Comm_set_attr(comm, keyval, value);
}
ENTRY_ALIAS(Attr_put)

ENTRY_EXPORT int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval)
{
    return comm_error(comm, comm && object_is(comm)
                      ? attribute_remove((struct object *)comm, keyval)
                      : MPI_ERR_COMM);
}
ENTRY_ALIAS(Comm_delete_attr)

ENTRY_EXPORT int PMPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return PMPI_Comm_delete_attr(comm, keyval);
}
ENTRY_ALIAS(Attr_delete)

ENTRY_EXPORT int PMPI_Type_get_attr(MPI_Datatype type, int keyval, void *value,
                                   int *flag)
{
    return comm_error(MPI_COMM_WORLD, attribute_get(type, OBJECT_DATATYPE, keyval,
                                                    ATTRIBUTE_POINTER, value, flag));
}
ENTRY_ALIAS(Type_get_attr)

ENTRY_EXPORT int PMPI_Type_set_attr(MPI_Datatype type, int keyval, void *value)
{
    return comm_error(MPI_COMM_WORLD,
                      attribute_set(type, OBJECT_DATATYPE, keyval,
                                    ATTRIBUTE_POINTER, value));
}
ENTRY_ALIAS(Type_set_attr)

ENTRY_EXPORT int PMPI_Type_delete_attr(MPI_Datatype type, int keyval)
{
    return comm_error(MPI_COMM_WORLD, type && object_is(type)
                      ? attribute_remove((struct object *)type, keyval)
                      : MPI_ERR_TYPE);
}
ENTRY_ALIAS(Type_delete_attr)

/* Those of MPI's own end with the window, and no window is taken along. */
ENTRY_EXPORT int PMPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    __typeof__(&PMPI_Win_get_attr) inside =
        (__typeof__(inside))inside_get(CALL_Win_get_attr);

    if (keyval < ATTRIBUTE_OURS)
        return inside(object_real(win), keyval, value, flag);
    return win_error(win, attribute_get(win, OBJECT_WIN, keyval,
                                        ATTRIBUTE_POINTER, value, flag));
}
ENTRY_ALIAS(Win_get_attr)

ENTRY_EXPORT int PMPI_Win_set_attr(MPI_Win win, int keyval, void *value)
{
    return win_error(win, attribute_set(win, OBJECT_WIN, keyval,
                                        ATTRIBUTE_POINTER, value));
}
ENTRY_ALIAS(Win_set_attr)

ENTRY_EXPORT int PMPI_Win_delete_attr(MPI_Win win, int keyval)
{
    return win_error(win, win && object_is(win)
                     ? attribute_remove((struct object *)win, keyval)
                     : MPI_ERR_WIN);
}
ENTRY_ALIAS(Win_delete_attr)

/* ----------------------------------------- callbacks that MPI itself has */

#define NULL_FUNCTIONS(prefix, type)                                       \
    ENTRY_EXPORT int OMPI_C_MPI_##prefix##NULL_COPY_FN(type object,         \
        int keyval, void *extra, void *in, void *out, int *flag)           \
    {                                                                      \
        (void)object, (void)keyval, (void)extra, (void)in, (void)out;      \
        *flag = 0;                                                         \
        return MPI_SUCCESS;                                                \
    }                                                                      \
    ENTRY_EXPORT int OMPI_C_MPI_##prefix##DUP_FN(type object, int keyval,   \
        void *extra, void *in, void *out, int *flag)                       \
    {                                                                      \
        (void)object, (void)keyval, (void)extra;                           \
        *flag = 1;                                                         \
        *(void **)out = in;                                                \
        return MPI_SUCCESS;                                                \
    }                                                                      \
    ENTRY_EXPORT int OMPI_C_MPI_##prefix##NULL_DELETE_FN(type object,       \
        int keyval, void *value, void *extra)                              \
    {                                                                      \
        (void)object, (void)keyval, (void)value, (void)extra;              \
        return MPI_SUCCESS;                                                \
    }
NULL_FUNCTIONS(COMM_, MPI_Comm)
NULL_FUNCTIONS(TYPE_, MPI_Datatype)
NULL_FUNCTIONS(WIN_, MPI_Win)
NULL_FUNCTIONS(, MPI_Comm)
