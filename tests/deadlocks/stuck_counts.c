/* stuck_counts.c - small MPI programs that deadlock in calls in which each member
 * gives each other one an amount of its own, for one gives another amount than the
 * other one takes. Where that is less, or both are something, Open MPI gets
 * through, or ends with an error. Words and marks as in stuck.c. */
#include "mini.h"

enum { TASKS = 4, SMALL = 100, LARGE = 100000 };

static int n[TASKS], at[TASKS];

/* So much of each, and another amount of one; the type was used before. */
static void amounts(int all, int who, int its)
{
    MPI_Allreduce(MPI_IN_PLACE, big, 1, MPI_BYTE, MPI_BXOR, W);
    for (int i = 0, sum = 0; i < TASKS; sum += n[i++]) {
        n[i] = i == who ? its : all;
        at[i] = sum;
    }
}

/* Macros, so that the line of each is that of the program. */
#define gathers(root, mine) \
    MPI_Gatherv(big, mine, MPI_BYTE, other, n, at, MPI_BYTE, root, W)
#define scatters(mine) \
    MPI_Scatterv(big, n, at, MPI_BYTE, other, mine, MPI_BYTE, 0, W)
#define gathers_all(mine) \
    MPI_Allgatherv(big, mine, MPI_BYTE, other, n, at, MPI_BYTE, W)

static void gatherv_nothing(void)
{
    amounts(SMALL, -1, 0);
    gathers(0, rank == 1 ? 0 : SMALL); /*!*/
    MPI_Barrier(W); /*!*/
}
static void gatherv_much(void)
{
    amounts(SMALL, 2, 0);
    gathers(0, rank == 2 ? LARGE : SMALL); /*!*/
    MPI_Barrier(W); /*!*/
}
/* In a loop of which the last turn is wrong, by the fault of the root. */
static void gatherv_in_loop(void)
{
    for (int i = 0; i < 50; i++) {
        amounts(SMALL + i, 1, i < 49 ? i : LARGE);
        gathers(3, rank != 1 ? SMALL + i : i < 49 ? i : 0); /*!*/
    }
}
static void scatterv_nothing(void)
{
    amounts(SMALL, 1, 0);
    scatters(SMALL); /*!*/
}
static void scatterv_much(void)
{
    amounts(SMALL, 1, LARGE);
    scatters(rank == 1 ? 0 : SMALL); /*!*/
    MPI_Barrier(W); /*!*/
}
static void allgatherv_nothing(void)
{
    amounts(SMALL, 2, rank == 1 ? 0 : LARGE);
    gathers_all(rank == 2 ? LARGE : SMALL); /*!*/
    MPI_Barrier(W); /*!*/
}

/* Each with a type for each other one. */
static void alltoallw_nothing(void)
{
    int gives[TASKS] = { 0 }, takes[TASKS] = { 0 };
    MPI_Datatype type[TASKS] = { MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE };

    amounts(0, -1, 0);
    if (rank == 0)
        gives[1] = LARGE;
    MPI_Alltoallw(big, gives, at, type, other, takes, at, type, W); /*!*/
    MPI_Barrier(W); /*!*/
}

static const struct mini all[] = {
    { "gatherv-nothing", TASKS, "@0-1 what rank 1 gives to rank 0 .*takes 100 "
      "bytes more from rank 1", gatherv_nothing },
    { "gatherv-much", TASKS, "@0,2 what rank 2 gives to rank 0 .*gives 100000 "
      "bytes more to rank 0", gatherv_much },
    { "gatherv-in-loop", TASKS, "@1,3 what rank 1 gives to rank 3 .*Gatherv as "
      "collective call 100 ", gatherv_in_loop },
    { "scatterv-nothing", TASKS, "@0-1 what rank 0 gives to rank 1 .*takes 100 "
      "bytes more from rank 0", scatterv_nothing },
    { "scatterv-much", TASKS, "@0-1 what rank 0 gives to rank 1 .*gives 100000 "
      "bytes more to rank 1", scatterv_much },
    { "allgatherv-nothing", TASKS, "@1-2 what rank 2 gives to rank 1 .*",
      allgatherv_nothing },
    { "alltoallw-nothing", TASKS, "@0-1 what rank 0 gives to rank 1 .*gives 100000 "
      "bytes more to rank 1", alltoallw_nothing },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
