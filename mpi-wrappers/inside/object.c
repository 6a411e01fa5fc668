/* object.c - see object.h. Invariant: a live object that is not predefined lies
 * in the region below object_top, and those of kinds that MPI hands out more than
 * once are in the table by Open MPI's handle. The lock is held for tables and
 * free lists only; requests, which come and go with each message, are kept by
 * each thread for itself and need none. */
#include "mpi-wrappers/inside/object.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "mpi-wrappers/inside/grow.h"
#include "mpi-wrappers/span.h"

enum {
    OBJECT_LOOK = 1024,         /* chains of the table; a power of two */
    OBJECT_BATCH = 32,          /* requests that a thread takes at a time */
    OBJECT_FORTRAN = 1024,      /* first number that is ours */
    OBJECT_PART = 16,           /* of a limit on address space */
};
#define OBJECT_REGION ((size_t)1 << 32)
#define OBJECT_LEAST  ((size_t)1 << 24)

/* ------------------------------------------------------ what MPI defines */

#define PREDEFINED(kind, symbol, size) \
    __attribute__((aligned(32), visibility("default"))) char symbol[size];
#include "layer_predefined.inc"
#undef PREDEFINED

static const struct {
    enum object_kind kind;
    void *at;
    const char *symbol;
} predefined[] = {
#define PREDEFINED(kind, symbol, size) { kind, symbol, #symbol },
#include "layer_predefined.inc"
#undef PREDEFINED
};
enum { OBJECT_PREDEFINED = sizeof(predefined) / sizeof(predefined[0]) };

_Static_assert(sizeof(struct object) <= OBJECT_BYTES, "an object is too large");

static struct {
    pthread_mutex_t lock;
    struct span region;
    char *top;                  /* what is in use lies below */
    struct object *freed;
    struct object *by_real[OBJECT_LOOK];
    struct object **by_number[OBJECT_KINDS];    /* Fortran's, from 0 */
    int numbers[OBJECT_KINDS];                  /* places there */
    int next_number[OBJECT_KINDS];
    struct { int *v; int n; size_t room; } unused[OBJECT_KINDS];
} object_own_ = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct object *object_known[OBJECT_KNOWN];
void (*object_comm_ends)(struct object *o);

_Thread_local struct object *object_spare;

/* Where those are that have this handle of Open MPI's. */
static struct object **chain_of(const void *real)
{
    return &object_own_.by_real[object_hash(real) & (OBJECT_LOOK - 1)];
}

struct object *object_null(enum object_kind kind)
{
    static void *const null[OBJECT_KINDS] = {
        [OBJECT_COMM] = ompi_mpi_comm_null,
        [OBJECT_DATATYPE] = ompi_mpi_datatype_null,
        [OBJECT_REQUEST] = ompi_request_null,
        [OBJECT_OP] = ompi_mpi_op_null,
        [OBJECT_GROUP] = ompi_mpi_group_null,
        [OBJECT_WIN] = ompi_mpi_win_null,
        [OBJECT_FILE] = ompi_mpi_file_null,
        [OBJECT_INFO] = ompi_mpi_info_null,
        [OBJECT_ERRHANDLER] = ompi_mpi_errhandler_null,
        [OBJECT_MESSAGE] = ompi_message_null,
    };

    return null[kind];
}

static struct object *known_at(const void *handle)
{
    unsigned at = object_place(handle);
    struct object *o;

    while ((o = object_known[at]) && o != handle)
        at = (at + 1) & (OBJECT_KNOWN - 1);
    return o;
}

__attribute__((constructor)) static void object_init(void)
{
    for (unsigned i = 0; i < OBJECT_PREDEFINED; i++) {
        struct object *o = predefined[i].at;
        unsigned at = object_place(o);

        *o = (struct object){ .kind = (uint8_t)predefined[i].kind,
                              .predefined = true, .live = true, .refs = 1,
                              .fortran = -1 };
        while (object_known[at])
            at = (at + 1) & (OBJECT_KNOWN - 1);
        object_known[at] = o;
    }
}

/* ------------------------------------------------------------------- memory */

static bool region_open(void)
{
    if (!span_take(&object_own_.region, OBJECT_REGION, OBJECT_LEAST, OBJECT_PART))
        return false;
    object_own_.top = object_own_.region.at;
    return true;
}

/* With the lock. */
static struct object *take(void)
{
    struct object *o = object_own_.freed;

    if (o) {
        object_own_.freed = o->next;
        return o;
    }
    if ((!object_own_.region.at && !region_open()) ||
        !span_reach(&object_own_.region, OBJECT_BYTES +
                    (size_t)(object_own_.top - object_own_.region.at)))
        return NULL;
    o = (struct object *)object_own_.top;
    object_own_.top += OBJECT_BYTES;
    return o;
}

static struct object *take_request(void)
{
    struct object *o = object_spare;

    if (__builtin_expect(!o, 0)) {
        pthread_mutex_lock(&object_own_.lock);
        for (int i = 0; i < OBJECT_BATCH && (o = take()); i++) {
            o->next = object_spare;
            object_spare = o;
        }
        pthread_mutex_unlock(&object_own_.lock);
        o = object_spare;
    }
    if (o)
        object_spare = o->next;
    return o;
}

bool object_is(const void *handle)
{
    const struct object *o = handle;

    if ((const char *)handle >= object_own_.region.at &&
        (const char *)handle < object_own_.top)
        return ((uintptr_t)handle & (OBJECT_BYTES - 1)) == 0 && o->live;
    return known_at(handle) != NULL;
}

/* ------------------------------------------------------------------ lookup */

/* Does MPI hand the same handle out again? */
static bool shared(enum object_kind kind)
{
    return kind == OBJECT_COMM || kind == OBJECT_DATATYPE ||
           kind == OBJECT_WIN || kind == OBJECT_FILE ||
           kind == OBJECT_ERRHANDLER;
}

/* With the lock. */
static struct object *look(enum object_kind kind, const void *real)
{
    struct object *o = *chain_of(real);

    while (o && (o->real != real || o->kind != kind))
        o = o->next;
    return o;
}

static void enter(struct object *o)
{
    struct object **at = chain_of(o->real);

    o->next = *at;
    *at = o;
}

static void leave(struct object *o)
{
    struct object **at = chain_of(o->real);

    while (*at && *at != o)
        at = &(*at)->next;
    if (*at)
        *at = o->next;
}

/* Of those that MPI defines Open MPI's are entered too; null ones and those of
 * kinds that are not shared as well. */
void object_bind(void *(*symbol)(const char *name))
{
    pthread_mutex_lock(&object_own_.lock);
    for (unsigned i = 0; i < OBJECT_PREDEFINED; i++) {
        struct object *o = predefined[i].at;

        if (o->real)
            leave(o);
        o->real = symbol(predefined[i].symbol);
        if (o->real)
            enter(o);
    }
    pthread_mutex_unlock(&object_own_.lock);
}

void object_unbind(void)
{
    pthread_mutex_lock(&object_own_.lock);
    for (unsigned i = 0; i < OBJECT_LOOK; i++)
        object_own_.by_real[i] = NULL;
    for (unsigned i = 0; i < OBJECT_PREDEFINED; i++)
        ((struct object *)predefined[i].at)->real = NULL;
    pthread_mutex_unlock(&object_own_.lock);
}

void object_rebind(struct object *o, void *real)
{
    pthread_mutex_lock(&object_own_.lock);
    o->real = real;
    if (shared((enum object_kind)o->kind))
        enter(o);
    pthread_mutex_unlock(&object_own_.lock);
}

int object_each(enum object_kind kind, int (*one)(struct object *o, void *arg),
                void *arg)
{
    int rc = 0;

    for (char *at = object_own_.region.at; at < object_own_.top && !rc;
         at += OBJECT_BYTES) {
        struct object *o = (struct object *)at;

        if (o->live && o->kind == kind)
            rc = one(o, arg);
    }
    return rc;
}

static void fill(struct object *o, enum object_kind kind, void *real)
{
    *o = (struct object){ .real = real, .kind = (uint8_t)kind, .live = true,
                          .refs = 1, .fortran = -1 };
}

static void *own_request(void *real)
{
    struct object *o, *null = object_null(OBJECT_REQUEST);

    if (real == null->real)
        return null;
    o = take_request();
    if (o)
        fill(o, OBJECT_REQUEST, real);
    return o;
}

void *object_own(enum object_kind kind, void *real)
{
    struct object *o;

    if (kind == OBJECT_REQUEST)
        return own_request(real);
    pthread_mutex_lock(&object_own_.lock);
    o = look(kind, real);
    if (o) {
        o->refs++;
    } else if ((o = take())) {
        fill(o, kind, real);
        if (shared(kind))
            enter(o);
    }
    pthread_mutex_unlock(&object_own_.lock);
    return o;
}

void *object_bare(enum object_kind kind)
{
    struct object *o;

    if (kind == OBJECT_REQUEST) {
        o = take_request();
    } else {
        pthread_mutex_lock(&object_own_.lock);
        o = take();
        pthread_mutex_unlock(&object_own_.lock);
    }
    if (o)
        fill(o, kind, object_null(kind)->real);
    return o;
}

void *object_find(enum object_kind kind, void *real)
{
    struct object *o;

    pthread_mutex_lock(&object_own_.lock);
    o = look(kind, real);
    pthread_mutex_unlock(&object_own_.lock);
    return o ? o : real;
}

/* ----------------------------------------------------------------- Fortran */

/* With the lock, for all of these. */
static bool make_room(enum object_kind kind, int number)
{
    int room = object_own_.numbers[kind];
    struct object **v;

    if (number < room)
        return true;
    while (room <= number)
        room = room ? 2 * room : OBJECT_FORTRAN;
    v = realloc(object_own_.by_number[kind], (size_t)room * sizeof(*v));
    if (!v)
        return false;
    for (int i = object_own_.numbers[kind]; i < room; i++)
        v[i] = NULL;
    object_own_.by_number[kind] = v;
    object_own_.numbers[kind] = room;
    return true;
}

static void keep_number(enum object_kind kind, int number)
{
    int n = object_own_.unused[kind].n;
    int *v = grow(object_own_.unused[kind].v, (size_t)n,
                  &object_own_.unused[kind].room, 64, sizeof(*v));

    object_own_.by_number[kind][number] = NULL;
    if (!v)
        return;                 /* it is never used again */
    object_own_.unused[kind].v = v;
    v[n] = number;
    object_own_.unused[kind].n = n + 1;
}

static int new_number(enum object_kind kind)
{
    if (object_own_.unused[kind].n)
        return object_own_.unused[kind].v[--object_own_.unused[kind].n];
    return OBJECT_FORTRAN + object_own_.next_number[kind]++;
}

void object_number(int (*number)(enum object_kind kind, void *real))
{
    for (unsigned i = 0; i < OBJECT_PREDEFINED; i++) {
        struct object *o = predefined[i].at;
        int n = o->real ? number(predefined[i].kind, o->real) : -1;

        if (n < 0 || n >= OBJECT_FORTRAN)
            continue;
        pthread_mutex_lock(&object_own_.lock);
        if (make_room(predefined[i].kind, n)) {
            object_own_.by_number[predefined[i].kind][n] = o;
            o->fortran = n;
        }
        pthread_mutex_unlock(&object_own_.lock);
    }
}

int object_to_fortran(void *handle)
{
    struct object *o = handle;
    int number;

    if (!handle || !object_is(handle))
        return -1;
    if (o->fortran >= 0)
        return o->fortran;
    pthread_mutex_lock(&object_own_.lock);
    number = new_number((enum object_kind)o->kind);
    if (make_room((enum object_kind)o->kind, number)) {
        object_own_.by_number[o->kind][number] = o;
        o->fortran = number;
    }
    pthread_mutex_unlock(&object_own_.lock);
    return o->fortran;
}

void *object_from_fortran(enum object_kind kind, int number)
{
    struct object *o = NULL;

    pthread_mutex_lock(&object_own_.lock);
    if (number >= 0 && number < object_own_.numbers[kind])
        o = object_own_.by_number[kind][number];
    pthread_mutex_unlock(&object_own_.lock);
    return o;
}

/* ----------------------------------------------------------------- the end */

static void end(struct object *o)
{
    enum object_kind kind = (enum object_kind)o->kind;

    o->live = false;
    if (kind == OBJECT_COMM && o->comm)
        object_comm_ends(o);
    while (kind == OBJECT_REQUEST && __builtin_expect(o->kept != NULL, 0)) {
        struct object_kept *k = o->kept;

        o->kept = k->next;
        free(k);
    }
    if (kind == OBJECT_REQUEST && o->fortran < 0) {
        o->next = object_spare;
        object_spare = o;
        return;
    }
    pthread_mutex_lock(&object_own_.lock);
    if (shared(kind))
        leave(o);
    if (o->fortran >= 0)
        keep_number(kind, o->fortran);
    if (!o->held) {
        o->next = object_own_.freed;
        object_own_.freed = o;
    }
    pthread_mutex_unlock(&object_own_.lock);
}

void object_released(struct object *o)
{
    if (o->live)
        return;
    pthread_mutex_lock(&object_own_.lock);
    o->next = object_own_.freed;
    object_own_.freed = o;
    pthread_mutex_unlock(&object_own_.lock);
}

/* Was that the last reference? */
static bool drop(struct object *o)
{
    bool last;

    if (!shared((enum object_kind)o->kind))
        return true;
    pthread_mutex_lock(&object_own_.lock);
    last = --o->refs == 0;
    pthread_mutex_unlock(&object_own_.lock);
    return last;
}

void object_settle(void *handle, void *real)
{
    struct object **at = handle, *o, *null;

    if (!at || !(o = *at))
        return;
    null = object_null((enum object_kind)o->kind);
    if (real != null->real)
        return;                 /* it goes on */
    *at = null;
    if (!o->predefined && drop(o))
        end(o);
}
