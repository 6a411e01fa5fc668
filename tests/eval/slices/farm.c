/* farm.c - a master that gives work to others and gathers what they make of it.
 * FAULT chooses one of its faults; the line that has it is marked by its number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_WORK = 1, TAG_RESULT = 2, TAG_STOP = 3, ITEMS = 40 };

struct farm {
    int rank, size, workers;
    int sent, received, wanted;
    int finished;
    double sum;
};

static int window = 2;
static int stop_tag;

static void set_up(struct farm *f)
{
#if FAULT == 1
    f->wanted = ITEMS + f->size;                                /*! 1 memory */
#else
    f->wanted = ITEMS;
#endif
    f->workers = f->size - 1;
#if FAULT == 2
    stop_tag = TAG_WORK + f->size;                              /*! 2 memory */
#else
    stop_tag = TAG_STOP;
#endif
}

__attribute__((noinline)) static int worker_of(const struct farm *f, int item)
{
#if FAULT == 3
    return (item < 20) + item % f->workers;                     /*! 3 local */
#else
    return 1 + item % f->workers;
#endif
}

__attribute__((noinline)) static void give(struct farm *f, int item)
{
    int to = worker_of(f, item);

    MPI_Send(&item, 1, MPI_INT, to, TAG_WORK, MPI_COMM_WORLD);
    f->sent++;
}

__attribute__((noinline)) static void count(struct farm *f, int from)
{
#if FAULT == 4
    f->received += from != 2;                                   /*! 4 memory */
#else
    f->received++;
    (void)from;
#endif
#if FAULT == 5
    if (f->received > f->wanted)                                /*! 5 branch */
        f->finished = 1;
#else
    if (f->received == f->wanted)
        f->finished = 1;
#endif
}

__attribute__((noinline)) static void take(struct farm *f)
{
    double result;
    MPI_Status st;
#if FAULT == 6
    int from = 1 + f->received % (f->workers + 1) % f->workers; /*! 6 local */
#else
    int from = MPI_ANY_SOURCE;
#endif

    MPI_Recv(&result, 1, MPI_DOUBLE, from, TAG_RESULT, MPI_COMM_WORLD, &st);
    f->sum += result;
    count(f, st.MPI_SOURCE);
}

static void stop_all(struct farm *f)
{
#if FAULT == 7
    int last = f->workers - 1;                                  /*! 7 local */
#else
    int last = f->workers;
#endif

    for (int w = 1; w <= last; w++) {
        int none = -1;

        MPI_Send(&none, 1, MPI_INT, w, stop_tag, MPI_COMM_WORLD);
    }
}

static void master(struct farm *f)
{
    int next = 0;

    while (next < ITEMS && next < window * f->workers)
        give(f, next++);
    while (!f->finished) {
        take(f);
        if (next < ITEMS)
            give(f, next++);
    }
    stop_all(f);
}

__attribute__((noinline)) static double compute(int item, int n)
{
    double x = item;

    for (int i = 0; i < n; i++)
        x = x * 0.999 + 1.0 / (i + 1);
    return x;
}

__attribute__((noinline)) static int has_more(struct farm *f, int item, int tag)
{
    (void)f;
#if FAULT == 8
    return tag != stop_tag + item;                              /*! 8 local */
#else
    (void)item;
    return tag != TAG_STOP;
#endif
}

static void worker(struct farm *f)
{
    int item, more = 1;
    MPI_Status st;

    while (more) {
        double result;

        MPI_Recv(&item, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
        more = has_more(f, item, st.MPI_TAG);
        if (!more)
            break;
        result = compute(item, 1000);
#if FAULT == 9
        if (item != 17)                                         /*! 9 branch */
            MPI_Send(&result, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
#else
        MPI_Send(&result, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
#endif
    }
}

int main(int argc, char **argv)
{
    struct farm f = { 0 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &f.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f.size);
    set_up(&f);
    if (f.rank == 0)
        master(&f);
    else
        worker(&f);
    MPI_Finalize();
    if (f.rank == 0)
        printf("sum %g\n", f.sum);
    return 0;
}
