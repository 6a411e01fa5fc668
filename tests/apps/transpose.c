/* transpose.c - transposes a square matrix that is distributed by rows, SIZE
 * rows a task, with MPI_Alltoall: all tasks send a block to all. */
#include <mpi.h>

#include "kernel.h"

/* Element (i, j) of the whole matrix in a round. */
static double element(long i, long j, int round)
{
    return (double)(i * 10000 + j + round);
}

int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "transpose", 16, 50);
    int n = k.size, block = n * n, columns = n * k.tasks, first = k.rank * n;
    double *out = kernel_alloc((size_t)(block * k.tasks), sizeof(*out));
    double *in = kernel_alloc((size_t)(block * k.tasks), sizeof(*in));

    while (kernel_more(&k)) {
        for (int j = 0; j < columns; j++)       /* block by block, turned */
            for (int i = 0; i < n; i++)
                out[j * n + i] = element(first + i, j, k.round);
        MPI_Alltoall(out, block, MPI_DOUBLE, in, block, MPI_DOUBLE,
                     MPI_COMM_WORLD);
        for (int from = 0; from < k.tasks; from++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    kernel_check(&k, in[from * block + i * n + j],
                                 element(from * n + j, first + i, k.round));
    }
    free(in);
    free(out);
    return kernel_end(&k);
}
