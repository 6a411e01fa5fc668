/* calls.c - what functions of libraries do with their arguments. Those of MPI
 * come from the table of the wrappers. */
#include "slave/slice/calls.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

struct row { const char *name, *args; };

static const struct row of_mpi[] = {
#include "slice_args.inc"
};

static const struct row others[] = {
    { "memcpy", "wrv" }, { "memmove", "wrv" }, { "memset", "wvv" },
    { "strcmp", "rr" }, { "strncmp", "rrv" }, { "strlen", "r" },
    { "atoi", "r" }, { "strtol", "rwv" }, { "strtod", "rw" },
    { "free", "d" }, { "malloc", "v" }, { "calloc", "vv" },
    { "printf", "dvvvvv" }, { "puts", "d" }, { "fprintf", "ddvvvv" },
    { "fputs", "dd" }, { "fflush", "d" }, { "usleep", "v" }, { "sleep", "v" },
    { "nanosleep", "dw" }, { "sched_yield", "" }, { "getenv", "d" },
    { "HCT_RT_Tag", "vd" },
    /* operator new and delete of C++, for one and for arrays */
    { "_Znwm", "v" }, { "_Znam", "v" }, { "_ZdlPv", "d" }, { "_ZdaPv", "d" },
    { "_ZdlPvm", "dv" }, { "_ZdaPvm", "dv" },
};

struct ending { const char *name; bool begins; };

static const struct ending endings[] = {
    { "exit", false }, { "_exit", false }, { "abort", false },
    { "__assert_fail", false }, { "__stack_chk_fail", false },
    { "quick_exit", false }, { "pthread_exit", false },
    { "_gfortran_stop_", true }, { "_gfortran_error_stop_", true },
    { "_gfortran_runtime_error", true }, { "_gfortran_os_error", true },
    { "__cxa_throw", false }, { "__cxa_rethrow", false },
    { "_Unwind_Resume", false }, { "_ZSt9terminatev", false },
};

/* "mpi_recv_", "mpi_recv_f08_": the function of MPI without MPI_. */
static size_t fortran_name(const char **name)
{
    size_t n;

    *name += 4;
    n = strlen(*name);
    while (n && (*name)[n - 1] == '_')
        n--;
    if (n > 4 && strncmp(*name + n - 4, "_f08", 4) == 0)
        n -= 4;
    return n;
}

static const char *look(const struct row *v, size_t n, const char *name,
                        size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(v[i].name) == bytes &&
            strncasecmp(v[i].name, name, bytes) == 0)
            return v[i].args;
    return NULL;
}

struct call_about calls_about(const char *name)
{
    struct call_about a = { NULL, false, false };

    if (!name)
        return a;
    if (strncmp(name, "PMPI_", 5) == 0 || strncmp(name, "pmpi_", 5) == 0)
        name++;
    if (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "mpi_", 4) == 0) {
        size_t n;

        a.mpi = true;
        a.fortran = name[0] == 'm';
        n = fortran_name(&name);
        a.args = look(of_mpi, sizeof(of_mpi) / sizeof(of_mpi[0]), name, n);
        return a;
    }
    if (strncmp(name, "_gfortran_", 10) == 0) {
        size_t n = strlen(name);

        if (n > 6 && strcmp(name + n - 6, "_write") == 0)
            a.args = "ddv";
        else if (strncmp(name, "_gfortran_st_", 13) == 0)
            a.args = "d";
        else if (strcmp(name, "_gfortran_set_args") == 0 ||
                 strcmp(name, "_gfortran_set_options") == 0)
            a.args = "vd";
        return a;
    }
    a.args = look(others, sizeof(others) / sizeof(others[0]), name,
                  strlen(name));
    return a;
}

static bool is_of_mpi(const char *name)
{
    return name && (strncasecmp(name, "mpi_", 4) == 0 ||
                    strncasecmp(name, "pmpi_", 5) == 0);
}

bool calls_identify(const char *name)
{
    static const char *const names[] = { "Comm_rank", "Comm_size", "Init",
                                         "Init_thread" };
    size_t n;

    if (!is_of_mpi(name))
        return false;
    name += strncasecmp(name, "pmpi_", 5) == 0;
    n = fortran_name(&name);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == n && strncasecmp(names[i], name, n) == 0)
            return true;
    return false;
}

bool calls_rank(const char *name)
{
    return is_of_mpi(name) && strcasestr(name, "comm_rank");
}

bool calls_alike(const char *name)
{
    static const char *const parts[] = { "comm_size", "allreduce", "allgather",
                                         "bcast" };

    if (!name)
        return false;
    if (!is_of_mpi(name))
        return calls_about(name).args != NULL;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

bool calls_receives(const char *name)
{
    return is_of_mpi(name) && (strcasestr(name, "_recv") ||
                               strcasestr(name, "_irecv"));
}

bool calls_sends(const char *name)
{
    return is_of_mpi(name) && strcasestr(name, "send");
}

bool calls_awaited(const char *name)
{
    static const char *const parts[] = { "send", "barrier", "bcast", "reduce",
                                         "gather", "scatter", "alltoall" };

    if (!is_of_mpi(name))
        return false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

bool calls_meets(const char *name)
{
    return (calls_awaited(name) && !calls_sends(name)) ||
           (is_of_mpi(name) && strcasestr(name, "finalize"));
}

bool calls_end(const char *name)
{
    /* The library of C++ has a function for each exception that it throws. */
    if (name && strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_"))
        return true;
    for (size_t i = 0; name && i < sizeof(endings) / sizeof(endings[0]); i++) {
        const struct ending *e = &endings[i];

        if (e->begins ? strncmp(name, e->name, strlen(e->name)) == 0
                      : strcmp(name, e->name) == 0)
            return true;
    }
    return false;
}
