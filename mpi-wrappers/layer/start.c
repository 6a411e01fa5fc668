/* start.c - the beginning and the end of MPI, and what else is not made from
 * wrap.def: MPI_Type_get_contents, which hands out types again, MPI_Pcontrol, and
 * MPI_Is_thread_main. */
#include <unistd.h>

#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/layer/convert.h"
#include "mpi-wrappers/stop/make.h"
#include "mpi-wrappers/layer/message.h"
#include "mpi-wrappers/inside/opened.h"

static void start_begin(void)
{
    inside_environ(environ);
    opened_begin();
}

static int start_end(int rc)
{
    if (rc == MPI_SUCCESS) {
        opened_end();
        convert_bind();
        comm_begin();
        make_begin();
        message_begin();
        stand_begin();
    }
    return rc;
}

ENTRY_EXPORT int PMPI_Init(int *argc, char ***argv)
{
    __typeof__(&PMPI_Init) inside = (__typeof__(inside))inside_get(CALL_Init);
    int rc;

    start_begin();
    rc = inside(argc, argv);
    return start_end(rc);
}
ENTRY_ALIAS(Init)

ENTRY_EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required,
                                 int *provided)
{
    __typeof__(&PMPI_Init_thread) inside =
        (__typeof__(inside))inside_get(CALL_Init_thread);
    int rc;

    start_begin();
    rc = inside(argc, argv, required, provided);
    return start_end(rc);
}
ENTRY_ALIAS(Init_thread)

/* What belongs to MPI_COMM_SELF is given back first: MPI-3.1, section 8.7.1. */
ENTRY_EXPORT int PMPI_Finalize(void)
{
    attribute_ending(MPI_COMM_SELF);
    attribute_ending(MPI_COMM_WORLD);
    stand_end();
    return INSIDE(Finalize)();          /* another Open MPI's than before, perhaps */
}
ENTRY_ALIAS(Finalize)

/* Another Open MPI was initialized by another thread. */
ENTRY_EXPORT int PMPI_Is_thread_main(int *flag)
{
    if (!stand_many || !flag)
        return INSIDE(Is_thread_main)(flag);
    *flag = threads_is_first();
    return MPI_SUCCESS;
}
ENTRY_ALIAS(Is_thread_main)

ENTRY_EXPORT int PMPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}
ENTRY_ALIAS(Pcontrol)

ENTRY_EXPORT int PMPI_Type_get_contents(MPI_Datatype type, int max_integers,
                                       int max_addresses, int max_types,
                                       int integers[], MPI_Aint addresses[],
                                       MPI_Datatype types[])
{
    uint32_t before = stand_pass();
    int n[4] = { 0 }, rc;

    rc = INSIDE(Type_get_contents)(object_real(type), max_integers,
                                   max_addresses, max_types, integers,
                                   addresses, types);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &n[3]);
    for (int i = 0; rc == MPI_SUCCESS && i < n[2] && i < max_types; i++)
        if (!(types[i] = object_own(OBJECT_DATATYPE, types[i])))
            rc = MPI_ERR_NO_MEM;
    stand_passed(before);
    return rc;
}
ENTRY_ALIAS(Type_get_contents)
