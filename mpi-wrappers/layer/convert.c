/* convert.c - see convert.h. */
#include "mpi-wrappers/layer/convert.h"

#include "mpi-wrappers/layer/call.h"

#define CONVERT(type, kind, name)                                          \
    ENTRY_EXPORT MPI_Fint PMPI_##name##_c2f(type handle)                    \
    {                                                                      \
        return object_to_fortran(handle);                                  \
    }                                                                      \
    ENTRY_ALIAS(name##_c2f)                                                 \
    ENTRY_EXPORT type PMPI_##name##_f2c(MPI_Fint number)                    \
    {                                                                      \
        void *handle = object_from_fortran(kind, number);                  \
                                                                           \
        return handle ? handle : (void *)object_null(kind);                \
    }                                                                      \
    ENTRY_ALIAS(name##_f2c)
CONVERT(MPI_Comm, OBJECT_COMM, Comm)
CONVERT(MPI_Datatype, OBJECT_DATATYPE, Type)
CONVERT(MPI_Request, OBJECT_REQUEST, Request)
CONVERT(MPI_Op, OBJECT_OP, Op)
CONVERT(MPI_Group, OBJECT_GROUP, Group)
CONVERT(MPI_Win, OBJECT_WIN, Win)
CONVERT(MPI_File, OBJECT_FILE, File)
CONVERT(MPI_Info, OBJECT_INFO, Info)
CONVERT(MPI_Errhandler, OBJECT_ERRHANDLER, Errhandler)
CONVERT(MPI_Message, OBJECT_MESSAGE, Message)

/* Open MPI's: a status has no handles, and is handed on. */
ENTRY_EXPORT int PMPI_Status_c2f(const MPI_Status *from, MPI_Fint *to)
{
    __typeof__(&PMPI_Status_c2f) inside =
        (__typeof__(inside))inside_get(CALL_Status_c2f);

    return inside(from, to);
}
ENTRY_ALIAS(Status_c2f)

ENTRY_EXPORT int PMPI_Status_f2c(const MPI_Fint *from, MPI_Status *to)
{
    __typeof__(&PMPI_Status_f2c) inside =
        (__typeof__(inside))inside_get(CALL_Status_f2c);

    return inside(from, to);
}
ENTRY_ALIAS(Status_f2c)

static int convert_number(enum object_kind kind, void *real)
{
    static const unsigned calls[OBJECT_KINDS] = {
        [OBJECT_COMM] = CALL_Comm_c2f, [OBJECT_DATATYPE] = CALL_Type_c2f,
        [OBJECT_REQUEST] = CALL_Request_c2f, [OBJECT_OP] = CALL_Op_c2f,
        [OBJECT_GROUP] = CALL_Group_c2f, [OBJECT_WIN] = CALL_Win_c2f,
        [OBJECT_FILE] = CALL_File_c2f, [OBJECT_INFO] = CALL_Info_c2f,
        [OBJECT_ERRHANDLER] = CALL_Errhandler_c2f,
        [OBJECT_MESSAGE] = CALL_Message_c2f,
    };
    MPI_Fint (*inside)(void *) =
        (MPI_Fint (*)(void *))inside_get(calls[kind]);

    return inside ? inside(real) : -1;
}

void convert_bind(void)
{
    object_number(convert_number);
}
