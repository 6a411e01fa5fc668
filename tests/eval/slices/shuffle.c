/* shuffle.c - values folded along a hypercube, by a plan that is made anew for each
 * epoch, and accounts that all tasks send to the first one. FAULT chooses one of its
 * faults; the line that has it is marked by its number. It was written when all costs
 * were chosen, and no cost was changed by it. */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 8, EPOCHS = 12, TAG_ACCOUNT = 900 };

struct plan {
    int steps, rank;
    int partner[STEPS], tag[STEPS];
};

static struct plan make_plan(int rank, int size, int epoch)
{
    struct plan p = { .rank = rank };

    for (int s = 0; (1 << s) < size; s++) {
#if FAULT == 1
        int bit = 1 << (rank == 1 && epoch == 4 ? 1 - s : s);   /*! 1 local */
#else
        int bit = 1 << s;
#endif

        p.partner[s] = rank ^ bit;
#if FAULT == 2
        p.tag[s] = epoch * STEPS + s + (rank > 2 && epoch > 5); /*! 2 memory */
#else
        p.tag[s] = epoch * STEPS + s;
#endif
        p.steps++;
    }
    return p;
}

static long fold(const struct plan *p, int step, int epoch, long value)
{
    long other;

#if FAULT == 3
    if (step + (p->rank == 2 && epoch == 3) >= p->steps)        /*! 3 branch */
#else
    (void)epoch;
    if (step >= p->steps)
#endif
        return value;
    MPI_Sendrecv(&value, 1, MPI_LONG, p->partner[step], p->tag[step], &other, 1,
                 MPI_LONG, p->partner[step], p->tag[step], MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return fold(p, step + 1, epoch, value * 31 + other);
}

static int pieces(int rank, int epoch)
{
    return 2 + (rank + epoch) % 3;
}

__attribute__((noinline)) static void hand_in(int rank, int epoch, long value)
{
#if FAULT == 4
    int mine = pieces(rank, epoch - (epoch > 6));               /*! 4 local */
#else
    int mine = pieces(rank, epoch);
#endif
#if FAULT == 5
    int stride = rank == 3 ? 2 : 1;                             /*! 5 local */
#else
    int stride = 1;
#endif

    for (int i = 0; i < mine; i += stride) {
        long part = value / (i + 1);

        MPI_Ssend(&part, 1, MPI_LONG, 0, TAG_ACCOUNT + i, MPI_COMM_WORLD);
    }
}

__attribute__((noinline)) static long collect(int size, int epoch)
{
    long sum = 0, part;

    for (int r = 1; r < size; r++) {
        int due = pieces(r, epoch);

#if FAULT == 6
        if (r == size - 1 && epoch % 5 == 4)
            due++;                                              /*! 6 local */
#endif
        for (int i = 0; i < due; i++) {
            MPI_Recv(&part, 1, MPI_LONG, r, TAG_ACCOUNT + i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            sum += part;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, last = EPOCHS;
    long value, total = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank + 1;
#if FAULT == 7
    last -= value % 7 == 3;                                     /*! 7 local */
#endif
    for (int epoch = 0; epoch < last; epoch++) {
        struct plan p = make_plan(rank, size, epoch);

        value = fold(&p, 0, epoch, value) % 1000003;
        if (rank == 0)
            total += collect(size, epoch);
        else
            hand_in(rank, epoch, value);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("%ld\n", total);
    return 0;
}
