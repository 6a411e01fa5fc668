/* bench_call.c - what recording costs a call of MPI: MPI_Iprobe, which does
 * next to nothing, called bare (PMPI), through an empty wrapper, as programs
 * call it with everything recorded or only some of it, and with a tag in
 * front.
 *
 * bench_call HOW N makes N calls of one kind and measures nothing: for tools
 * that count instructions (instructions.sh).
 *
 * Run it as a task of hector-run; without Hector the lines after the second
 * show the bare call again. What a thread records is decided when it begins,
 * by the page's header, so each line is measured in a thread of its own.
 * Rounds alternate, medians are printed. Tagged calls come in bursts that fit
 * into the event ring, with pauses for the slave to empty it: what is measured
 * is the task's part. */
#include <hct_rt.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi-wrappers/page.h"
#include "tests/apps/page_here.h"

enum { ROUNDS = 31, CALLS = 20000, BURST = 2000 };
enum how {
    BARE, EMPTY, COUNTED, STATE, FLIGHT, MODEL, UNTAGGED, TAGGED, HOWS
};

typedef int iprobe_f(int, int, MPI_Comm, int *, MPI_Status *);

static __attribute__((noinline)) int empty_wrapper(int source, int tag,
    MPI_Comm comm, int *flag, MPI_Status *status)
{
    int rc = PMPI_Iprobe(source, tag, comm, flag, status);

    __asm__ volatile("");       /* no tail call: a wrapper comes back */
    return rc;
}

static double now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* One round: ns a call. */
static double measure(enum how how)
{
    static const struct timespec pause = { 0, 30000000 };
    iprobe_f *volatile iprobe = how == BARE ? PMPI_Iprobe
                                : how == EMPTY ? empty_wrapper : MPI_Iprobe;
    int n = how == TAGGED ? BURST : CALLS, flag;
    double start, end;

    if (how == TAGGED)
        nanosleep(&pause, NULL);
    for (int i = 0; i < 200; i++)       /* warm up, without tags */
        iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    start = now_ns();
    for (int i = 0; i < n; i++) {
        if (how == TAGGED)
            HCT_RT_Tag(i, "halo exchange");
        iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    end = now_ns();
    return (end - start) / n;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct job { enum how how; double ns[ROUNDS]; pthread_t thread; };
static pthread_barrier_t turn;

/* All have begun, then each in its turn, round by round. */
static void *work(void *arg)
{
    struct job *j = arg;

    measure(j->how == TAGGED ? UNTAGGED : j->how);      /* takes a slot */
    pthread_barrier_wait(&turn);
    for (int r = 0; r < ROUNDS; r++)
        for (enum how how = 0; how < HOWS; how++) {
            if (how == j->how)
                j->ns[r] = measure(how);
            pthread_barrier_wait(&turn);
        }
    return NULL;
}

/* By this name instructions.sh finds it. */
__attribute__((noinline)) void bench_calls(enum how how, int n);
void bench_calls(enum how how, int n)
{
    iprobe_f *volatile iprobe = how == BARE ? PMPI_Iprobe
                                : how == EMPTY ? empty_wrapper : MPI_Iprobe;
    int flag;

    for (int i = 0; i < n; i++) {
        if (how == TAGGED)
            HCT_RT_Tag(i, "halo exchange");
        iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static const struct { const char *name; uint32_t what; } line[HOWS] = {
        { "bare", 0 }, { "empty wrapper", 0 }, { "counters and tags", 0 },
        { "and state", PAGE_DO_STATE },
        { "and the last calls", PAGE_DO_STATE | PAGE_DO_FLIGHT },
        { "and the model", PAGE_DO_ALL & ~PAGE_DO_HISTOGRAM },
        { "untagged, everything", PAGE_DO_ALL },
        { "tagged, both stamps", PAGE_DO_ALL },
    };
    static struct job job[HOWS];
    struct page_header *page;
    double bare;

    MPI_Init(&argc, &argv);             /* one thread calls at a time */
    page = page_here();
    if (argc == 3) {
        bench_calls((enum how)atoi(argv[1]), 100);
        bench_calls((enum how)atoi(argv[1]), atoi(argv[2]));
        return MPI_Finalize();
    }
    pthread_barrier_init(&turn, NULL, HOWS);
    for (enum how how = 0; how < HOWS; how++) {
        unsigned slots = page ? page->slots_used : 0;

        job[how].how = how;
        if (page)
            page->what = line[how].what;
        pthread_create(&job[how].thread, NULL, work, &job[how]);
        while (page && how > EMPTY && page->slots_used == slots)
            nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
    }
    for (enum how how = 0; how < HOWS; how++)
        pthread_join(job[how].thread, NULL);
    for (enum how how = 0; how < HOWS; how++)
        qsort(job[how].ns, ROUNDS, sizeof(double), by_value);
    bare = job[BARE].ns[ROUNDS / 2];
    for (enum how how = 0; how < HOWS; how++) {
        double m = job[how].ns[ROUNDS / 2];

        printf("call %s: %.1f ns, %+.1f ns over bare, ratio %.2f "
               "(median of %d)\n", line[how].name, m, m - bare, m / bare,
               ROUNDS);
    }
    MPI_Finalize();
    return 0;
}
