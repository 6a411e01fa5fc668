/* tree.c - sums and broadcasts along a binomial tree, and exchanges of pairs, called
 * by a table, round by round. FAULT chooses one of its faults; the line that has it
 * is marked by its number. What a step of a slice costs was not chosen by it. */
#include <mpi.h>
#include <stdio.h>

enum { KIDS = 8, TAG_UP = 60, TAG_DOWN = 70, TAG_PAIR = 80, OPERATIONS = 3 };

struct node {
    int rank, size, parent, nkids;
    int kids[KIDS];
    double value;
};

typedef void operation(struct node *t, int round);

static int rounds;

static void set_up(struct node *t)
{
    t->parent = -1;
    for (int mask = 1; mask < t->size; mask <<= 1) {
        if (t->rank & mask) {
#if FAULT == 1
            t->parent = (t->rank - 1) / 2;                      /*! 1 memory */
#else
            t->parent = t->rank - mask;
#endif
            break;
        }
#if FAULT == 2
        if (t->rank + mask < t->size - 1)                       /*! 2 branch */
#else
        if (t->rank + mask < t->size)
#endif
            t->kids[t->nkids++] = t->rank + mask;
    }
#if FAULT == 3
    rounds = 26 + t->rank % 2;                                  /*! 3 memory */
#else
    rounds = 26;
#endif
}

__attribute__((noinline)) static int tag_up(const struct node *t, int round)
{
#if FAULT == 4
    int tag = TAG_UP + t->nkids;                                /*! 4 local */
#else
    int tag = TAG_UP + round % 4;
#endif

    (void)t;
    (void)round;
    return tag;
}

__attribute__((noinline)) static void up(struct node *t, int round)
{
    for (int k = 0; k < t->nkids; k++) {
        double part;

        MPI_Recv(&part, 1, MPI_DOUBLE, t->kids[k], tag_up(t, round),
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        t->value += part;
    }
    if (t->parent >= 0)
        MPI_Send(&t->value, 1, MPI_DOUBLE, t->parent, tag_up(t, round),
                 MPI_COMM_WORLD);
}

__attribute__((noinline)) static void down(struct node *t, int round)
{
#if FAULT == 5
    int last = round > 9 ? 1 : 0;                               /*! 5 local */
#else
    int last = 0;
#endif

    (void)round;
    if (t->parent >= 0)
        MPI_Recv(&t->value, 1, MPI_DOUBLE, t->parent, TAG_DOWN, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int k = t->nkids - 1; k >= last; k--)
        MPI_Send(&t->value, 1, MPI_DOUBLE, t->kids[k], TAG_DOWN, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void swap(struct node *t, int round)
{
    double mine = t->value, others;
#if FAULT == 6
    int with = t->rank ^ (1 + (round > 9 && t->rank < 2));      /*! 6 local */
#else
    int with = t->rank ^ 1;
#endif

    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, with, TAG_PAIR + round % 2,
                 &others, 1, MPI_DOUBLE, with, TAG_PAIR + round % 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t->value = 0.5 * (mine + others);
}

static operation *const operations[OPERATIONS] = { up, down, swap };

static void turn(struct node *t, int round)
{
    int which = round % OPERATIONS;

#if FAULT == 7
    if (t->rank == 3 && round == 12)
        which = (which + 1) % OPERATIONS;                       /*! 7 local */
#endif
    operations[which](t, round);
}

int main(int argc, char **argv)
{
    struct node t = { 0 };
    double most = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.size);
    set_up(&t);
    t.value = 1 + t.rank;
    for (int round = 0; round < rounds; round++) {
        turn(&t, round);
#if FAULT == 8
        if (round % 8 == 7 && t.nkids > 0)                      /*! 8 branch */
#else
        if (round % 8 == 7)
#endif
            MPI_Allreduce(&t.value, &most, 1, MPI_DOUBLE, MPI_MAX,
                          MPI_COMM_WORLD);
    }
    MPI_Finalize();
    if (t.rank == 0)
        printf("%g %g\n", t.value, most);
    return 0;
}
