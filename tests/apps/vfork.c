/* vfork.c - rounds of some work and a sum over all for a second, then task 1
 * starts a process by vfork(2) that sleeps: until that ends, the kernel keeps the
 * task in uninterruptible sleep, as a disk or file system may.
 *
 *   vfork SECONDS [FILE]
 *
 * so long, and until there is that file. Rank 0 prints "vfork: ok". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_in_the_kernel(unsigned seconds, const char *file)
{
    pid_t child = vfork();

    if (child == 0) {
        sleep(seconds);         /* no handler, no data of ours */
        while (file && access(file, F_OK))
            usleep(20000);
        _exit(0);
    }
}

int main(int argc, char **argv)
{
    int rank, more = 1;
    double start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start = MPI_Wtime();
    while (more) {
        double one = 1, sum;

        usleep(2000);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        more = MPI_Wtime() - start < 1;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 1)
        wait_in_the_kernel(argc > 1 ? (unsigned)atoi(argv[1]) : 1,
                           argc > 2 ? argv[2] : NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("vfork: ok");
    MPI_Finalize();
    return 0;
}
