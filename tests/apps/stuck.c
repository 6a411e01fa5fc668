/* stuck.c - the ring of the STAT paper: each task receives from the one
 * before it and sends to the one behind it, waits for both, and meets all in
 * a barrier; but one is stuck before its send. Built a second time with
 * OpenMP as stuck_omp. Arguments: the task that is stuck, and a file that
 * says it, made when it is.  */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int forever = 1;

static void do_send_or_stall(int rank, int stuck, int to, int *data,
                             const char *mark, MPI_Request *request)
{
    if (rank == stuck) {
        FILE *f = fopen(mark, "w");

        if (f)
            fclose(f);
        while (forever)                 /* the line that is to be found */
            usleep(1000);
    }
    MPI_Isend(data, 1, MPI_INT, to, 7, MPI_COMM_WORLD, request);
}

static void do_receive(int from, int *data, MPI_Request *request)
{
    MPI_Irecv(data, 1, MPI_INT, from, 7, MPI_COMM_WORLD, request);
}

int main(int argc, char **argv)
{
    int rank, n, got = 0, mine, sum = 0;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    mine = rank;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum) num_threads(2)
#endif
    for (int i = 0; i < 1000; i++)
        sum += i;
    do_receive((rank + n - 1) % n, &got, &requests[0]);
    do_send_or_stall(rank, atoi(argv[1]), (rank + 1) % n, &mine, argv[2],
                     &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d got %d\n", rank, got + sum - sum);
    MPI_Finalize();
    return 0;
}
