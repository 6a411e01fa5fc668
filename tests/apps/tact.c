/* tact.c - a real-time program: every MS milliseconds, by the clock, all tasks
 * compute, tell their neighbours, and put together what they have.
 *
 * tact CYCLES MS NEED SEED [T0]
 *
 * All tasks together need NEED per cent of one processor, each a part that
 * varies from cycle to cycle, by SEED, from half to three halves of the same.
 * Cycle k begins at T0 + k * MS (seconds since the epoch; else soon) and is
 * over when the sum of all is there, by a call tagged "cycle" with marker k:
 * before the next one begins, or it is missed. Who is late begins the next one
 * at once.
 *
 * Task 0 prints T0 and the cycles that were missed, one a line, and whether
 * the sums were right. */
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void wait_until(double at)
{
    struct timespec t = { .tv_sec = (time_t)at };

    t.tv_nsec = (long)((at - (double)t.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL))
        ;
}

/* From 0.5 to 1.5. */
static double lot(unsigned seed, unsigned rank, unsigned cycle)
{
    unsigned x = seed * 2654435761u ^ (rank + 1) * 40503u;

    x ^= (cycle + 1) * 69069u;
    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return 0.5 + (double)(x ^ x >> 16) / 4294967296.0;
}

static void compute(double seconds)
{
    double until = now_of(CLOCK_THREAD_CPUTIME_ID) + seconds;

    while (now_of(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static int rank, tasks;

/* One cycle; is the sum right? */
static int turn(int cycle, double need)
{
    long mine = (long)cycle * (rank + 1), left = 0, sum = 0;
    int to = (rank + 1) % tasks, from = (rank + tasks - 1) % tasks;

    compute(need);
    MPI_Sendrecv(&mine, 1, MPI_LONG, to, 1, &left, 1, MPI_LONG, from, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    HCT_RT_Tag(cycle, "cycle");
    MPI_Allreduce(&left, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return left == (long)cycle * (from + 1) &&
           sum == (long)cycle * tasks * (tasks + 1) / 2;
}

int main(int argc, char **argv)
{
    int cycles = 0, wrong = 0, missed = 0;
    double ms = 0, need, t0, *late = NULL;
    unsigned seed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    if (argc < 5 || (cycles = atoi(argv[1])) < 1 || (ms = atof(argv[2])) <= 0 ||
        !(late = calloc((size_t)cycles, sizeof(*late))))
        MPI_Abort(MPI_COMM_WORLD, 2);
    need = atof(argv[3]) / 100 * ms / 1e3 / tasks;
    seed = (unsigned)strtoul(argv[4], NULL, 10);
    t0 = argc > 5 ? atof(argv[5]) : (double)(time(NULL) + 2);
    MPI_Bcast(&t0, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int k = 0; k < cycles; k++) {
        double begin = t0 + k * ms / 1e3;

        wait_until(begin);
        wrong += !turn(k, need * lot(seed, (unsigned)rank, (unsigned)k));
        late[k] = now_of(CLOCK_REALTIME) - begin;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, late, cycles, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    for (int k = 0; rank == 0 && k < cycles; k++)
        if (late[k] * 1e3 > ms && ++missed)
            printf("missed %d %.1f\n", k, late[k] * 1e3);
    if (rank == 0)
        printf("t0 %.3f\ntact: %d of %d missed, %s\n", t0, missed, cycles,
               wrong ? "wrong" : "ok");
    free(late);
    MPI_Finalize();
    return wrong != 0;
}
