/* ring.c - the program of section 4.1 of the STATBench paper: each task
 * receives from the one before it and sends to the one behind, both
 * asynchronously, waits for both, and meets all others in a barrier. */
#include <mpi.h>

#include "kernel.h"

int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "ring", 100, 200);
    int *out = kernel_alloc((size_t)k.size, sizeof(*out));
    int *in = kernel_alloc((size_t)k.size, sizeof(*in));
    int before = (k.rank + k.tasks - 1) % k.tasks;
    int behind = (k.rank + 1) % k.tasks;

    while (kernel_more(&k)) {
        MPI_Request both[2];

        for (int i = 0; i < k.size; i++)
            out[i] = k.rank * 1000 + k.round + i;
        MPI_Irecv(in, k.size, MPI_INT, before, 1, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(out, k.size, MPI_INT, behind, 1, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        for (int i = 0; i < k.size; i++)
            kernel_check(&k, in[i], before * 1000 + k.round + i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(in);
    free(out);
    return kernel_end(&k);
}
