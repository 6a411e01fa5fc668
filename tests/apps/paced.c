/* paced.c - rounds of a given length, of which somebody makes some longer while
 * the job runs: a ring, and a sum of all.
 *
 *   paced MS FILE [cpu [BYTES]]
 *
 * Every task works for MS milliseconds in a round, some per cent more or less:
 * it sleeps, or with cpu it computes for so much processor time; and it swaps so
 * many BYTES with the one half of all tasks further on; of less than 0 they make
 * these the sum of both, by a collective call of a communicator. FILE says what is done;
 * tasks read it again and again. A final @ in it is the name of the host that
 * the task is on then. Of its words, the first is one of
 *
 *   slow FACTOR FIRST LAST      tasks FIRST to LAST work FACTOR times as long
 *   phase FACTOR                all do, in a phase of its own (HCT_RT_Tag)
 *   wander FACTOR SECONDS       one does, the next one as much shorter; then the
 *                               next, after SECONDS
 *   uneven FACTOR               task r works for 1 + (FACTOR - 1) * r / tasks
 *   stall SECONDS TASK          it stands still once
 *   rounds N                    the job ends after so many
 *   end                         the job ends
 *
 * and nothing of it otherwise. Task FIRST, TASK or 0 says on standard error when
 * that begins, "paced: slow NS" of the real time. */
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, tasks, use_cpu;
static const char *file;

static struct order {
    char what[16];
    double a, b, c;
} order;

static double now_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void work(double seconds)
{
    double until = now_of(CLOCK_PROCESS_CPUTIME_ID) + seconds;
    struct timespec t = { .tv_sec = (time_t)seconds };

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    if (!use_cpu)
        nanosleep(&t, NULL);
    while (use_cpu && now_of(CLOCK_PROCESS_CPUTIME_ID) < until)
        ;
}

static int is(const char *what)
{
    return strcmp(order.what, what) == 0;
}

/* A new order, once: what has to be done at its beginning. */
static void begin(void)
{
    int who = is("slow") ? (int)order.b : is("stall") ? (int)order.b : 0;

    if (rank == who && *order.what)
        fprintf(stderr, "paced: %s %.0f\n", order.what,
                now_of(CLOCK_REALTIME) * 1e9);
    if (is("stall") && rank == who)
        work(order.a);
    if (is("phase"))
        HCT_RT_Tag(1, "heavy");
}

static const char *name_of_file(void)
{
    static char name[4096];
    size_t n = strlen(file);

    if (n == 0 || n > 3000 || file[n - 1] != '@')
        return file;
    memcpy(name, file, n - 1);
    gethostname(name + n - 1, 1000);
    return name;
}

static void read_order(void)
{
    static double next;
    struct order was = order;
    FILE *f;

    if (now_of(CLOCK_MONOTONIC) < next)
        return;
    next = now_of(CLOCK_MONOTONIC) + 0.05;
    memset(&order, 0, sizeof(order));
    f = fopen(name_of_file(), "r");
    if (f && fscanf(f, "%15s %lf %lf %lf", order.what, &order.a, &order.b,
                    &order.c) < 1)
        memset(&order, 0, sizeof(order));
    if (f)
        fclose(f);
    if (memcmp(&was, &order, sizeof(order)) == 0)
        return;
    if (strcmp(was.what, "phase") == 0 && !is("phase"))
        HCT_RT_Tag(2, "light");
    begin();
}

static double times(void)
{
    int turn = is("wander") ? (int)(now_of(CLOCK_MONOTONIC) / order.b) : 0;

    if (is("slow"))
        return rank >= order.b && rank <= order.c ? order.a : 1;
    if (is("phase"))
        return order.a;
    if (is("uneven"))
        return 1 + (order.a - 1) * rank / tasks;
    if (is("wander"))
        return turn % tasks == rank ? order.a
               : (turn + 1) % tasks == rank ? 2 - order.a : 1;
    return 1;
}

static void swap(int v[2])
{
    MPI_Request r[2];

    MPI_Irecv(&v[0], 1, MPI_INT, (rank + tasks - 1) % tasks, 1, MPI_COMM_WORLD,
              &r[0]);
    MPI_Isend(&v[1], 1, MPI_INT, (rank + 1) % tasks, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void swap_bytes(int n)
{
    static char *v[2];
    int half = tasks / 2;
    int to = (rank + half) % tasks, from = (rank + tasks - half) % tasks;

    for (int i = 0; i < 2; i++)
        if (!v[i] && !(v[i] = calloc((size_t)n, 1)))
            MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Sendrecv(v[0], n, MPI_CHAR, to, 2, v[1], n, MPI_CHAR, from, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sum_bytes(int n)
{
    static MPI_Comm both = MPI_COMM_NULL;
    static char *v[2];

    if (both == MPI_COMM_NULL)
        MPI_Comm_split(MPI_COMM_WORLD, rank % (tasks / 2), rank, &both);
    for (int i = 0; i < 2; i++)
        if (!v[i] && !(v[i] = calloc((size_t)n, 1)))
            MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Allreduce(v[0], v[1], n, MPI_CHAR, MPI_MAX, both);
}

int main(int argc, char **argv)
{
    int bytes, rounds = 0, v[2] = { 0, 0 }, mine = 0, end = 0;
    double ms;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    ms = argc > 2 ? atof(argv[1]) : 0;
    if (!(ms > 0)) {
        fprintf(stderr, "usage: paced MS FILE [cpu]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    file = argv[2];
    use_cpu = argc > 3;
    bytes = argc > 4 ? atoi(argv[4]) : 0;
    srand((unsigned)rank + 1);
    while (!end) {
        read_order();
        mine = is("end") || (is("rounds") && ++rounds >= order.a);
        work(ms / 1e3 * times() * (0.97 + 0.06 * rand() / RAND_MAX));
        swap(v);
        if (bytes > 0)
            swap_bytes(bytes);
        if (bytes < 0 && tasks > 1)
            sum_bytes(-bytes);
        MPI_Allreduce(&mine, &end, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
