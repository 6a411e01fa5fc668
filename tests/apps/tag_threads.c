/* tag_threads.c - threads that come and go, all of them in MPI at once.
 *
 *   tag_threads [THREADS [WAVES [CALLS]]]
 *
 * In each wave THREADS threads exchange CALLS tagged messages with the same
 * thread of the neighbouring tasks, each on its own tag, and check them; then
 * they end and the next wave begins. Marker: wave * 1000000 + thread * 10000 +
 * call; text: "wave W thread T call C". */
#include <hct_rt.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 100 };
struct job { int wave, thread; };
static int rank, tasks, calls = 50;

static void *exchange(void *arg)
{
    const struct job *j = arg;
    int right = (rank + 1) % tasks, left = (rank + tasks - 1) % tasks;
    char text[80];

    for (int c = 0; c < calls; c++) {
        int out[2] = { rank, c }, in[2] = { -1, -1 };

        snprintf(text, sizeof(text), "wave %d thread %d call %d", j->wave,
                 j->thread, c);
        HCT_RT_Tag(j->wave * 1000000 + j->thread * 10000 + c, text);
        MPI_Sendrecv(out, 2, MPI_INT, right, j->thread, in, 2, MPI_INT, left,
                     j->thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in[0] != left || in[1] != c) {
            fprintf(stderr, "tag_threads: wrong message in %s\n", text);
            MPI_Abort(MPI_COMM_WORLD, 6);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 4;
    int waves = argc > 2 ? atoi(argv[2]) : 3, provided;
    pthread_t thread[THREADS_MAX];
    struct job job[THREADS_MAX];

    calls = argc > 3 ? atoi(argv[3]) : calls;
    if (threads < 1 || threads > THREADS_MAX)
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "tag_threads: no MPI_THREAD_MULTIPLE here\n");
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    for (int w = 0; w < waves; w++) {
        for (int t = 0; t < threads; t++) {
            job[t] = (struct job){ w, t };
            pthread_create(&thread[t], NULL, exchange, &job[t]);
        }
        for (int t = 0; t < threads; t++)
            pthread_join(thread[t], NULL);
    }
    if (rank == 0)
        printf("tag_threads: %d tagged calls a task\n", waves * threads * calls);
    MPI_Finalize();
    return 0;
}
