/* where.c - who runs where, and can everyone talk to everyone?
 *
 *   rank 4 on n2 pid 4711 shares memory with 1,4,7,10
 *
 * The tasks print in the order of their ranks. Every pair exchanges a message
 * first; a wrong one aborts. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void exchange(int rank, int size)
{
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank + size - step) % size;
        int out = rank * 1000 + to, in = -1;

        MPI_Sendrecv(&out, 1, MPI_INT, to, step, &in, 1, MPI_INT, from, step,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in != from * 1000 + rank) {
            fprintf(stderr, "rank %d: wrong message from %d\n", rank, from);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}

int main(int argc, char **argv)
{
    char host[MPI_MAX_PROCESSOR_NAME], list[4096] = "", line[8192];
    int rank, size, near, length, ranks[1024];
    MPI_Comm shared;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    exchange(rank, size);

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
                        MPI_INFO_NULL, &shared);
    MPI_Comm_size(shared, &near);
    MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, shared);
    for (int i = 0, n = 0; i < near; i++)
        n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%d",
                      i ? "," : "", ranks[i]);
    snprintf(line, sizeof(line), "rank %d on %s pid %d shares memory with %s",
             rank, host, (int)getpid(), list);
    if (rank == 0) {
        puts(line);
        for (int r = 1; r < size; r++) {
            MPI_Recv(line, sizeof(line), MPI_CHAR, r, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            puts(line);
        }
    } else {
        MPI_Send(line, (int)strlen(line) + 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&shared);
    MPI_Finalize();
    return 0;
}
