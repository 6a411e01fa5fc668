/* fine_counts.c - small MPI programs that are correct, or get through, in calls in
 * which each member gives each other one an amount of its own. They look like
 * those of stuck_counts.c for a while. */
#include "mini.h"

enum { TASKS = 4 };

static int n[TASKS], at[TASKS];

/* So much of each, one behind the other. */
static void amounts(int a, int b, int c, int d)
{
    const int v[TASKS] = { a, b, c, d };

    for (int i = 0, sum = 0; i < TASKS; sum += v[i++]) {
        n[i] = v[i];
        at[i] = sum;
    }
}

/* Most give nothing, and the one that gives comes late. */
static void gatherv_late(void)
{
    amounts(0, 0, 100000, 0);
    for (int root = 0; root < TASKS; root++) {
        late(2);
        MPI_Gatherv(big, n[rank], MPI_BYTE, other, n, at, MPI_BYTE, root, W);
        late(root);
        MPI_Scatterv(big, n, at, MPI_BYTE, other, n[rank], MPI_BYTE, root, W);
    }
}

/* The same bytes, of types that differ, and some told of only now. */
static void gatherv_types(void)
{
    MPI_Datatype pair;

    amounts(10, 20, 0, 40);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 3; i++) {
        late(3 - i);
        if (rank % 2)
            MPI_Gatherv(big, n[rank] / 2, pair, NULL, NULL, NULL, MPI_BYTE, 0,
                        W);
        else
            MPI_Gatherv(big, n[rank], MPI_INT, other, n, at, MPI_INT, 0, W);
        late(0);
    }
}

/* What stands beside MPI_IN_PLACE means nothing. */
static void gatherv_in_place(void)
{
    amounts(100000, 0, 1, 4096);
    for (int root = 0; root < 2; root++) {
        late(3);
        MPI_Gatherv(rank == root ? MPI_IN_PLACE : big, rank == root ? 7 : n[rank],
                    MPI_BYTE, other, n, at, MPI_BYTE, root, W);
        late(2);
        MPI_Scatterv(big, n, at, MPI_BYTE,
                     rank == root ? MPI_IN_PLACE : other,
                     rank == root ? 7 : n[rank], MPI_BYTE, root, W);
    }
    late(1);
    MPI_Allgatherv(MPI_IN_PLACE, 7, MPI_BYTE, other, n, at, MPI_BYTE, W);
    amounts(1000, 1000, 1000, 1000);
    late(0);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_BYTE, other, n, at, MPI_BYTE, W);
}

/* Less is given than there is room for: that is wrong, and gets through. The root
 * is late for what follows, and all wait for it. */
static void gatherv_less(void)
{
    amounts(100, 100, 100, 100);
    for (int i = 0; i < 3; i++) {
        MPI_Gatherv(big, rank == 1 ? 50 : 100, MPI_BYTE, other, n, at, MPI_BYTE,
                    0, W);
        late(0);
        MPI_Barrier(W);
    }
}

/* A little is given to one that takes nothing, and lies there. */
static void scatterv_left_over(void)
{
    amounts(10, 10, 10, 10);
    late(3);
    MPI_Scatterv(big, n, at, MPI_BYTE, other, rank == 3 ? 0 : 10, MPI_BYTE, 0, W);
    late(1);
    MPI_Barrier(W);
}

/* A row of its own for each, with nothing here and there. */
static void alltoallv_late(void)
{
    int to[TASKS], from[TASKS], there[TASKS], here[TASKS];

    for (int i = 0; i < 2; i++) {
        for (int r = 0, out = 0, in = 0; r < TASKS; r++) {
            to[r] = (rank * 3 + r) % 4 * 10000;
            from[r] = (r * 3 + rank) % 4 * 10000;
            there[r] = out;
            here[r] = in;
            out += to[r];
            in += from[r];
        }
        late(i);
        MPI_Alltoallv(big, to, there, MPI_BYTE, other, from, here, MPI_BYTE, W);
        late(2 + i);
    }
}

/* An operation that takes 100 ms for each element, and rows that are alike. */
static void slow_xor(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        usleep(100000);
        ((int *)inout)[i] ^= ((int *)in)[i];
    }
}
static void reduce_scatter_slow(void)
{
    MPI_Op op;

    amounts(5, 0, 10, 1);
    MPI_Op_create(slow_xor, 1, &op);
    MPI_Reduce_scatter(big, other, n, MPI_INT, op, W);
    late(1);
    MPI_Reduce_scatter(big, other, n, MPI_INT, op, W);
}

static const struct mini all[] = {
    { "gatherv-late", TASKS, "", gatherv_late },
    { "gatherv-types", TASKS, "", gatherv_types },
    { "gatherv-in-place", TASKS, "", gatherv_in_place },
    { "gatherv-less", TASKS, "", gatherv_less },
    { "scatterv-left-over", TASKS, "", scatterv_left_over },
    { "alltoallv-late", TASKS, "", alltoallv_late },
    { "reduce-scatter-slow", TASKS, "", reduce_scatter_slow },
    { 0 },
};

int main(int argc, char **argv)
{
    return mini_main(argc, argv, all);
}
