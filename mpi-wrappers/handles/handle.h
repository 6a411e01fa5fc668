/* handle.h - MPI's handles as keys (about.h), for files that know mpi.h.
 *
 * The library meets programs of either kind of MPI, whichever it was built
 * with: Open MPI's handles are pointers, MPICH's and its relatives' are
 * integers, which arrive in the same registers. What differs beyond that is
 * in handle_flavor. Files are pointers in both. */
#ifndef HECTOR_HANDLE_H
#define HECTOR_HANDLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/about.h"
#include "mpi-wrappers/table/real.h"

struct handle_flavor {
    bool ints;                  /* handles are integers, the same in Fortran */
    int any_source, proc_null;
    /* Where they stand in a status, and how large that is, in ints. */
    int status_source, status_tag, status_ints;
    uintptr_t status_ignore;
    uintptr_t in_place;
};
extern struct handle_flavor handle_flavor;

/* By MPI's own version text. False: one that we know nothing of. */
bool handle_choose(const char *version);

static inline uintptr_t handle_key(uintptr_t h)
{
    return __builtin_expect(handle_flavor.ints, 0) ? about_key((int)h) : h;
}

/* One that is stored somewhere, or in an array. */
static inline uintptr_t handle_at(const void *at, int64_t i)
{
    return __builtin_expect(handle_flavor.ints, 0)
           ? about_key(((const int *)at)[i]) : ((const uintptr_t *)at)[i];
}

/* Source and tag of a status that C's caller gave; false: it gave none. */
bool handle_status(const int *status, int *source, int *tag);

/* And back. */
static inline uintptr_t handle_of(uintptr_t key)
{
    return __builtin_expect(handle_flavor.ints, 0) ? key >> 1 : key;
}
#define HANDLE_OF(type, key) ((type)handle_of(key))

/* The key of the C handle for one of Fortran's. */
uintptr_t handle_comm_f2c(int f);
uintptr_t handle_win_f2c(int f);
uintptr_t handle_file_f2c(int f);
uintptr_t handle_type_f2c(int f);
uintptr_t handle_group_f2c(int f);

/* Those that never change, as keys. */
enum handle_known { HANDLE_WORLD, HANDLE_SELF, HANDLE_NO_COMM, HANDLE_NO_WIN,
                    HANDLE_NO_FILE, HANDLE_NO_REQUEST, HANDLE_BYTE,
                    HANDLE_NO_GROUP };
uintptr_t handle_known(enum handle_known which);

/* PMPI_name(...), or else: the program's MPI library does not have it. */
#define HANDLE_ASK(name, params, args, or_else) \
    (real_get(REAL_P, CALL_##name) \
        ? ((int (*) params)real_get(REAL_P, CALL_##name)) args : (or_else))

#endif
