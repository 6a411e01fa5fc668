/* callback.c - functions of the program that Open MPI calls: operators, error
 * handlers, generalized requests, data representations. They get the program's
 * handles.
 *
 * Of an operator or an error handler Open MPI does not say which one it calls.
 * So each function of the program gets one here of its own; there are few in a
 * program, and one that was met stays. A new one beyond those that are here is
 * refused with MPI_ERR_NO_MEM. */
#include "mpi-wrappers/layer/callback.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/layer/call.h"

enum { CALLBACK_OPERATORS = 256, CALLBACK_HANDLERS = 64 };

/* x(0x00) x(0x01) ... x(0x3f), and to 0xff. */
#define TIMES16(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6)  \
    x(n##7) x(n##8) x(n##9) x(n##a) x(n##b) x(n##c) x(n##d) x(n##e) x(n##f)
#define TIMES64(x) TIMES16(x, 0x0) TIMES16(x, 0x1) TIMES16(x, 0x2)             \
    TIMES16(x, 0x3)
#define TIMES256(x) TIMES64(x) TIMES16(x, 0x4) TIMES16(x, 0x5)                 \
    TIMES16(x, 0x6) TIMES16(x, 0x7) TIMES16(x, 0x8) TIMES16(x, 0x9)            \
    TIMES16(x, 0xa) TIMES16(x, 0xb) TIMES16(x, 0xc) TIMES16(x, 0xd)            \
    TIMES16(x, 0xe) TIMES16(x, 0xf)

static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;

/* Its place among n, of which *used are taken; -1: there is no room. */
static int callback_place(struct callback *v, int n, int *used,
                          struct callback wanted)
{
    int at = 0;

    pthread_mutex_lock(&callback_lock);
    while (at < *used && (v[at].function != wanted.function ||
                          v[at].fortran != wanted.fortran))
        at++;
    if (at == *used && at < n)
        v[(*used)++] = wanted;
    pthread_mutex_unlock(&callback_lock);
    return at < n ? at : -1;
}

/* Which of these functions of ours Open MPI has kept in a block of its own. */
static int callback_kept(void *block, const void *functions, int n)
{
    const uintptr_t *word = block, *f = functions;
    size_t words = block ? inside_bytes(block) / sizeof(*word) : 0;

    for (size_t i = 0; i < words; i++)
        for (int at = 0; at < n; at++)
            if (word[i] == f[at])
                return at;
    return -1;
}

/* ----------------------------------------------------------- operators */

static struct callback operators[CALLBACK_OPERATORS];
static int noperators;

typedef void operator_f(void *in, void *inout, int *n, MPI_Datatype *type);
typedef void operator_fortran_f(void *in, void *inout, MPI_Fint *n,
                                MPI_Fint *type);

static void operator_call(int at, void *in, void *inout, int *n,
                          MPI_Datatype *type)
{
    MPI_Datatype ours = object_find(OBJECT_DATATYPE, *type);
    MPI_Fint number;

    stand_callbacks++;
    if (operators[at].fortran) {
        number = object_to_fortran(ours);
        ((operator_fortran_f *)operators[at].function)(in, inout, n, &number);
    } else {
        ((operator_f *)operators[at].function)(in, inout, n, &ours);
    }
    stand_callbacks--;
}

#define OPERATOR(n)                                                        \
    static void operator_##n(void *in, void *inout, int *len,              \
                             MPI_Datatype *type)                           \
    {                                                                      \
        operator_call(n, in, inout, len, type);                            \
    }
TIMES256(OPERATOR)
#define OPERATOR_ENTRY(n) operator_##n,
static operator_f *const operator_entries[] = { TIMES256(OPERATOR_ENTRY) };

int callback_operator(struct callback of, int commute, MPI_Op *op)
{
    int at = callback_place(operators, CALLBACK_OPERATORS, &noperators, of), rc;
    MPI_Op r3 = NULL;
    uint32_t before;

    if (at < 0)
        return PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_NO_MEM),
               MPI_ERR_NO_MEM;
    before = stand_pass();
    rc = INSIDE(Op_create)(operator_entries[at], commute, ENTRY_AT(3, op));
    ENTRY_OWN(rc, OBJECT_OP, 3, op);
    stand_passed(before);
    return rc;
}

ENTRY_EXPORT int PMPI_Op_create(MPI_User_function *function, int commute,
                               MPI_Op *op)
{
    struct callback of = { (callback_f *)function, false };

    return callback_operator(of, commute, op);
}
ENTRY_ALIAS(Op_create)

int callback_operator_place(void *real)
{
    return callback_kept(real, operator_entries, noperators);
}

int callback_operator_again(int place, int commute, MPI_Op *real)
{
    return INSIDE(Op_create)(operator_entries[place], commute, real);
}

/* ------------------------------------------------------ error handlers */

static struct callback handlers[CALLBACK_HANDLERS];
static int nhandlers;

/* The program's function may read more arguments, which MPI does not define. */
typedef void handler_f(void *handle, int *code, ...);
typedef void handler_fortran_f(MPI_Fint *handle, MPI_Fint *code);

static void handler_call(int at, enum object_kind kind, void **handle,
                         int *code)
{
    void *ours = handle ? object_find(kind, *handle) : object_null(kind);
    MPI_Fint number;

    stand_callbacks++;
    if (handlers[at].fortran) {
        number = object_to_fortran(ours);
        ((handler_fortran_f *)handlers[at].function)(&number, code);
    } else {
        ((handler_f *)handlers[at].function)(&ours, code);
    }
    stand_callbacks--;
}

#define HANDLER(n)                                                         \
    static void handler_comm_##n(MPI_Comm *comm, int *code, ...)           \
    {                                                                      \
        handler_call(n, OBJECT_COMM, (void **)comm, code);                 \
    }                                                                      \
    static void handler_win_##n(MPI_Win *win, int *code, ...)              \
    {                                                                      \
        handler_call(n, OBJECT_WIN, (void **)win, code);                   \
    }                                                                      \
    static void handler_file_##n(MPI_File *file, int *code, ...)           \
    {                                                                      \
        handler_call(n, OBJECT_FILE, (void **)file, code);                 \
    }
TIMES64(HANDLER)
#define HANDLER_COMM(n) handler_comm_##n,
#define HANDLER_WIN(n) handler_win_##n,
#define HANDLER_FILE(n) handler_file_##n,
static MPI_Comm_errhandler_function *const handler_comm[] = {
    TIMES64(HANDLER_COMM)
};
static MPI_Win_errhandler_function *const handler_win[] = {
    TIMES64(HANDLER_WIN)
};
static MPI_File_errhandler_function *const handler_file[] = {
    TIMES64(HANDLER_FILE)
};

#define CREATE_HANDLER(name, type, entries, lower)                         \
    int callback_##lower##_handler(struct callback of, MPI_Errhandler *to) \
    {                                                                      \
        int at = callback_place(handlers, CALLBACK_HANDLERS, &nhandlers, of); \
        MPI_Errhandler r2 = NULL;                                          \
        uint32_t before;                                                   \
        int rc;                                                            \
                                                                           \
        if (at < 0)                                                        \
            return PMPI_Comm_call_errhandler(MPI_COMM_WORLD,               \
                                             MPI_ERR_NO_MEM), MPI_ERR_NO_MEM; \
        before = stand_pass();                                             \
        rc = INSIDE(name##_create_errhandler)(entries[at],                 \
                                              ENTRY_AT(2, to));            \
        ENTRY_OWN(rc, OBJECT_ERRHANDLER, 2, to);                            \
        stand_passed(before);                                              \
        return rc;                                                         \
    }                                                                      \
    ENTRY_EXPORT int PMPI_##name##_create_errhandler(type *function,        \
                                                    MPI_Errhandler *to)    \
    {                                                                      \
        struct callback of = { (callback_f *)function, false };            \
                                                                           \
        return callback_##lower##_handler(of, to);                         \
    }                                                                      \
    ENTRY_ALIAS(name##_create_errhandler)
CREATE_HANDLER(Comm, MPI_Comm_errhandler_function, handler_comm, comm)
CREATE_HANDLER(Win, MPI_Win_errhandler_function, handler_win, win)
CREATE_HANDLER(File, MPI_File_errhandler_function, handler_file, file)

int call_Errhandler_create(MPI_Comm_errhandler_function *function,
                           MPI_Errhandler *to)
    __asm__("PMPI_Errhandler_create");
ENTRY_EXPORT int call_Errhandler_create(MPI_Comm_errhandler_function *function,
                                       MPI_Errhandler *to)
{
    return PMPI_Comm_create_errhandler(function, to);
}
ENTRY_ALIAS(Errhandler_create)

bool callback_handler_place(void *real, enum object_kind *of, int *place)
{
    *of = OBJECT_COMM;
    *place = callback_kept(real, handler_comm, nhandlers);
    if (*place < 0) {
        *of = OBJECT_WIN;
        *place = callback_kept(real, handler_win, nhandlers);
    }
    if (*place < 0) {
        *of = OBJECT_FILE;
        *place = callback_kept(real, handler_file, nhandlers);
    }
    return *place >= 0;
}

int callback_handler_again(enum object_kind of, int place, MPI_Errhandler *real)
{
    if (of == OBJECT_WIN)
        return INSIDE(Win_create_errhandler)(handler_win[place], real);
    if (of == OBJECT_FILE)
        return INSIDE(File_create_errhandler)(handler_file[place], real);
    return INSIDE(Comm_create_errhandler)(handler_comm[place], real);
}

/* ------------------------------------------------ generalized requests */

/* Goes with the request: MPI calls free_ last. */
struct generalized {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free_;
    MPI_Grequest_cancel_function *cancel;
    void *extra;
    bool complete;              /* and not waited for yet */
};

static int generalized_query(void *arg, MPI_Status *status)
{
    struct generalized *g = arg;
    int rc;

    stand_callbacks++;
    rc = g->query(g->extra, status);
    stand_callbacks--;
    return rc;
}

static int generalized_free(void *arg)
{
    struct generalized *g = arg;
    int rc;

    stand_callbacks++;
    rc = g->free_(g->extra);
    stand_callbacks--;
    free(g);
    return rc;
}

static int generalized_cancel(void *arg, int complete)
{
    struct generalized *g = arg;
    int rc;

    stand_callbacks++;
    rc = g->cancel(g->extra, complete);
    stand_callbacks--;
    return rc;
}

int callback_generalized_again(void *state, MPI_Request *real)
{
    const struct generalized *g = state;
    int rc = INSIDE(Grequest_start)(generalized_query, generalized_free,
                                    generalized_cancel, state, real);

    return rc == MPI_SUCCESS && g->complete ? INSIDE(Grequest_complete)(*real)
                                            : rc;
}

ENTRY_EXPORT int PMPI_Grequest_complete(MPI_Request request)
{
    uint32_t before = stand_pass();
    struct pending *p = pending_of(request);
    int rc;

    if (p && p->kind == PENDING_GENERALIZED && p->state == PENDING_ACTIVE)
        ((struct generalized *)p->buffer)->complete = true;
    rc = INSIDE(Grequest_complete)(object_real(request));
    stand_passed(before);
    return rc;
}
ENTRY_ALIAS(Grequest_complete)

ENTRY_EXPORT int PMPI_Grequest_start(MPI_Grequest_query_function *query,
                                    MPI_Grequest_free_function *free_,
                                    MPI_Grequest_cancel_function *cancel,
                                    void *extra, MPI_Request *request)
{
    struct generalized *g = malloc(sizeof(*g));
    MPI_Request r5 = NULL;
    uint32_t before;
    int rc;

    if (!g)
        return MPI_ERR_NO_MEM;
    *g = (struct generalized){ query, free_, cancel, extra, false };
    before = stand_pass();
    rc = INSIDE(Grequest_start)(generalized_query, generalized_free,
                                generalized_cancel, g, ENTRY_AT(5, request));
    if (rc != MPI_SUCCESS)
        free(g);
    rc = pending_made(rc, r5, request, PENDING_GENERALIZED,
                      CALL_Grequest_start, g, 0, MPI_DATATYPE_NULL, 0, 0,
                      MPI_COMM_NULL, false);
    stand_passed(before);
    return rc;
}
ENTRY_ALIAS(Grequest_start)

/* ------------------------------------------------ data representations */

/* For ever, as the representation. */
struct representation {
    struct representation *next;
    char *name;
    MPI_Datarep_conversion_function *read, *write;
    MPI_Datarep_extent_function *extent;
    void *extra;
};

static int representation_read(void *user, MPI_Datatype type, int n, void *file,
                               MPI_Offset at, void *arg)
{
    struct representation *r = arg;

    return r->read(user, object_find(OBJECT_DATATYPE, type), n, file, at,
                   r->extra);
}

static int representation_write(void *user, MPI_Datatype type, int n,
                                void *file, MPI_Offset at, void *arg)
{
    struct representation *r = arg;

    return r->write(user, object_find(OBJECT_DATATYPE, type), n, file, at,
                    r->extra);
}

static int representation_extent(MPI_Datatype type, MPI_Aint *extent, void *arg)
{
    struct representation *r = arg;

    return r->extent(object_find(OBJECT_DATATYPE, type), extent, r->extra);
}

static struct representation *representations;

static int representation_tell(struct representation *r)
{
    return INSIDE(Register_datarep)(r->name, r->read ? representation_read : NULL,
                                    r->write ? representation_write : NULL,
                                    r->extent ? representation_extent : NULL, r);
}

int callback_representations_again(void)
{
    int rc = MPI_SUCCESS;

    for (struct representation *r = representations; r && rc == MPI_SUCCESS;
         r = r->next)
        rc = representation_tell(r);
    return rc;
}

ENTRY_EXPORT int PMPI_Register_datarep(const char *name,
                                      MPI_Datarep_conversion_function *read,
                                      MPI_Datarep_conversion_function *write,
                                      MPI_Datarep_extent_function *extent,
                                      void *extra)
{
    struct representation *r = malloc(sizeof(*r));
    char *copy = strdup(name ? name : "");
    int rc = MPI_ERR_NO_MEM;

    if (r && copy) {
        *r = (struct representation){ NULL, copy, read, write, extent, extra };
        rc = representation_tell(r);
    }
    if (rc != MPI_SUCCESS) {
        free(copy);
        free(r);
        return rc;
    }
    pthread_mutex_lock(&callback_lock);
    r->next = representations;
    representations = r;
    pthread_mutex_unlock(&callback_lock);
    return rc;
}
ENTRY_ALIAS(Register_datarep)
