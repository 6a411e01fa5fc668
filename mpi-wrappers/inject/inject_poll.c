/* inject_poll.c - a program that waits for what never comes, with calls that
 * return at once. Through the names that the program itself would use, so
 * that these calls are recorded like its own. */
#include "mpi-wrappers/inject/inject_strike.h"

#include <dlfcn.h>
#include <string.h>

#include "mpi-wrappers/handles/handle.h"

enum { NEVER_SENT = 4711 };     /* a tag */

typedef int irecv_f(void *, int, MPI_Datatype, int, int, MPI_Comm,
                    MPI_Request *);
typedef int test_f(MPI_Request *, int *, MPI_Status *);
typedef int iprobe_f(int, int, MPI_Comm, int *, MPI_Status *);

static void find(void *f, const char *name)
{
    void *p = dlsym(RTLD_DEFAULT, name);

    memcpy(f, &p, sizeof(p));
}

void inject_poll(bool probe)
{
    MPI_Comm self = HANDLE_OF(MPI_Comm, handle_known(HANDLE_SELF));
    MPI_Datatype type = HANDLE_OF(MPI_Datatype, handle_known(HANDLE_BYTE));
    MPI_Status status[2];       /* of either kind of MPI: not "ignore" */
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
        iprobe(0, NEVER_SENT, self, &flag, status);
    irecv(&byte, 1, type, 0, NEVER_SENT, self, &request);
    for (;;)
        test(&request, &flag, status);
}
