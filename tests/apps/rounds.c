/* rounds.c - passes numbers around a ring until a file is there, and says at the end
 * whether each came once: for tests in which tasks are moved, or made again.
 *
 * usage: rounds STOPFILE [PREFIX]: each task also writes its rounds to PREFIX.RANK */
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { EACH = 100 };            /* messages a round */

int main(int argc, char **argv)
{
    int rank, size, stop = 0;
    long in = 0, n = 0, wrong = 0;
    FILE *lines = NULL;
    char name[4096];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2) {
        snprintf(name, sizeof(name), "%s.%d", argv[2], rank);
        lines = fopen(name, "w");
    }
    printf("begun %d\n", rank);
    fflush(stdout);
    while (!stop) {
        MPI_Sendrecv(&n, 1, MPI_LONG, (rank + 1) % size, 7, &in, 1, MPI_LONG,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        wrong += in != n++;
        if (n % EACH)
            continue;
        stop = access(argv[1], F_OK) == 0;
        HCT_RT_Tag((int)(n / EACH), "round");
        MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        usleep(1000);
        printf("round %ld %d\n", n / EACH, rank);
        if (lines) {
            fprintf(lines, "round %ld\n", n / EACH);
            fflush(lines);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d wrong %ld rounds %ld\n", rank, size, wrong, n / EACH);
    return MPI_Finalize();
}
