/* wrap.c - the C entry points: MPI_Send and all the others of wrap.def, and
 * MPI_Send_c, which is recorded as MPI_Send.
 *
 * Each is: note the entry, call the real function, note the exit. A function
 * that the program's MPI library does not have returns an error. The further
 * arguments of MPI_Pcontrol are not passed on: there is no way to. */
#include "mpi-wrappers/record/wrap.h"

#include "mpi-wrappers/handles/status.h"
#include "mpi-wrappers/table/mpi4.h"

#define WRAP_MISSING(type) \
    ((type)_Generic((type *)0, int *: MPI_ERR_INTERN, default: 0))
#define WRAP_OK(type, rc) \
    _Generic((type *)0, int *: (rc) == MPI_SUCCESS, default: true)

/* What about.awk uses. */
#define WRAP_KEY(h)         handle_key((uintptr_t)(h))
#define WRAP_KEY_AT(p)      ((p) ? handle_at(p, 0) : 0)
#define WRAP_FILE_KEY(h)    ((uintptr_t)(h))
#define WRAP_FILE_KEY_AT(p) ((p) ? (uintptr_t)*(p) : 0)
/* These change the wrapper's argument, too. */
#define WRAP_STATUS(s)      ((s) = status_one((s), own), (const int *)(s))
#define WRAP_STATUSES(s, n) ((s) = status_many((s), (n), owns), (const int *)(s))
#define WRAP_IN_PLACE(b)    ((uintptr_t)(b) == handle_flavor.in_place)

#define WRAP_BODY(which, type, name, params, args, ...)                    \
    {                                                                      \
        type (*real) params = (type (*) params)                            \
            real_get(which, CALL_##name);                                  \
        struct about about;                                                \
        STATUS_OWN;                                                        \
        type rc;                                                           \
                                                                           \
        if (__builtin_expect(!real, 0))                                    \
            return WRAP_MISSING(type);                                     \
        about_fill(&about, (struct about){                                 \
            .from = __builtin_return_address(0), __VA_ARGS__ });           \
        wrap_begin(CALL_##name, &about);                                   \
        rc = real args;                                                    \
        wrap_end(CALL_##name, &about, WRAP_OK(type, rc));                  \
        return rc;                                                         \
    }

/* mpi.h checks the table: a wrong parameter does not compile. */
#define WRAP(type, name, params, args, ...)                                \
    WRAP_EXPORT type MPI_##name params                                     \
    WRAP_BODY(REAL_C, type, name, params, args, __VA_ARGS__)

/* Not declared there, or a macro, or declared in several ways. */
#define WRAP_UNDECLARED(type, name, params, args, ...)                     \
    WRAP_EXPORT type wrap_##name params __asm__("MPI_" #name);             \
    WRAP_EXPORT type wrap_##name params                                    \
    WRAP_BODY(REAL_C, type, name, params, args, __VA_ARGS__)

#if MPI4_IS_DECLARED
#define WRAP_MPI4 WRAP
#else
#define WRAP_MPI4 WRAP_UNDECLARED
#endif

#if MPI_VERSION < 4
#define WRAP_LARGE(type, name, params, args, ...)                          \
    WRAP_EXPORT type wrap_##name##_c params __asm__("MPI_" #name "_c");    \
    WRAP_EXPORT type wrap_##name##_c params                                \
    WRAP_BODY(REAL_LARGE, type, name, params, args, __VA_ARGS__)
#else
#define WRAP_LARGE(type, name, params, args, ...)                          \
    WRAP_EXPORT type MPI_##name##_c params                                 \
    WRAP_BODY(REAL_LARGE, type, name, params, args, __VA_ARGS__)
#endif

#include "wrap_c.inc"
