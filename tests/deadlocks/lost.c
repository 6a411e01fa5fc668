/* lost.c - small MPI programs that never end, and in which nothing can be proven
 * of it: the words of a notice or verdict have to be there within 20 s. */
#include "mini.h"

#include <time.h>


#define RIGHT ((rank + 1) % size)
#define LEFT ((rank + size - 1) % size)

static volatile double sink;

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
static void threads_multiple(void) { get(RIGHT, 1); }

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
    { "never-finalize", 3, "notice.rank 1 .*for_ever.*ranks 0,2 wait for it",
      never_finalize },
    { "never-init", 3, "notice.rank 1 has not called MPI_Init .*ranks 0,2 wait",
      for_ever },
    { "exchange", 3, "notice.ranks 0-2 have made the same calls", exchange },
    { "ping-pong", 2, "notice.ranks 0-1 have made the same calls", ping_pong },
    { "compare-and-swap", 2, "notice.ranks 0-1 have made the same calls",
      compare_and_swap },
    { "threads-multiple", 3, "notice.nothing has moved .*ranks 0-2 in MPI_Recv|"
      "deadlock", threads_multiple },
    { "in-loop", 3, "hang.*rank 1 has not come back", in_loop },
    { 0 },
};

/* Before MPI_Init a task knows its rank from who has started it. */
int main(int argc, char **argv)
{
    const char *me = getenv("PMIX_RANK");

    if (argc > 1 && strcmp(argv[1], "never-init") == 0 && me && *me == '1')
        for_ever();
    return mini_main(argc, argv, all);
}
