/* farm.c - a master deals out pieces of work, SIZE a worker and round, and
 * gives the next piece to whoever answers first (MPI_ANY_SOURCE). A worker
 * counts the primes of an interval; the last interval is known by heart. A
 * task alone does everything itself. */
#include <mpi.h>

#include "kernel.h"

enum { WORK = 1, STOP = 2, PIECE = 1000 };

static int is_prime(int n)
{
    for (int i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return n > 1;
}

static int count(int piece)
{
    int primes = 0;

    for (int n = piece * PIECE; n < (piece + 1) * PIECE; n++)
        primes += is_prime(n);
    return primes;
}

static int deal(const struct kernel *k, int pieces)
{
    int next = 0, busy = 0, sum = 0;

    for (int w = 1; w < k->tasks && next < pieces; w++, next++, busy++)
        MPI_Send(&next, 1, MPI_INT, w, WORK, MPI_COMM_WORLD);
    for (; busy > 0; busy--) {
        MPI_Status status;
        int primes;

        MPI_Recv(&primes, 1, MPI_INT, MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD,
                 &status);
        sum += primes;
        if (next < pieces) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK,
                     MPI_COMM_WORLD);
            next++;
            busy++;
        }
    }
    for (; k->tasks == 1 && next < pieces; next++)
        sum += count(next);
    return sum;
}

static void work(void)
{
    for (;;) {
        MPI_Status status;
        int n;

        MPI_Recv(&n, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        n = count(n);
        MPI_Send(&n, 1, MPI_INT, 0, WORK, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    struct kernel k;
    int all = 0, none = 0;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "farm", 10, 10);
    int pieces = k.size * (k.tasks > 1 ? k.tasks - 1 : 1);

    for (int i = 0; i < pieces && k.rank == 0; i++)
        all += count(i);
    kernel_check(&k, count(0), 168);
    while (kernel_more(&k))
        if (k.rank == 0) {
            kernel_check(&k, deal(&k, pieces), all);
            for (int w = 1; w < k.tasks; w++)
                MPI_Send(&none, 1, MPI_INT, w, STOP, MPI_COMM_WORLD);
        } else
            work();
    return kernel_end(&k);
}
