/* phases.c - a program in three phases that differ in what they do: shifts
 * between neighbours, global sums, and a gather with a broadcast, each after
 * some microseconds of computing. Each begins with MPI_Pcontrol(phase), and its
 * first call is tagged. PHASES_REST in the environment makes each rest for so many
 * milliseconds first, so that it lasts, however few its calls are. */
#include <hct_rt.h>
#include <mpi.h>
#include <unistd.h>

#include "kernel.h"

static volatile double one = 1; /* else the compiler does it all before */

/* 1000 is its fixed point. */
static double reckon(double x)
{
    for (int i = 0; i < 5000; i++)
        x = x * 0.999 + one;
    return x;
}

static void rest(void)
{
    const char *ms = getenv("PHASES_REST");

    if (ms)
        usleep((useconds_t)atoi(ms) * 1000);
}

static void shift(struct kernel *k, int *v)
{
    int right = (k->rank + 1) % k->tasks;
    int left = (k->rank + k->tasks - 1) % k->tasks;
    double x = 1000;

    for (int i = 0; i < k->size; i++) {
        kernel_check(k, x = reckon(x), 1000);
        MPI_Sendrecv_replace(v, 1, MPI_INT, right, 5, left, 5, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    kernel_check(k, *v, (k->rank + k->tasks - k->size % k->tasks) % k->tasks);
}

static void sum_up(struct kernel *k, int *v)
{
    double x = 1000;

    for (int i = 0; i < k->size; i++) {
        int sum = 0;

        kernel_check(k, x = reckon(x), 1000);
        MPI_Allreduce(v, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        kernel_check(k, sum, k->tasks * (k->tasks - 1) / 2);
    }
}

static void collect(struct kernel *k, int *v, int *all)
{
    double x = 1000;

    for (int i = 0; i < k->size; i++) {
        int seen = 0;

        kernel_check(k, x = reckon(x), 1000);
        MPI_Gather(v, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (int r = 0; r < k->tasks && k->rank == 0; r++)
            seen += all[r];
        MPI_Bcast(&seen, 1, MPI_INT, 0, MPI_COMM_WORLD);
        kernel_check(k, seen, k->tasks * (k->tasks - 1) / 2);
    }
}

int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "phases", 10, 10);
    int *all = kernel_alloc((size_t)k.tasks, sizeof(*all));

    while (kernel_more(&k)) {
        int v = k.rank;

        MPI_Pcontrol(1);
        rest();
        HCT_RT_Tag(k.round, "shift");
        shift(&k, &v);
        MPI_Pcontrol(2);
        rest();
        HCT_RT_Tag(k.round, "sum");
        sum_up(&k, &v);
        MPI_Pcontrol(3);
        rest();
        HCT_RT_Tag(k.round, "collect");
        collect(&k, &v, all);
    }
    free(all);
    return kernel_end(&k);
}
