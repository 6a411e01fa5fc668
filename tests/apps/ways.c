/* ways.c - tasks that go the same way several times, without a message, and
 * stay where nothing but their models says who is behind: task LATE behind the
 * first call of the last round, the others behind the third, where the first
 * is not come to again.
 *
 * ways LATE */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static int count(void)
{
    int n;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

static _Noreturn void stay(void)
{
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    int rank, n = 0, late = argc > 1 ? atoi(argv[1]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++)
        n += count();
    n += count();               /* the first */
    if (rank == late)
        stay();
    n += count();
    n += count();               /* the third */
    if (n)
        stay();
    MPI_Finalize();
    return 0;
}
