/* pingpong.c - two tasks send one message to and fro until they are ended.
 *
 *   pingpong [NAP_US]
 *
 * Both sleep for so long in between: 0 unless it is said. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned nap_us = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    int rank, ball = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        if (nap_us)
            usleep(nap_us);
        if (rank == 0)
            MPI_Send(&ball, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&ball, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&ball, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}
