/* omp.c - OpenMP threads and MPI.
 *
 *   omp [SIZE [SECONDS [funneled|multiple]]]
 *
 * funneled: threads share a loop, the main thread adds up over all tasks.
 * multiple: besides, every thread sends to the same thread of the next task.
 * Where the library has not that level of threads the program says "ok" after
 * what it can do. */
#include <mpi.h>
#include <omp.h>

#include "kernel.h"

enum { THREADS = 3 };

static void sum_up(struct kernel *k)
{
    double own = 0, sum, n = (double)k->size * k->tasks;

#pragma omp parallel for reduction(+ : own) num_threads(THREADS)
    for (int i = 0; i < k->size; i++)
        own += (double)k->rank * k->size + i;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    kernel_check(k, sum, n * (n - 1) / 2);
}

static void pass_on(struct kernel *k)
{
    int right = (k->rank + 1) % k->tasks;
    int left = (k->rank + k->tasks - 1) % k->tasks;

#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num(), got = -1;
        int out = k->rank * 100 + me + k->round;

        MPI_Sendrecv(&out, 1, MPI_INT, right, me, &got, 1, MPI_INT, left, me,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp critical
        kernel_check(k, got, left * 100 + me + k->round);
    }
}

int main(int argc, char **argv)
{
    int multiple = argc <= 3 || strcmp(argv[3], "funneled") != 0, level;
    struct kernel k;

    MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE
                                           : MPI_THREAD_FUNNELED, &level);
    kernel_init(&k, argc, argv, "omp", 1000, 50);
    while (kernel_more(&k)) {
        sum_up(&k);
        if (multiple && level == MPI_THREAD_MULTIPLE)
            pass_on(&k);
    }
    return kernel_end(&k);
}
