/* poll.c - tasks that wait without blocking, as HPL does: the sender asks
 * MPI_Test again and again, the receiver MPI_Iprobe. Each sends SIZE integers
 * to the next, first the even tasks, then the odd ones. */
#include <mpi.h>
#include <sched.h>

#include "kernel.h"

static void post(const struct kernel *k, int *v)
{
    MPI_Request request;
    int done = 0;

    MPI_Issend(v, k->size, MPI_INT, (k->rank + 1) % k->tasks, 3,
               MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
}

static void fetch(struct kernel *k, int *v)
{
    int from = (k->rank + k->tasks - 1) % k->tasks, there = 0;

    while (!there) {
        MPI_Iprobe(from, 3, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there)
            sched_yield();
    }
    MPI_Recv(v, k->size, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < k->size; i++)
        kernel_check(k, v[i], from + i + k->round);
}

/* The last of an odd number of tasks has an even one for neighbour. */
int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "poll", 10, 100);
    int *out = kernel_alloc((size_t)k.size, sizeof(*out));
    int *in = kernel_alloc((size_t)k.size, sizeof(*in));

    while (kernel_more(&k)) {
        int first = k.rank % 2 == 0 && k.rank + 1 < k.tasks;

        for (int i = 0; i < k.size; i++)
            out[i] = k.rank + i + k.round;
        if (k.tasks == 1)
            continue;
        if (first)
            post(&k, out);
        fetch(&k, in);
        if (!first)
            post(&k, out);
    }
    free(in);
    free(out);
    return kernel_end(&k);
}
