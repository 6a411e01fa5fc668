/* wrapf.c - the Fortran entry points: mpif.h and "use mpi" (mpi_send_), and
 * "use mpi_f08" (mpi_send_f08_). Open MPI's Fortran layer does not call the C
 * functions that we wrap, so it needs its own wrappers.
 *
 * Everything in Fortran goes by reference; the hidden lengths of strings come
 * last, as size_t (gfortran, flang and ifort agree). A module's procedure may
 * leave out the error code: the null pointer is passed on like any other. */
#include "mpi-wrappers/record/wrap.h"
#include "mpi-wrappers/record/wrapf.h"

#include <dlfcn.h>

#include "mpi-wrappers/handles/handle.h"

#define WRAPF_INT(a) (*(const MPI_Fint *)(a))
#define WRAPF_KEY(a) about_key(WRAPF_INT(a))
#define WRAPF_IN_PLACE(a) in_place(a)

/* MPI_IN_PLACE is a variable in Fortran, under the compiler's name for it; in
 * MPICH the second one of a common block. */
static bool in_place(const void *buf)
{
    static const struct { const char *name; ptrdiff_t offset; } place[] = {
        { "mpi_fortran_in_place_", 0 }, { "mpi_fortran_in_place", 0 },
        { "mpi_fortran_in_place__", 0 }, { "MPI_FORTRAN_IN_PLACE", 0 },
        { "mpi_fortran_in_place_f08_", 0 },
        { "mpipriv1_", sizeof(MPI_Fint) }, { "mpipriv1", sizeof(MPI_Fint) },
        { "mpipriv1__", sizeof(MPI_Fint) }, { "MPIPRIV1", sizeof(MPI_Fint) },
    };
    enum { NAMES = sizeof(place) / sizeof(place[0]) };
    static const void *_Atomic at[NAMES];
    static atomic_bool known;

    if (!buf)
        return false;
    if (!atomic_load_explicit(&known, memory_order_acquire)) {
        for (unsigned i = 0; i < NAMES; i++) {
            const char *p = dlsym(RTLD_DEFAULT, place[i].name);

            atomic_store_explicit(&at[i], p ? p + place[i].offset : NULL,
                                  memory_order_relaxed);
        }
        atomic_store_explicit(&known, true, memory_order_release);
    }
    for (unsigned i = 0; i < NAMES; i++)
        if (buf == atomic_load_explicit(&at[i], memory_order_relaxed))
            return true;
    return false;
}

static inline bool all_well(const MPI_Fint *ierr)
{
    return !ierr || *ierr == MPI_SUCCESS;
}

#define WRAPF_VOID(symbol, which, name, params, args, ierr, ...)          \
    WRAP_EXPORT void symbol params;                                       \
    WRAP_EXPORT void symbol params                                        \
    {                                                                     \
        void (*real) params = (void (*) params)                           \
            real_get(which, CALL_##name);                                 \
        struct about about;                                               \
                                                                          \
        if (__builtin_expect(!real, 0))                                   \
            return;                                                       \
        about_fill(&about, (struct about){                                \
            .from = __builtin_return_address(0), __VA_ARGS__ });          \
        wrap_begin(CALL_##name, &about);                                  \
        real args;                                                        \
        wrap_end(CALL_##name, &about, all_well(ierr));                    \
    }

#define WRAPF_TYPED(symbol, which, name, params, args, type)              \
    WRAP_EXPORT type symbol params;                                       \
    WRAP_EXPORT type symbol params                                        \
    {                                                                     \
        type (*real) params = (type (*) params)                           \
            real_get(which, CALL_##name);                                 \
        struct about about;                                               \
        type value;                                                       \
                                                                          \
        if (__builtin_expect(!real, 0))                                   \
            return 0;                                                     \
        about_fill(&about, (struct about){                                \
            .from = __builtin_return_address(0),                          \
            .traits = ABOUT_FORTRAN });                                   \
        wrap_begin(CALL_##name, &about);                                  \
        value = real args;                                                \
        wrap_end(CALL_##name, &about, true);                              \
        return value;                                                     \
    }

#define WRAPF(name, lower, upper, params, args, ...)                      \
    WRAPF_VOID(mpi_##lower##_, REAL_F, name, params, args, __VA_ARGS__)   \
    WRAPF_VOID(mpi_##lower##_f08_, REAL_F08, name, params, args,          \
               __VA_ARGS__)                                               \
    WRAPF_ALIASES(void, name, lower, upper, params);

#define WRAPF_CPTR(name, lower, upper, params, args, ...)                 \
    WRAPF_VOID(mpi_##lower##_cptr_, REAL_F_CPTR, name, params, args,      \
               __VA_ARGS__)                                               \
    WRAPF_ALIASES_CPTR(name, lower, upper, params);

#define WRAPF_VALUE(name, lower, upper, params, args, type)               \
    WRAPF_TYPED(mpi_##lower##_, REAL_F, name, params, args, type)         \
    WRAPF_TYPED(mpi_##lower##_f08_, REAL_F08, name, params, args, type)   \
    WRAPF_ALIASES(type, name, lower, upper, params);

#include "wrap_f.inc"
