/* exhaust.c - more of everything than the page has room for, or of one kind.
 *
 *   exhaust [comms|requests|sites|edges|threads]
 *
 * Communicators, unfinished requests, call sites, pairs of call sites and
 * threads. Each task checks what MPI gives it and prints "exhaust: ok" as the
 * first one. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMS = 700, REQUESTS = 6000, SITES = 900, STEPS = 20000, THREADS = 80 };

static void check(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "exhaust: %s is wrong\n", what);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
}

static void comms(void)
{
    static MPI_Comm c[COMMS];
    int rank, size, sum;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &c[i]);
    for (int i = 0; i < COMMS; i += 10) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c[i]);
        check(sum == size * (size - 1) / 2, "a sum");
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&c[i]);
}

static void requests(void)
{
    static MPI_Request r[REQUESTS];
    static int in[REQUESTS];

    for (int i = 0; i < REQUESTS; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
    for (int i = REQUESTS; i-- > 0; )
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    for (int left = REQUESTS; left > 0; ) {
        static int which[REQUESTS];
        int n;

        MPI_Waitsome(REQUESTS, r, &n, which, MPI_STATUSES_IGNORE);
        left -= n;
    }
    for (int i = 0; i < REQUESTS; i++)
        check(in[i] == i, "a message");
}

/* A call from n frames down: each height is a site of its own. */
static __attribute__((noinline)) double down(int n)
{
    volatile double t = n ? down(n - 1) : MPI_Wtime();

    return t;
}

static void sites(void)
{
    for (int i = 0; i < SITES; i++)
        check(down(i) >= 0, "the time");
}

static void edges(void)
{
    unsigned at = 1;

    for (int i = 0; i < STEPS; i++) {
        at = at * 1103515245u + 12345u;
        check(down((int)(at >> 16) % 100) >= 0, "the time");
    }
}

static pthread_barrier_t gate;

static void *thread(void *arg)
{
    int out = 3, in = 0;

    pthread_barrier_wait(&gate);
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, *(int *)arg, &in, 1, MPI_INT, 0,
                     *(int *)arg, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&gate);
    check(in == 3, "a thread's message");
    return NULL;
}

static void threads(void)
{
    static pthread_t t[THREADS];
    static int number[THREADS];

    pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, thread, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } kind[] = {
        { "comms", comms }, { "requests", requests }, { "sites", sites },
        { "edges", edges }, { "threads", threads },
    };
    int rank, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
        if ((argc < 2 || strcmp(argv[1], kind[i].name) == 0) &&
            (kind[i].run != threads || provided == MPI_THREAD_MULTIPLE))
            kind[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("exhaust: ok");
    MPI_Finalize();
    return 0;
}
