/* pipeline.c - stages that hand blocks on, with credits that come back, and a sum
 * over all at the end of each batch. FAULT chooses one of its faults; the line that
 * has it is marked by its number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 32, TAG_BLOCK = 40, TAG_CREDIT = 41, BATCHES = 6 };

struct stage {
    int rank, size;
    int before, behind;         /* stages; -1: none */
    int credits, window, blocks;
    double data[WORDS];
};

static int per_batch = 8;

static void set_up(struct stage *s)
{
    s->before = s->rank > 0 ? s->rank - 1 : -1;
    s->behind = s->rank + 1 < s->size ? s->rank + 1 : -1;
#if FAULT == 1
    s->window = s->rank == 1 ? 0 : 3;                           /*! 1 memory */
#else
    s->window = 3;
#endif
    s->credits = s->window;
#if FAULT == 2
    per_batch = 8 + (s->rank == 2);                             /*! 2 memory */
#else
    per_batch = 8;
#endif
}

__attribute__((noinline)) static int tag_of(const struct stage *s, int block)
{
    int tag = TAG_BLOCK;

#if FAULT == 3
    if (block == 5 && s->rank == 0)
        tag = TAG_CREDIT;                                       /*! 3 local */
#else
    (void)s;
    (void)block;
#endif
    return tag;
}

__attribute__((noinline)) static double work(struct stage *s)
{
    double sum = 0;

    for (int i = 0; i < WORDS; i++) {
        s->data[i] = s->data[i] * 0.5 + i;
        sum += s->data[i];
    }
    return sum;
}

__attribute__((noinline)) static void await_credit(struct stage *s)
{
    int n;

    MPI_Recv(&n, 1, MPI_INT, s->behind, TAG_CREDIT, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    s->credits += n;
}

__attribute__((noinline)) static void give_credit(struct stage *s, int block)
{
    int n = 1, to = s->before;

#if FAULT == 4
    if (block % 4 == 3)
        to = s->rank;                                           /*! 4 local */
#endif
#if FAULT == 5
    if (block > 1)                                              /*! 5 branch */
        return;
#endif
    MPI_Send(&n, 1, MPI_INT, to, TAG_CREDIT, MPI_COMM_WORLD);
    (void)block;
}

__attribute__((noinline)) static void take(struct stage *s, int block)
{
#if FAULT == 6
    int from = block == 6 ? s->behind : s->before;              /*! 6 local */

    if (from < 0)
        from = 0;
#else
    int from = s->before;
#endif
    MPI_Recv(s->data, WORDS, MPI_DOUBLE, from, TAG_BLOCK, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    give_credit(s, block);
}

__attribute__((noinline)) static void hand_on(struct stage *s, int block)
{
#if FAULT == 7
    while (s->credits <= s->window)                             /*! 7 branch */
        await_credit(s);
#else
    while (s->credits == 0)
        await_credit(s);
#endif
    MPI_Ssend(s->data, WORDS, MPI_DOUBLE, s->behind, tag_of(s, block),
              MPI_COMM_WORLD);
    s->credits--;
}

__attribute__((noinline)) static double batch(struct stage *s, int number)
{
    double sum = 0, all = 0;
    int n = per_batch;

#if FAULT == 8
    if (number == 3)
        n -= s->rank % 2;                                       /*! 8 local */
#else
    (void)number;
#endif
    for (int k = 0; k < n; k++) {
        if (s->before >= 0)
            take(s, k);
        sum += work(s);
        if (s->behind >= 0)
            hand_on(s, k);
    }
    while (s->behind >= 0 && s->credits < s->window)
        await_credit(s);
#if FAULT == 9
    if (sum < 0 || s->rank > 0)                                 /*! 9 branch */
#endif
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    struct stage s = { 0 };
    double last = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    set_up(&s);
#if FAULT == 10
    int batches = s.rank == s.size - 1 ? BATCHES + 1 : BATCHES; /*! 10 local */
#else
    int batches = BATCHES;
#endif
    for (int i = 0; i < batches; i++)
        last = batch(&s, i);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (s.rank == 0)
        printf("%g\n", last);
    return 0;
}
