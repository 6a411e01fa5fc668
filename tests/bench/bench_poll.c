/* bench_poll.c - what recording costs a task that asks again and again for
 * many requests, of which none is finished: MPI_Testall, MPI_Testany and
 * MPI_Testsome over 1,000 of them, called bare (PMPI) and as programs do.
 *
 * bench_poll HOW N makes N calls of one kind, 0 bare or 1, and measures
 * nothing: for tools that count instructions (instructions.sh).
 *
 * Run it as a task of hector-run. Rounds alternate, medians are printed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REQUESTS = 1000, ROUNDS = 31, CALLS = 200 };

static MPI_Request request[REQUESTS];

static double now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void ask(int which, int bare)
{
    static int index[REQUESTS];
    int n, flag;

    if (which == 0)
        (bare ? PMPI_Testall : MPI_Testall)(REQUESTS, request, &flag,
                                            MPI_STATUSES_IGNORE);
    else if (which == 1)
        (bare ? PMPI_Testany : MPI_Testany)(REQUESTS, request, &n, &flag,
                                            MPI_STATUS_IGNORE);
    else
        (bare ? PMPI_Testsome : MPI_Testsome)(REQUESTS, request, &n, index,
                                              MPI_STATUSES_IGNORE);
}

static double measure(int which, int bare)
{
    double start = now_ns();

    for (int i = 0; i < CALLS; i++)
        ask(which, bare);
    return (now_ns() - start) / CALLS;
}

/* By this name instructions.sh finds it. */
__attribute__((noinline)) void bench_calls(int bare, int n);
void bench_calls(int bare, int n)
{
    for (int i = 0; i < n; i++)
        ask(1, bare);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const char *const name[] = { "MPI_Testall", "MPI_Testany",
                                        "MPI_Testsome" };
    static char in[REQUESTS];

    MPI_Init(&argc, &argv);
    for (int i = 0; i < REQUESTS; i++)
        MPI_Irecv(&in[i], 1, MPI_BYTE, 0, i, MPI_COMM_SELF, &request[i]);
    if (argc == 3)
        bench_calls(atoi(argv[1]) == 0, atoi(argv[2]));
    for (int which = 0; argc != 3 && which < 3; which++) {
        double ns[2][ROUNDS], bare, with;

        for (int r = 0; r < ROUNDS; r++)
            for (int b = 0; b < 2; b++)
                ns[b][r] = measure(which, b);
        for (int b = 0; b < 2; b++)
            qsort(ns[b], ROUNDS, sizeof(double), by_value);
        with = ns[0][ROUNDS / 2];
        bare = ns[1][ROUNDS / 2];
        printf("%s of %d requests: %.0f ns, %+.0f ns over bare, ratio %.2f "
               "(median of %d)\n", name[which], REQUESTS, with, with - bare,
               with / bare, ROUNDS);
    }
    for (int i = 0; i < REQUESTS; i++)
        MPI_Send(&in[i], 1, MPI_BYTE, 0, i, MPI_COMM_SELF);
    MPI_Waitall(REQUESTS, request, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
