/* cycle.c - rounds of two computations, an exchange with the neighbours and a sum,
 * the same in every run, for tests that compare runs.
 *
 *   cycle [ROUNDS [SIZE]]
 *
 * What is to be different is said in the environment, which is not recorded:
 *
 *   CYCLE_MORE    a call more at the end
 *   CYCLE_SLOW    this rank computes for three times as long in the second one
 *   CYCLE_HEAVY   all do, for five times as long
 *   CYCLE_SLEEP   tasks sleep in place of computing: as long on a busy machine
 *   CYCLE_HOLD    rank 0 waits before the end until this file is there */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile double sink;

static __attribute__((noinline)) void toil(int size)
{
    double x = 1;

    if (getenv("CYCLE_SLEEP"))
        usleep((useconds_t)size * 2);
    else for (int i = 0; i < size * 1000; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static __attribute__((noinline)) void first(int size)
{
    toil(size);
}

static __attribute__((noinline)) void second(int size, int rank)
{
    const char *slow = getenv("CYCLE_SLOW");
    int times = getenv("CYCLE_HEAVY") ? 5 : slow && atoi(slow) == rank ? 3 : 1;

    toil(times * size);
}

static void hold(int rank)
{
    const char *file = getenv("CYCLE_HOLD");

    while (file && rank == 0 && access(file, F_OK) != 0)
        usleep(10000);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 50;
    int size = argc > 2 ? atoi(argv[2]) : 1000;
    int rank, tasks, in = 0, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    for (int i = 0; i < rounds; i++) {
        first(size);
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % tasks, 1, &in, 1, MPI_INT,
                     (rank + tasks - 1) % tasks, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        second(size, rank);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (getenv("CYCLE_MORE"))
        MPI_Bcast(&in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    hold(rank);
    MPI_Finalize();
    return in != rounds - 1;
}
