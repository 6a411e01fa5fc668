/* object.h - MPI's handles as the program sees them.
 *
 * Open MPI's handles are addresses. The program's are addresses of ours, and
 * the first word behind each is the handle of the Open MPI that is loaded now:
 * a call gets from one to the other by one load, and when another Open MPI is
 * loaded, the program's handles stay. What MPI defines itself (MPI_COMM_WORLD,
 * MPI_INT) are variables that the linker copies into the program, of exactly
 * the sizes that Open MPI gives them; they are objects of the same kind.
 *
 * All others lie in one region of address space, so that any word can be asked
 * whether it is a handle: arguments that MPI does not look at (the receive type
 * of a gather, away from the root) may be anything. */
#ifndef HECTOR_INSIDE_OBJECT_H
#define HECTOR_INSIDE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_kind {
    OBJECT_COMM, OBJECT_DATATYPE, OBJECT_REQUEST, OBJECT_OP, OBJECT_GROUP,
    OBJECT_WIN, OBJECT_FILE, OBJECT_INFO, OBJECT_ERRHANDLER, OBJECT_MESSAGE,
    OBJECT_KINDS
};

struct attribute;
struct comm;
struct object_kept {            /* handles of Open MPI's that a request reads */
    struct object_kept *next;
    void *v[];
};

struct object {
    void *real;                 /* Open MPI's; first: see above */
    uint8_t kind;               /* enum object_kind */
    bool predefined, live;
    uint32_t refs;              /* times that MPI has given it out */
    int32_t fortran;            /* its number there; -1: none yet */
    uint32_t held;              /* a type's: by requests that need it yet, when it
                                   lives no more too */
    union {
        struct attribute *attributes;   /* owned: attribute.c; newest first */
        struct object_kept *kept;       /* owned: of a request, until its end */
    };
    struct object *next;        /* of those with the same hash, or free ones; a
                                   request that is unfinished: pending.h */
    struct comm *comm;          /* of a communicator: owned; of a request that
                                   goes on on one: borrowed */
};

/* Of which a request needs all. */
enum { OBJECT_BYTES = 128 };    /* two lines of the cache */

/* Called for a communicator that has something in comm. */
extern void (*object_comm_ends)(struct object *o);

/* Requests that have ended, of this thread; by object.next. For pending.h too,
 * which does by hand what is done with each. */
extern _Thread_local struct object *object_spare
    __attribute__((tls_model("initial-exec")));

/* NULL stays NULL, for Open MPI to complain of. */
static inline void *object_real(const void *handle)
{
    return handle ? *(void *const *)handle : NULL;
}

/* Is it a handle at all? */
bool object_is(const void *handle);

/* Those that MPI defines, by address, each at its place or, where that was taken,
 * at one of the next. */
enum { OBJECT_KNOWN = 512 };    /* a power of two */
extern struct object *object_known[OBJECT_KNOWN];

static inline unsigned object_hash(const void *p)
{
    return (unsigned)(((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 40);
}

static inline unsigned object_place(const void *p)
{
    return object_hash(p) & (OBJECT_KNOWN - 1);
}

/* Of an argument that may mean nothing: what is no handle stays as it is. */
__attribute__((always_inline))
static inline void *object_real_if(const void *handle)
{
    return __builtin_expect(object_known[object_place(handle)] == handle, 1)
           ? object_real(handle)
           : object_is(handle) ? object_real(handle) : (void *)(uintptr_t)handle;
}

/* MPI_COMM_NULL and the like, the program's. */
struct object *object_null(enum object_kind kind);

/* The program's handle for one of Open MPI's: one that MPI defines, the one
 * that it got before (its count of references grows), or a new one; NULL if
 * there is no memory. Of requests, groups, infos, operators and messages each
 * is new. */
void *object_own(enum object_kind kind, void *real);

/* The same without a reference, for callbacks; what is not known is given
 * back as it is. */
void *object_find(enum object_kind kind, void *real);

/* A request, or a message, that Open MPI has no handle for. */
void *object_bare(enum object_kind kind);

/* What a request needs of a type that the program may free meanwhile. Not by
 * several threads at once. */
void object_released(struct object *o);
static inline void object_hold(void *type)
{
    struct object *o = type;

    if (o && __builtin_expect(!o->predefined, 0))
        o->held++;
}
static inline void object_release(void *type)
{
    struct object *o = type;

    if (o && __builtin_expect(!o->predefined, 0) && --o->held == 0)
        object_released(o);
}

/* After a call that may have ended it: real is what the call left of Open MPI's
 * handle. *handle becomes null, and the object ends with its last reference. */
void object_settle(void *handle, void *real);

/* Fortran's number of a handle, and back; -1 and NULL if there is none. What MPI
 * defines has the numbers that Open MPI's mpif.h says, from object_number() on. */
void object_number(int (*number)(enum object_kind kind, void *real));
int object_to_fortran(void *handle);
void *object_from_fortran(enum object_kind kind, int number);

/* What MPI defines is known to the Open MPI that has been loaded. */
void object_bind(void *(*symbol)(const char *name));

/* It goes: no handle of it is known any more. Those of what is made again are
 * told one by one. */
void object_unbind(void);
void object_rebind(struct object *o, void *real);

/* All that live but for those that MPI defines; -1 and no more of them when one
 * is no good. */
int object_each(enum object_kind kind, int (*one)(struct object *o, void *arg),
                void *arg);

#endif
