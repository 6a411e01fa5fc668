/* uneven.c - a ring in which task 1 has five times as much to do: SIZE thousand
 * numbers each, five times as many of them there, which go to the next task before
 * each is worked on. With a third argument task 1 works five times as long on as
 * many numbers as the others have. */
#include <mpi.h>

#include "kernel.h"

enum { MORE = 5 };

static int share_of(const struct kernel *k, int rank, int equal)
{
    return k->size * 1000 * (rank == 1 && !equal ? MORE : 1);
}

static double work(const double *v, int n, int times)
{
    volatile double sum = 0;

    for (int t = 0; t < 20 * times; t++)
        for (int i = 0; i < n; i++)
            sum += v[i] + t;
    return sum;
}

int main(int argc, char **argv)
{
    struct kernel k;
    int equal = argc > 3;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "uneven", 10, 50);
    int before = (k.rank + k.tasks - 1) % k.tasks;
    int behind = (k.rank + 1) % k.tasks;
    int own = share_of(&k, k.rank, equal), theirs = share_of(&k, before, equal);
    double *out = kernel_alloc((size_t)own, sizeof(*out));
    double *in = kernel_alloc((size_t)theirs, sizeof(*in));

    for (int i = 0; i < own; i++)
        out[i] = k.rank * 1000 + i;
    while (kernel_more(&k)) {
        MPI_Request both[2];

        MPI_Irecv(in, theirs, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(out, own, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        kernel_check(&k, in[theirs - 1], before * 1000 + theirs - 1);
        work(out, own, equal && k.rank == 1 ? MORE : 1);
    }
    free(in);
    free(out);
    return kernel_end(&k);
}
