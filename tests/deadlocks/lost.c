/* lost.c - small MPI programs that never end, and in which nothing can be proven
 * of it: the words of a notice or verdict have to be there within 20 s. */
#include "mini.h"

#include <pthread.h>
#include <time.h>

static void for_ever(void)
{
    for (;;)
        sink += sink / 3;
}

static void compute_first(void)
{
    if (rank == 1)
        for_ever();
    MPI_Barrier(W);
}
static void compute_once(void)
{
    MPI_Barrier(W);
    if (rank == 1)
        for_ever();
    MPI_Barrier(W);
}
static void never_finalize(void)
{
    MPI_Barrier(W);
    if (rank == 1)
        for_ever();
}
static void pauses_at_end(void)
{
    MPI_Barrier(W);
    if (rank == 1)
        for (;;)
            pause();
}
static void exchange(void)
{
    for (int in;;)
        MPI_Sendrecv(&one, 1, MPI_INT, RIGHT, 1, &in, 1, MPI_INT, LEFT, 1, W,
                     NO);
}
static void ping_pong(void)
{
    for (;;)
        if (rank == 0) {
            put(1, 1);
            get(1, 1);
        } else {
            get(0, 1);
            put(0, 1);
        }
}
static void compare_and_swap(void)
{
    MPI_Win w = window();
    int never = -1, mine = 1, was;

    MPI_Win_lock_all(0, w);
    for (;;) {
        MPI_Compare_and_swap(&mine, &never, &was, MPI_INT, 0, 0, w);
        MPI_Win_flush(0, w);
    }
}
static void fetch_and_add(void)
{
    MPI_Win w = window();
    int was;

    MPI_Win_lock_all(0, w);
    do {
        MPI_Fetch_and_op(&one, &was, MPI_INT, 0, 0, MPI_SUM, w);
        MPI_Win_flush(0, w);
    } while (was < 1);
}
static void locks(void)
{
    MPI_Win w = window();
    int was = 0;

    while (was < 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
        MPI_Get(&was, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_unlock(0, w);
    }
}
static void reduces(void)
{
    int sum;

    do
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W);
    while (sum >= 0);
}
static void probes(void)
{
    int flag = 0;

    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 3, W, &flag, NO);
}
static void one_probes(void)
{
    if (rank == 1)
        probes();
    MPI_Barrier(W);
}
/* Collective calls that do not block, of which a member is missing: for ever at
 * work, or waiting for the others. */
static void asks_until(MPI_Request r)
{
    int done = 0;

    while (!done)
        MPI_Test(&r, &done, NO);
}
static void ibarrier_computes(void)
{
    MPI_Request r;

    MPI_Barrier(W);
    if (rank == 2)
        for_ever();
    MPI_Ibarrier(W, &r);
    asks_until(r);
}
static void ibarrier_waits(void)
{
    MPI_Request r;

    MPI_Barrier(W);
    if (rank == 2)
        get(0, 1);
    MPI_Ibarrier(W, &r);
    asks_until(r);
    put(2, 1);
}
static void iallreduce_ends(void)
{
    MPI_Request r;

    MPI_Barrier(W);
    if (rank == 1)
        return;
    MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, W, &r);
    asks_until(r);
}
/* Rank 0 asks the others, which answer at once, for ever. */
static void master_asks(void)
{
    for (;;)
        if (rank == 0)
            for (int r = 1; r < size; r++) {
                put(r, 1);
                get(r, 2);
            }
        else {
            get(0, 1);
            put(0, 2);
        }
}
/* Two of them go on for ever, and the others wait for these. */
static void two_of_four(void)
{
    if (rank < 2)
        ping_pong();
    MPI_Barrier(W);
}
static void first_pauses(void)
{
    if (rank == 1)
        for (;;)
            pause();
    MPI_Barrier(W);
}
static void *naps(void *arg)
{
    for (;;)
        sleep(1);
    return arg;
}
static void threads_asleep(void)
{
    pthread_t t;

    pthread_create(&t, NULL, naps, NULL);
    get(RIGHT, 1);
}
static void *gets(void *arg) { get(LEFT, 2); return arg; }
static void threads_two_in(void)
{
    pthread_t t;

    pthread_create(&t, NULL, gets, NULL);
    get(RIGHT, 1);
}
/* One thread waits for what nobody sends, and the other one is at work. */
static void *works(void *arg) { for_ever(); return arg; }
static void threads_works(void)
{
    pthread_t t;

    pthread_create(&t, NULL, works, NULL);
    get(RIGHT, 1);
}
static void threads_first_works(void)
{
    pthread_t t;

    pthread_create(&t, NULL, gets, NULL);
    for_ever();
}
/* For a number in their windows that nobody writes. */
static void window_flag(void)
{
    MPI_Win w = window();
    volatile int *seen = mini_memory;

    MPI_Win_lock_all(0, w);
    if (rank == 0)
        get(1, 1);
    while (!*seen)
        MPI_Win_sync(w);
}

/* Windows and files. */
static void fence_skipped(void)
{
    MPI_Win w = window();

    MPI_Win_fence(0, w);
    if (rank != 2)
        MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}
static void file_close(void)
{
    MPI_File f = MPI_FILE_NULL;
    char name[64];

    snprintf(name, sizeof(name), "/tmp/lost-file.%d", (int)getppid());
    MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    unlink(name);
    if (rank == 0)
        get(1, 1);
    MPI_File_close(&f);
}

/* A place where it has computed a hundred times before. */
static void work(int last)
{
    double x = 0;

    for (long i = 0; i < 3000000 || last; i++)
        x += (double)i * i;
    sink = x;
}
static void in_loop(void)
{
    time_t began = time(NULL);

    for (;;) {
        work(rank == 1 && time(NULL) > began + 5);
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, W);
    }
}

static const struct mini all[] = {
    { "compute-first", 3, "notice.rank 1 .*for_ever.*ranks 0,2 wait for it",
      compute_first },
    { "compute-once", 3, "notice.rank 1 .*for_ever.*ranks 0,2 wait for it",
      compute_once },
    { "never-finalize", 3, "notice.rank 1 .*for_ever.*ranks 0,2 wait for it in "
      "MPI_Finalize", never_finalize },
    { "never-init", 3, "notice.rank 1 has not called MPI_Init .*ranks 0,2 wait",
      for_ever },
    { "exchange", 3, "notice.ranks 0-2 have made the same calls", exchange },
    { "ping-pong", 2, "notice.ranks 0-1 have made the same calls", ping_pong },
    { "compare-and-swap", 2, "notice.ranks 0-1 have made the same calls",
      compare_and_swap },
    { "fetch-and-add", 2, "notice.ranks 0-1 have made the same calls",
      fetch_and_add },
    { "win-locks", 2, "notice.ranks 0-1 have made the same calls", locks },
    { "reduces", 3, "notice.ranks 0-2 have made the same calls", reduces },
    { "probes", 2, "notice.ranks 0-1 have waited for each other", probes },
    { "one-probes", 2, "notice.ranks 0-1 have waited for each other",
      one_probes },
    { "ibarrier-computes", 3, "notice.rank 2 .*for_ever.*ranks 0-1 wait for it in "
      "MPI_Test by MPI_Ibarrier", ibarrier_computes },
    { "ibarrier-waits", 3, "notice.*Test by MPI_Ibarrier, asking in a loop for "
      "rank 2, which has not entered collective call 2 of MPI_COMM_WORLD;",
      ibarrier_waits },
    { "iallreduce-ends", 3, "notice.*Test by MPI_Iallreduce, asking in a loop for "
      "rank 1, which has not entered collective call 2 of MPI_COMM_WORLD;",
      iallreduce_ends },
    { "master-asks", 3, "notice.ranks 0-2 have made the same calls", master_asks },
    { "two-of-four", 4, "notice.ranks 0-1 have made the same calls", two_of_four },
    { "first-pauses", 2, "notice.rank 1 .*sleeps until a signal comes, and "
      "rank 0 waits for it in MPI_Barrier", first_pauses },
    { "pauses-at-end", 3, "notice.rank 1 .*sleeps until a signal comes, and "
      "ranks 0,2 wait for it in MPI_Finalize", pauses_at_end },
    { "exits-early", 3, "notice.rank 1 has ended, and ranks 0,2 have waited "
      "in MPI_Init", for_ever },
    { "pauses-early", 3, "notice.rank 1 has not called MPI_Init .*ranks 0,2 "
      "wait", for_ever },
    { "threads-asleep", 3, "notice.nothing has moved .*ranks 0-2 in MPI_Recv; "
      "other threads of ranks 0-2 may yet call MPI", threads_asleep },
    { "threads-two-in", 3, "deadlock.deadlock: ranks 0-2 all wait for messages "
      "from each other", threads_two_in },
    { "threads-works", 3, "notice.nothing has moved .*ranks 0-2 in MPI_Recv; "
      "other threads of ranks 0-2 may yet call MPI", threads_works },
    { "threads-first-works", 3, "notice.nothing has moved .*ranks 0-2 in "
      "MPI_Recv; other threads of ranks 0-2 may yet call MPI",
      threads_first_works },
    { "window-flag", 3, "notice.(ranks 1-2 have made the same calls|"
      "nothing has moved .*MPI_Win_sync)", window_flag },
    { "fence-skipped", 3, "notice.nothing has moved .*MPI_Win_free|deadlock",
      fence_skipped },
    { "file-close", 2, "notice.nothing has moved .*MPI_File_close|deadlock",
      file_close },
    { "in-loop", 3, "hang.*rank 1 has not come back", in_loop },
    { 0 },
};

/* Before MPI_Init a task knows its rank from who has started it. */
int main(int argc, char **argv)
{
    const char *me = getenv("PMIX_RANK");

    if (argc > 1 && me && *me == '1') {
        if (strcmp(argv[1], "never-init") == 0)
            for_ever();
        if (strcmp(argv[1], "exits-early") == 0)
            _exit(0);
        while (strcmp(argv[1], "pauses-early") == 0)
            pause();
    }
    return mini_main(argc, argv, all);
}
