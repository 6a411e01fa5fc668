/* serial.c - a program that lets everybody wait for task 0 now and then: it
 * alone makes up its input at the beginning, and writes results after each
 * third of its time: some seconds each. SIZE numbers are exchanged
 * in each round between. */
#include <mpi.h>
#include <unistd.h>

#include "kernel.h"

/* Text, thrown away: formatting it is what takes time. The file is a pipe or
 * a disk elsewhere. */
static void write_for(double seconds)
{
    double until = MPI_Wtime() + seconds;
    FILE *to = tmpfile();

    while (MPI_Wtime() < until && to) {
        rewind(to);
        for (int i = 0; i < 2000; i++)
            fprintf(to, "%d %.17g\n", i, i / 7.0);
        fflush(to);
        fsync(fileno(to));
    }
    if (to)
        fclose(to);
}

int main(int argc, char **argv)
{
    struct kernel k;
    double part, next;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "serial", 100, 30);
    double *v = kernel_alloc((size_t)k.size, sizeof(*v));
    double *sum = kernel_alloc((size_t)k.size, sizeof(*sum));

    part = k.seconds > 0 ? k.seconds / 3 : 1;
    next = part;
    if (k.rank == 0)
        write_for(part < 12 ? part / 2 : 6);
    MPI_Bcast(v, k.size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    while (kernel_more(&k)) {
        int output = 0;

        for (int i = 0; i < k.size; i++)
            v[i] = k.rank;
        MPI_Allreduce(v, sum, k.size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        kernel_check(&k, sum[0], k.tasks * (k.tasks - 1) / 2.0);
        if (k.rank == 0 && MPI_Wtime() - k.start > next) {
            output = 1;
            next += part;
        }
        MPI_Bcast(&output, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (output) {
            if (k.rank == 0)
                write_for(part < 12 ? part / 4 : 3);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    free(v);
    free(sum);
    return kernel_end(&k);
}
