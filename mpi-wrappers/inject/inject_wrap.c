/* inject_wrap.c - the injector's C entry points, one for each function of
 * wrap.def, between libhector.so and MPI. A message that is to be dropped
 * goes to MPI_PROC_NULL: MPI itself makes a request for it that is complete. */
#include "mpi-wrappers/inject/inject.h"
#include "mpi-wrappers/record/wrap.h"

#include "mpi-wrappers/handles/handle.h"
#include "mpi-wrappers/table/mpi4.h"

#define INJECT_MISSING(type) \
    ((type)_Generic((type *)0, int *: MPI_ERR_INTERN, default: 0))

#define INJECT_BODY(which, type, name, params, args, receiver, to_nobody)  \
    {                                                                      \
        type (*real) params = (type (*) params)                            \
            real_get(which, CALL_##name);                                  \
        struct inject_call call;                                           \
        type rc;                                                           \
                                                                           \
        if (!real)                                                         \
            return INJECT_MISSING(type);                                   \
        if (inject_enter(CALL_##name, receiver, &call))                    \
            to_nobody;                                                     \
        rc = real args;                                                    \
        inject_leave(CALL_##name, &call);                                  \
        return rc;                                                         \
    }

#define INJECT(type, name, params, args, receiver, to_nobody)              \
    WRAP_EXPORT type MPI_##name params                                     \
    INJECT_BODY(REAL_C, type, name, params, args, receiver, to_nobody)

#define INJECT_UNDECLARED(type, name, params, args, receiver, to_nobody)   \
    WRAP_EXPORT type inject_##name params __asm__("MPI_" #name);           \
    WRAP_EXPORT type inject_##name params                                  \
    INJECT_BODY(REAL_C, type, name, params, args, receiver, to_nobody)

/* Whether mpi.h agrees wrap.c has found out. */
#define INJECT_MPI4 INJECT_UNDECLARED

#define INJECT_LARGE(type, name, params, args, receiver, to_nobody)        \
    WRAP_EXPORT type inject_##name##_c params __asm__("MPI_" #name "_c");  \
    WRAP_EXPORT type inject_##name##_c params                              \
    INJECT_BODY(REAL_LARGE, type, name, params, args, receiver, to_nobody)

#include "inject_c.inc"
