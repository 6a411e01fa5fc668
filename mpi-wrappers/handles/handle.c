/* handle.c - MPI's handles as keys, see handle.h.
 *
 * Open MPI's well-known handles are addresses in its library, which we are
 * not linked with; their numbers in Fortran lead to them. The numbers of
 * either kind are in the ABI of its binaries, and do not change. */
#include "mpi-wrappers/handles/handle.h"

#include <string.h>

static const struct handle_flavor pointers = {
    .any_source = -1, .proc_null = -2, .status_tag = 1, .status_ints = 6,
    .in_place = 1,
};
static const struct handle_flavor integers = {
    .ints = true, .any_source = -2, .proc_null = -1, .status_source = 2,
    .status_tag = 3, .status_ints = 5, .status_ignore = 1,
    .in_place = UINTPTR_MAX,
};
struct handle_flavor handle_flavor = {
    .any_source = -1, .proc_null = -2, .status_tag = 1, .status_ints = 6,
    .in_place = 1,
};

bool handle_choose(const char *version)
{
    static const char *const like_mpich[] = { "MPICH", "MVAPICH", "Intel(R) MPI",
                                              "MPI VERSION    : CRAY MPICH" };

    if (strncmp(version, "Open MPI", 8) == 0) {
        handle_flavor = pointers;
        return true;
    }
    for (unsigned i = 0; i < sizeof(like_mpich) / sizeof(like_mpich[0]); i++)
        if (strncmp(version, like_mpich[i], strlen(like_mpich[i])) == 0) {
            handle_flavor = integers;
            return true;
        }
    return false;
}

bool handle_status(const int *status, int *source, int *tag)
{
    if (!status || (uintptr_t)status == handle_flavor.status_ignore)
        return false;
    *source = status[handle_flavor.status_source];
    *tag = status[handle_flavor.status_tag];
    return true;
}

static uintptr_t f2c(unsigned call, int f)
{
    real_f *real = real_get(REAL_P, call);

    return real ? ((uintptr_t (*)(int))real)(f) : 0;
}

uintptr_t handle_comm_f2c(int f)
{
    return handle_flavor.ints ? about_key(f) : f2c(CALL_Comm_f2c, f);
}

uintptr_t handle_win_f2c(int f)
{
    return handle_flavor.ints ? about_key(f) : f2c(CALL_Win_f2c, f);
}

uintptr_t handle_file_f2c(int f)
{
    return f2c(CALL_File_f2c, f);
}

uintptr_t handle_type_f2c(int f)
{
    return handle_flavor.ints ? about_key(f) : f2c(CALL_Type_f2c, f);
}

uintptr_t handle_group_f2c(int f)
{
    return handle_flavor.ints ? about_key(f) : f2c(CALL_Group_f2c, f);
}

uintptr_t handle_known(enum handle_known which)
{
    static const struct { unsigned call; int fortran, number; } known[] = {
        [HANDLE_WORLD] = { CALL_Comm_f2c, 0, 0x44000000 },
        [HANDLE_SELF] = { CALL_Comm_f2c, 1, 0x44000001 },
        [HANDLE_NO_COMM] = { CALL_Comm_f2c, 2, 0x04000000 },
        [HANDLE_NO_WIN] = { CALL_Win_f2c, 0, 0x20000000 },
        [HANDLE_NO_FILE] = { CALL_File_f2c, 0, 0 },
        [HANDLE_NO_REQUEST] = { CALL_Request_f2c, 0, 0x2c000000 },
        [HANDLE_BYTE] = { CALL_Type_f2c, 1, 0x4c00010d },
        [HANDLE_NO_GROUP] = { CALL_Group_f2c, 0, 0x08000000 },
    };

    if (which == HANDLE_NO_FILE && handle_flavor.ints)
        return 0;                       /* a null pointer */
    return handle_flavor.ints ? about_key(known[which].number)
                              : f2c(known[which].call, known[which].fortran);
}
