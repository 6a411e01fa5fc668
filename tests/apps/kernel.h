/* kernel.h - what the kernels among the test programs have in common.
 *
 *   NAME [SIZE [SECONDS]]
 *
 * SIZE is how much each task works on. Without SECONDS a kernel makes a fixed
 * number of rounds and no other MPI calls than its own; with it task 0 looks
 * at the clock, and MPI_Bcast tells all whether there is another round. Each
 * checks its results, prints "NAME: ok" and exits with 0, or says what is
 * wrong and exits with 1. KERNEL_ROUNDS in the environment makes it so many
 * rounds, and task 0 say on standard error how many seconds of wall and of CPU
 * time they took. KERNEL_NAP is for how many milliseconds each task sleeps before a
 * round, so that who only has to be there leaves the processors to others. */
#ifndef TESTS_KERNEL_H
#define TESTS_KERNEL_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct kernel {
    const char *name;
    int rank, tasks, size;
    double seconds, start;      /* seconds: 0 for a fixed number of rounds */
    double cpu_start;
    int timed;
    int round, rounds;
    unsigned nap_us;
    long wrong;                 /* results that were not as they should be */
};

/* After MPI_Init. */
static inline void kernel_init(struct kernel *k, int argc, char **argv,
                               const char *name, int size, int rounds)
{
    *k = (struct kernel){ .name = name, .size = size, .rounds = rounds,
                          .round = -1 };
    if (argc > 1)
        k->size = atoi(argv[1]);
    if (argc > 2)
        k->seconds = atof(argv[2]);
    if (getenv("KERNEL_ROUNDS")) {
        k->rounds = atoi(getenv("KERNEL_ROUNDS"));
        k->timed = 1;
    }
    if (getenv("KERNEL_NAP"))
        k->nap_us = (unsigned)(1e3 * atof(getenv("KERNEL_NAP")));
    if (k->size < 1 || k->seconds < 0) {
        fprintf(stderr, "usage: %s [SIZE [SECONDS]]\n", name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &k->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &k->tasks);
    k->start = MPI_Wtime();
    k->cpu_start = (double)clock() / CLOCKS_PER_SEC;
}

/* Is there another round? Collective when seconds were given. */
static inline int kernel_more(struct kernel *k)
{
    int more = ++k->round < k->rounds;

    if (k->nap_us)
        usleep(k->nap_us);
    if (k->seconds > 0) {
        more = MPI_Wtime() - k->start < k->seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return more;
}

static inline void *kernel_alloc(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);

    if (!p) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

/* Counts what is wrong and says it of the first. */
static inline void kernel_check(struct kernel *k, double got, double want)
{
    double error = got > want ? got - want : want - got;

    if (error <= 1e-6 * (want > 0 ? 1 + want : 1 - want))
        return;
    if (k->wrong++ == 0)
        printf("%s: task %d, round %d: %.9g instead of %.9g\n", k->name,
               k->rank, k->round, got, want);
}

/* The last act: returns the exit status. */
static inline int kernel_end(struct kernel *k)
{
    long wrong = 0;

    MPI_Allreduce(&k->wrong, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (k->rank == 0 && wrong == 0)
        printf("%s: ok\n", k->name);
    if (k->rank == 0 && k->timed)
        fprintf(stderr, "%s: %.6f %.6f\n", k->name, MPI_Wtime() - k->start,
                (double)clock() / CLOCKS_PER_SEC - k->cpu_start);
    MPI_Finalize();
    return wrong != 0;
}

#endif
