/* rebuild_type.c - see rebuild_type.h. A type is what MPI_Type_get_contents says:
 * how the integers, addresses and types of each are to be read stands in MPI-3.1,
 * section 4.1.13. */
#include "mpi-wrappers/swap/rebuild_type.h"

#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/layer/call.h"

enum { TYPE_LOOK = 256 };       /* chains; a power of two */

struct rebuild_type {
    struct rebuild_type *next;  /* read after it */
    struct rebuild_type *chain;
    struct object *object;      /* NULL: the program has none */
    void *was, *now;
    bool committed;
    int combiner, nints, naddresses, ntypes;
    int *ints;                  /* owned, all three */
    MPI_Aint *addresses;
    struct rebuild_type **parts;
    char name[MPI_MAX_OBJECT_NAME];
};

static struct {
    struct rebuild_type *chains[TYPE_LOOK];
    struct rebuild_type *first, **last; /* parts before what is made of them */
} types = { .last = &types.first };

/* ------------------------------------------------------------------ read */

/* Open MPI lets nobody send one that is not, not even nothing to nobody. */
static bool is_committed(void *real)
{
    return INSIDE(Send)(NULL, 0, real, MPI_PROC_NULL, 0,
                         object_real(MPI_COMM_SELF)) == MPI_SUCCESS;
}

typedef int32_t args_f(const void *type, int32_t which, int32_t *nints,
                       int32_t *ints, int32_t *naddresses, ptrdiff_t *addresses,
                       int32_t *ntypes, void **types, int32_t *combiner);

/* MPI_Type_get_contents gives copies of the parts: with its own way of looking
 * they are the same as often as they are used. */
static int read_contents(struct rebuild_type *t, void **reals)
{
    int32_t combiner;
    args_f *args;

    *(void **)&args = inside_symbol("ompi_datatype_get_args");
    if (args)
        return args(t->was, 1, &t->nints, t->ints, &t->naddresses, t->addresses,
                    &t->ntypes, reals, &combiner);
    return INSIDE(Type_get_contents)(t->was, t->nints, t->naddresses, t->ntypes,
                                      t->ints, t->addresses,
                                      (MPI_Datatype *)reals);
}

static int read_parts(struct rebuild_type *t)
{
    size_t n = (size_t)t->ntypes;
    void **reals = calloc(n + 1, sizeof(void *));
    int rc = MPI_ERR_NO_MEM;

    t->ints = calloc((size_t)t->nints + 1, sizeof(*t->ints));
    t->addresses = calloc((size_t)t->naddresses + 1, sizeof(*t->addresses));
    t->parts = calloc(n + 1, sizeof(struct rebuild_type *));
    if (reals && t->ints && t->addresses && t->parts)
        rc = read_contents(t, reals);
    for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++)
        if (!(t->parts[i] = rebuild_type_get(reals[i])))
            rc = MPI_ERR_TYPE;
    free(reals);
    return rc;
}

static void forget(struct rebuild_type *t)
{
    free(t->ints);
    free(t->addresses);
    free(t->parts);
    free(t);
}

static int read_type(struct rebuild_type *t)
{
    int n = 0, rc;

    rc = INSIDE(Type_get_envelope)(t->was, &t->nints, &t->naddresses,
                                    &t->ntypes, &t->combiner);
    if (rc != MPI_SUCCESS || (t->object && t->object->predefined))
        return rc;
    if (t->combiner == MPI_COMBINER_NAMED)
        return MPI_ERR_TYPE;    /* one that we do not know */
    t->committed = is_committed(t->was);
    rc = INSIDE(Type_get_name)(t->was, t->name, &n);
    return rc == MPI_SUCCESS ? read_parts(t) : rc;
}

struct rebuild_type *rebuild_type_get(void *real)
{
    struct rebuild_type **chain =
        &types.chains[object_hash(real) & (TYPE_LOOK - 1)], *t = *chain;
    struct object *o = object_find(OBJECT_DATATYPE, real);

    while (t && t->was != real)
        t = t->chain;
    if (t || !(t = calloc(1, sizeof(*t))))
        return t;
    t->was = real;
    t->object = object_is(o) ? o : NULL;
    if (read_type(t) != MPI_SUCCESS) {
        forget(t);
        return NULL;
    }
    t->chain = *chain;
    *chain = t;
    *types.last = t;
    types.last = &t->next;
    return t;
}

static int read_one(struct object *o, void *arg)
{
    (void)arg;
    return rebuild_type_get(o->real) ? MPI_SUCCESS : MPI_ERR_TYPE;
}

int rebuild_type_read(void)
{
    return object_each(OBJECT_DATATYPE, read_one, NULL);
}

/* ------------------------------------------------------------------ make */

void *rebuild_type_now(const struct rebuild_type *t)
{
    return t->now ? t->now : object_real(t->object);
}

static int make_structured(const struct rebuild_type *t, MPI_Datatype part,
                           MPI_Datatype *to)
{
    const int *i = t->ints;
    int n = i[0], rc = MPI_ERR_NO_MEM;
    MPI_Datatype *parts;

    if (t->combiner == MPI_COMBINER_SUBARRAY)
        return INSIDE(Type_create_subarray)(n, i + 1, i + 1 + n, i + 1 + 2 * n,
                                             i[1 + 3 * n], part, to);
    if (t->combiner == MPI_COMBINER_DARRAY) {
        n = i[2];
        return INSIDE(Type_create_darray)(i[0], i[1], n, i + 3, i + 3 + n,
                                           i + 3 + 2 * n, i + 3 + 3 * n,
                                           i[3 + 4 * n], part, to);
    }
    parts = calloc((size_t)t->ntypes + 1, sizeof(MPI_Datatype));
    for (int k = 0; parts && k < t->ntypes; k++)
        parts[k] = rebuild_type_now(t->parts[k]);
    if (parts)
        rc = INSIDE(Type_create_struct)(n, i + 1, t->addresses, parts, to);
    free(parts);
    return rc;
}

static int make_type(const struct rebuild_type *t, MPI_Datatype *to)
{
    const int *i = t->ints;
    const MPI_Aint *a = t->addresses;
    MPI_Datatype part = t->ntypes ? rebuild_type_now(t->parts[0]) : NULL;

    switch (t->combiner) {
    case MPI_COMBINER_DUP:
        return INSIDE(Type_dup)(part, to);
    case MPI_COMBINER_CONTIGUOUS:
        return INSIDE(Type_contiguous)(i[0], part, to);
    case MPI_COMBINER_VECTOR:
        return INSIDE(Type_vector)(i[0], i[1], i[2], part, to);
    case MPI_COMBINER_HVECTOR:
        return INSIDE(Type_create_hvector)(i[0], i[1], a[0], part, to);
    case MPI_COMBINER_INDEXED:
        return INSIDE(Type_indexed)(i[0], i + 1, i + 1 + i[0], part, to);
    case MPI_COMBINER_HINDEXED:
        return INSIDE(Type_create_hindexed)(i[0], i + 1, a, part, to);
    case MPI_COMBINER_INDEXED_BLOCK:
        return INSIDE(Type_create_indexed_block)(i[0], i[1], i + 2, part, to);
    case MPI_COMBINER_HINDEXED_BLOCK:
        return INSIDE(Type_create_hindexed_block)(i[0], i[1], a, part, to);
    case MPI_COMBINER_RESIZED:
        return INSIDE(Type_create_resized)(part, a[0], a[1], to);
    case MPI_COMBINER_F90_REAL:
        return INSIDE(Type_create_f90_real)(i[0], i[1], to);
    case MPI_COMBINER_F90_COMPLEX:
        return INSIDE(Type_create_f90_complex)(i[0], i[1], to);
    case MPI_COMBINER_F90_INTEGER:
        return INSIDE(Type_create_f90_integer)(i[0], to);
    case MPI_COMBINER_STRUCT:
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        return make_structured(t, part, to);
    default:
        return MPI_ERR_TYPE;
    }
}

/* Those that the program cannot free: the same one each time. */
static bool is_f90(const struct rebuild_type *t)
{
    return t->combiner == MPI_COMBINER_F90_REAL ||
           t->combiner == MPI_COMBINER_F90_COMPLEX ||
           t->combiner == MPI_COMBINER_F90_INTEGER;
}

static int make_one(struct rebuild_type *t)
{
    MPI_Datatype real = NULL;
    int rc = make_type(t, &real);

    t->now = real;
    if (rc == MPI_SUCCESS && t->committed)
        rc = INSIDE(Type_commit)(&real);
    if (rc == MPI_SUCCESS && *t->name)
        rc = INSIDE(Type_set_name)(real, t->name);
    if (rc == MPI_SUCCESS && t->object)
        object_rebind(t->object, real);
    return rc;
}

int rebuild_type_make(void)
{
    int rc = MPI_SUCCESS;

    for (struct rebuild_type *t = types.first; t && rc == MPI_SUCCESS; t = t->next)
        if (!(t->object && t->object->predefined))
            rc = make_one(t);
    return rc;
}

/* What the program had freed goes with what needs it. */
void rebuild_type_end(void)
{
    struct rebuild_type *t = types.first;

    while (t) {
        struct rebuild_type *next = t->next;
        MPI_Datatype real = t->now;

        if (real && !t->object && !is_f90(t))
            INSIDE(Type_free)(&real);
        forget(t);
        t = next;
    }
    types.first = NULL;
    types.last = &types.first;
    memset(types.chains, 0, sizeof(types.chains));
}
