/* beat.c - rounds with tagged calls of which something may be due.
 *
 *   beat MS FILE [CPU_MS [ALL_MS]]
 *
 * In round n a message goes from task to task: task 0 sends it by a call that
 * is tagged "in" with marker n, the last one gives it back to task 0 by one
 * tagged "out"; then all meet in a barrier that each has tagged "beat". All
 * compute for ALL_MS milliseconds of a processor at the beginning of a round,
 * and each for CPU_MS when it has the message. Between rounds they sleep for
 * MS. FILE says what is done, and is read in each round; its first word is one
 * of
 *
 *   stand TASK          that one stands before it passes the message on, until FILE
 *                       says something else
 *   slow TASK MS        that one sleeps so much longer there
 *   rest                nothing is tagged; task 0 says so
 *   end                 the job ends
 *
 * and nothing of it otherwise. */
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct order { char what[16]; int task, ms; };
static int rests;

static void tag(int marker, const char *text)
{
    if (!rests)
        HCT_RT_Tag(marker, text);
}

static void pause_ms(int ms)
{
    struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

    nanosleep(&t, NULL);
}

/* Whatever else wants the processor meanwhile. Returns what it has come to. */
static unsigned compute(int ms)
{
    struct timespec t;
    unsigned x = 1;
    long until;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    until = t.tv_sec * 1000000000L + t.tv_nsec + ms * 1000000L;
    do {
        for (int i = 0; i < 10000; i++)
            x = x * 1664525u + 1013904223u;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while (t.tv_sec * 1000000000L + t.tv_nsec < until);
    return x;
}

static struct order read_order(const char *file)
{
    struct order o = { "", -1, 0 };
    FILE *f = fopen(file, "r");

    if (f) {
        if (fscanf(f, "%15s %d %d", o.what, &o.task, &o.ms) < 1)
            o.what[0] = '\0';
        fclose(f);
    }
    return o;
}

/* What the order is about is done by the one who has the message. */
static void hold(const struct order *o, int rank, const char *file)
{
    struct order now = *o;

    if (o->task != rank)
        return;
    if (!strcmp(o->what, "slow"))
        pause_ms(o->ms);
    while (!strcmp(now.what, "stand") && now.task == rank) {
        pause_ms(5);
        now = read_order(file);
    }
}

int main(int argc, char **argv)
{
    int rank, n, ms = 0, cpu_ms = 0, all_ms = 0;
    unsigned done = 0;
    struct order o;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc < 3 || sscanf(argv[1], "%d", &ms) != 1 || n < 2 ||
        (argc > 3 && sscanf(argv[3], "%d", &cpu_ms) != 1) ||
        (argc > 4 && sscanf(argv[4], "%d", &all_ms) != 1))
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int round = 0; ; round++) {
        if (rank == 0)
            o = read_order(argv[2]);
        MPI_Bcast(&o, sizeof(o), MPI_BYTE, 0, MPI_COMM_WORLD);
        if (!strcmp(o.what, "end"))
            break;
        if (!rests && !strcmp(o.what, "rest") && rank == 0) {
            puts("rests");
            fflush(stdout);
        }
        rests = !strcmp(o.what, "rest");
        if (all_ms)
            done |= compute(all_ms);
        if (rank == 0)
            tag(round, "in");
        else
            MPI_Recv(NULL, 0, MPI_INT, rank - 1, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (cpu_ms)
            done |= compute(cpu_ms);
        if (rank > 0)
            hold(&o, rank, argv[2]);
        if (rank == n - 1)
            tag(round, "out");
        MPI_Send(NULL, 0, MPI_INT, (rank + 1) % n, 1, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, n - 1, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            hold(&o, rank, argv[2]);
        }
        tag(round, "beat");
        MPI_Barrier(MPI_COMM_WORLD);
        pause_ms(ms);
    }
    if (rank == 0)
        printf("rounds are over%s\n", done == 1 ? "?" : "");
    MPI_Finalize();
    return 0;
}
