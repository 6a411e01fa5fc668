/* hello.c - the smallest MPI program: who are we, do all agree?
 *
 *   hello [--say FILE] [--wait-for FILE]
 *
 * Rank 0 makes FILE of --say when every task has started, and all wait until
 * FILE of --wait-for exists. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *say = NULL, *wait_for = NULL;
    int rank, size, sum;

    MPI_Init(&argc, &argv);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--say") == 0)
            say = argv[i + 1];
        else if (strcmp(argv[i], "--wait-for") == 0)
            wait_for = argv[i + 1];
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && say) {
        FILE *f = fopen(say, "w");

        if (!f || fclose(f) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    while (wait_for && access(wait_for, F_OK) != 0)
        usleep(20000);
    printf("task %d of %d%s\n", rank, size,
           sum == size * (size - 1) / 2 ? "" : ": wrong sum");
    MPI_Finalize();
    return sum != size * (size - 1) / 2;
}
