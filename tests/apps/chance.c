/* chance.c - tasks that are all alike, and have their work by lot, another one in
 * each run: so for a while one of them has more of it than others, by chance.
 *
 *   chance SIZE SECONDS MODE
 *
 *   clock    works for a time, and asks MPI_Wtime again and again whether it is over
 *   lot      works for a time that has no memory: it goes on, by lot
 *   rare     one time in 50 works a hundred times as long
 *   ask      the same as lot, and asks whether its neighbour's message has come in place
 *            of waiting for it
 *
 * SIZE tenths of a ms a round, on an average. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"

static volatile double sink;
static unsigned long seed;

/* Between 0 and 1, neither of them. */
static double lot(void)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return ((double)(seed >> 12) + 0.5) / (double)(1ul << 52);
}

static double now_of(int mpi)
{
    struct timespec t;

    if (mpi)
        return MPI_Wtime();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void work(double s, int mpi)
{
    double until = now_of(mpi) + s;

    while (now_of(mpi) < until)
        for (int i = 0; i < 200; i++)
            sink = 1 / (1 + sink * sink + i);
}

static double again_and_again(double s)
{
    double sum = 0;

    while (lot() < 0.9)
        sum += s / 9;
    return sum;
}

static void play(struct kernel *k, const char *mode)
{
    double s = k->size * 1e-4, is = k->rank, got = -1, sum = 0;
    int to = (k->rank + 1) % k->tasks, from = (k->rank + k->tasks - 1) % k->tasks;
    int come = strcmp(mode, "ask") != 0;
    MPI_Request r;

    MPI_Irecv(&got, 1, MPI_DOUBLE, from, k->round % 100, MPI_COMM_WORLD, &r);
    if (!strcmp(mode, "clock"))
        for (int i = 0; i < 3; i++)
            work(lot() < 0.2 ? 2 * s * lot() * 5 / 3 : 0, 1);
    else if (!strcmp(mode, "rare"))
        work(s * (lot() < 0.02 ? 100 : 1) / 3, 0);
    else
        work(again_and_again(s), 0);
    MPI_Send(&is, 1, MPI_DOUBLE, to, k->round % 100, MPI_COMM_WORLD);
    while (!come) {
        MPI_Test(&r, &come, MPI_STATUS_IGNORE);
        for (int i = 0; i < 500; i++)
            sink = 1 / (1 + sink * sink + i);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    kernel_check(k, got, from);
    if (k->round % 4)
        return;
    MPI_Allreduce(&is, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    kernel_check(k, sum, k->tasks * (k->tasks - 1) / 2.0);
}

int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "chance", 10, 1000);
    seed = (unsigned long)getpid() * 2654435761ul + (unsigned long)k.rank;
    for (int i = 0; i < 10; i++)
        lot();
    while (kernel_more(&k))
        play(&k, argc > 3 ? argv[3] : "lot");
    return kernel_end(&k);
}
