/* halfway.c - rounds of some work, and a sum over all; then one task does not
 * come any more. It needs nothing of Hector: for runs without its library.
 *
 *   halfway SECONDS RANK [FILE]
 *
 * After the first time, or as soon as there is FILE, task RANK works for ever.
 * -1: none does, and all end then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int forever = 1;

static void work_for_ever(void)
{
    while (forever)
        usleep(1000);
}

/* Sleeping is work, too, and leaves the processor to the others. */
static void work(int rank, int round)
{
    usleep(20000 + (unsigned)(rank * 7919 + round * 104729) % 40000);
}

int main(int argc, char **argv)
{
    int rank, more = 1, rounds = 0;
    double start, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    start = MPI_Wtime();
    while (more) {
        double one = 1;

        work(rank, rounds++);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        more = MPI_Wtime() - start < atof(argv[1]) &&
               (argc < 4 || access(argv[3], F_OK) != 0);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == atoi(argv[2]))
        work_for_ever();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("halfway: ok, %s rounds\n", rounds > 1 ? "many" : "no");
    MPI_Finalize();
    return 0;
}
