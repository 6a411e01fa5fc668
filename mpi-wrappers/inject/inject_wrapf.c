/* inject_wrapf.c - the injector's Fortran entry points; see wrapf.c. */
#include "mpi-wrappers/inject/inject.h"
#include "mpi-wrappers/record/wrap.h"
#include "mpi-wrappers/record/wrapf.h"

#include "mpi-wrappers/handles/handle.h"

#define INJECTF_VOID(symbol, which, name, params, args, receiver,         \
                     to_nobody)                                           \
    WRAP_EXPORT void symbol params;                                       \
    WRAP_EXPORT void symbol params                                        \
    {                                                                     \
        void (*real) params = (void (*) params)                           \
            real_get(which, CALL_##name);                                 \
        struct inject_call call;                                          \
                                                                          \
        if (!real)                                                        \
            return;                                                       \
        if (inject_enter(CALL_##name, receiver, &call))                   \
            to_nobody;                                                    \
        real args;                                                        \
        inject_leave(CALL_##name, &call);                                 \
    }

#define INJECTF_TYPED(symbol, which, name, params, args, type)            \
    WRAP_EXPORT type symbol params;                                       \
    WRAP_EXPORT type symbol params                                        \
    {                                                                     \
        type (*real) params = (type (*) params)                           \
            real_get(which, CALL_##name);                                 \
        struct inject_call call;                                          \
        type value;                                                       \
                                                                          \
        if (!real)                                                        \
            return 0;                                                     \
        inject_enter(CALL_##name, INJECT_NOBODY, &call);                  \
        value = real args;                                                \
        inject_leave(CALL_##name, &call);                                 \
        return value;                                                     \
    }

#define INJECTF(name, lower, upper, params, args, receiver, to_nobody)    \
    INJECTF_VOID(mpi_##lower##_, REAL_F, name, params, args, receiver,    \
                 to_nobody)                                               \
    INJECTF_VOID(mpi_##lower##_f08_, REAL_F08, name, params, args,        \
                 receiver, to_nobody)                                     \
    WRAPF_ALIASES(void, name, lower, upper, params);

#define INJECTF_CPTR(name, lower, upper, params, args, receiver,          \
                     to_nobody)                                           \
    INJECTF_VOID(mpi_##lower##_cptr_, REAL_F_CPTR, name, params, args,    \
                 receiver, to_nobody)                                     \
    WRAPF_ALIASES_CPTR(name, lower, upper, params);

#define INJECTF_VALUE(name, lower, upper, params, args, type)             \
    INJECTF_TYPED(mpi_##lower##_, REAL_F, name, params, args, type)       \
    INJECTF_TYPED(mpi_##lower##_f08_, REAL_F08, name, params, args, type) \
    WRAPF_ALIASES(type, name, lower, upper, params);

#include "inject_f.inc"
