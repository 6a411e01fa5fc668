/* pingpong.c - two tasks send one message to and fro until they are ended. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ball = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        if (rank == 0)
            MPI_Send(&ball, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&ball, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&ball, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}
