/* edge.c - two tasks at the edge of a grid: before each message to the other one, task 1
 * sends one to its neighbour outside, MPI_PROC_NULL. Task 0 says how many it has had. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 10, got = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0, value; i < rounds; i++) {
        if (rank == 1) {
            MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
            MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            got++;
        }
    }
    if (rank == 0)
        printf("%d messages\n", got);
    MPI_Finalize();
    return 0;
}
