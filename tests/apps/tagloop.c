/* tagloop.c - tag one cheap MPI call after the other, as many as wanted.
 *
 *   tagloop COUNT [--threads N] [--end HOW] [--text TEXT]
 *
 * Every thread of every task tags COUNT calls of MPI_Iprobe; the marker counts
 * from 0, the text is TEXT or "thread T". HOW the tasks end afterwards:
 * finalize (the default), segv, quick (_exit without MPI_Finalize, status 0),
 * hang. Rank 0 says what one tagged call took. */
#include <hct_rt.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };
static long count;
static const char *text;

static void *loop(void *arg)
{
    char name[32];
    int flag;

    snprintf(name, sizeof(name), "thread %d", *(int *)arg);
    for (long i = 0; i < count; i++) {
        HCT_RT_Tag((int)i, text ? text : name);
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *end = "finalize";
    int threads = 1, provided, rank, number[THREADS_MAX];
    pthread_t thread[THREADS_MAX];

    count = argc > 1 ? atol(argv[1]) : 1000;
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0)
            threads = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--end") == 0)
            end = argv[i + 1];
        else if (strcmp(argv[i], "--text") == 0)
            text = argv[i + 1];
    }
    if (threads < 1 || threads > THREADS_MAX)
        return 2;

    /* It does not give the processor away in each call, as who waits should: on a
     * busy machine one of them would take 10 ms. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        threads = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    double start = MPI_Wtime();
    for (int t = 1; t < threads; t++) {
        number[t] = t;
        pthread_create(&thread[t], NULL, loop, &number[t]);
    }
    number[0] = 0;
    loop(&number[0]);
    for (int t = 1; t < threads; t++)
        pthread_join(thread[t], NULL);
    if (rank == 0 && count > 0) {
        printf("%.0f ns for one tagged call\n",
               (MPI_Wtime() - start) / (double)count * 1e9);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(end, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(end, "quick") == 0)
        _exit(0);
    if (strcmp(end, "hang") == 0)
        pause();
    MPI_Finalize();
    return 0;
}
