/* owe.c - the first task waits for a message that another one sends only behind
 * its own next collective, while the second is in the collective that the first
 * has to reach.
 *
 * usage: owe ROUNDS|FILE    as skew.c */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "rounds.h"

int main(int argc, char **argv)
{
    long x, y = 0, z, sum = 0;
    int rank, round;
    MPI_Comm half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    x = rank + 1;
    for (round = 0; rounds_more(argv[1], round); round++) {
        if (rank >= 2) {
            usleep(4000);
            MPI_Allreduce(&x, &y, 1, MPI_LONG, MPI_SUM, half);
            if (rank == 2)
                MPI_Send(&y, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD);
        } else {
            if (rank == 0) {
                MPI_Recv(&z, 1, MPI_LONG, 2, 7, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                x += z % 7;
            }
            MPI_Allreduce(&x, &y, 1, MPI_LONG, MPI_SUM, half);
        }
        sum = (sum * 31 + y) & 0xffffffffff;
        x = (x * 3 + y) % 1000;
    }
    printf("rank %d rounds %d sum %lx\n", rank, round, sum);
    MPI_Comm_free(&half);
    return MPI_Finalize();
}
