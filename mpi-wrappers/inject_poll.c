/* inject_poll.c - a program that waits for what never comes, with calls that
 * return at once. Through the names that the program itself would use, so
 * that these calls are recorded like its own. */
#include "mpi-wrappers/inject_strike.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "mpi-wrappers/real.h"

enum { NEVER_SENT = 4711 };     /* a tag */

typedef MPI_Comm comm_f2c_f(MPI_Fint);
typedef MPI_Datatype type_f2c_f(MPI_Fint);
typedef int irecv_f(void *, int, MPI_Datatype, int, int, MPI_Comm,
                    MPI_Request *);
typedef int test_f(MPI_Request *, int *, MPI_Status *);
typedef int iprobe_f(int, int, MPI_Comm, int *, MPI_Status *);

/* Open MPI's are addresses in its library, which we must not need. */
static MPI_Comm comm_self(void)
{
#ifdef OPEN_MPI
    comm_f2c_f *convert = (comm_f2c_f *)real_get(REAL_C, CALL_Comm_f2c);

    return convert(1);
#else
    return MPI_COMM_SELF;
#endif
}

static MPI_Datatype type_byte(void)
{
#ifdef OPEN_MPI
    type_f2c_f *convert = (type_f2c_f *)real_get(REAL_C, CALL_Type_f2c);

    return convert(1);
#else
    return MPI_BYTE;
#endif
}

static void find(void *f, const char *name)
{
    void *p = dlsym(RTLD_DEFAULT, name);

    memcpy(f, &p, sizeof(p));
}

void inject_poll(bool probe)
{
    MPI_Comm self = comm_self();
    MPI_Request request;
    iprobe_f *iprobe;
    irecv_f *irecv;
    test_f *test;
    char byte;
    int flag = 0;

    find(&iprobe, "MPI_Iprobe");
    find(&irecv, "MPI_Irecv");
    find(&test, "MPI_Test");
    while (probe)
        iprobe(0, NEVER_SENT, self, &flag, MPI_STATUS_IGNORE);
    irecv(&byte, 1, type_byte(), 0, NEVER_SENT, self, &request);
    for (;;)
        test(&request, &flag, MPI_STATUS_IGNORE);
}
