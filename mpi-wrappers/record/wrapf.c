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

#include "mpi-wrappers/handles/status.h"

#define WRAPF_INT(a) (*(const MPI_Fint *)(a))
#define WRAPF_KEY(a) about_key(WRAPF_INT(a))
#define WRAPF_IN_PLACE(a) is_constant(&in_place, a)
/* These change the wrapper's argument, too. */
#define WRAPF_STATUS(s) ((s) = status_for(&no_status, (s), own))
#define WRAPF_STATUSES(s, n) \
    ((s) = status_many_for(&no_statuses, (s), (n), owns))

/* A constant of MPI is a variable in Fortran, under the compiler's name for it; in MPICH
 * one of a common block, so many integers from its beginning. */
enum { NAMES = 9 };
struct constant {
    struct { const char *name; unsigned ints; } is[NAMES];
    const void *_Atomic at[NAMES];
    atomic_bool known;
};
#define SPELLED(lower, upper, ints)                                       \
    { #lower "_", ints }, { #lower, ints }, { #lower "__", ints }, { #upper, ints }
static struct constant
in_place = { .is = { SPELLED(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE, 0),
                     { "mpi_fortran_in_place_f08_", 0 },
                     SPELLED(mpipriv1, MPIPRIV1, 1) } },
no_status = { .is = { SPELLED(mpi_fortran_status_ignore,
                              MPI_FORTRAN_STATUS_IGNORE, 0),
                      { "MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0 },
                      SPELLED(mpipriv1, MPIPRIV1, 2) } },
no_statuses = { .is = { SPELLED(mpi_fortran_statuses_ignore,
                                MPI_FORTRAN_STATUSES_IGNORE, 0),
                        { "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0 },
                        SPELLED(mpipriv2, MPIPRIV2, 0) } };

static bool is_constant(struct constant *c, const void *arg)
{
    if (!arg)
        return false;
    if (!atomic_load_explicit(&c->known, memory_order_acquire)) {
        for (unsigned i = 0; i < NAMES; i++) {
            const MPI_Fint *p = c->is[i].name ? dlsym(RTLD_DEFAULT, c->is[i].name)
                                              : NULL;

            atomic_store_explicit(&c->at[i], p ? p + c->is[i].ints : NULL,
                                  memory_order_relaxed);
        }
        atomic_store_explicit(&c->known, true, memory_order_release);
    }
    for (unsigned i = 0; i < NAMES; i++)
        if (arg == atomic_load_explicit(&c->at[i], memory_order_relaxed))
            return true;
    return false;
}

/* A status in Fortran has what one in C has, in the same places. */
static void *status_for(struct constant *none, void *given, int *own)
{
    return atomic_load_explicit(&status_known, memory_order_relaxed) &&
           is_constant(none, given) ? own : given;
}

static void *status_many_for(struct constant *none, void *given, int64_t n,
                             int *own)
{
    return n > 0 && n <= STATUS_MANY &&
           atomic_load_explicit(&status_open, memory_order_relaxed)
           ? status_for(none, given, own) : given;
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
        STATUS_OWN;                                                       \
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
