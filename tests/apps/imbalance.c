/* imbalance.c - in each round every task works for a time of its own, chosen
 * by lot between nothing and SIZE thousand steps, and all wait for the
 * slowest in a global sum. The lots are the same in every run. */
#include <mpi.h>

#include "kernel.h"

static unsigned lot(int rank, int round)
{
    unsigned x = (unsigned)rank * 2654435761u + (unsigned)round * 40503u + 1;

    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x;
}

/* The sum of the odd numbers below 2n, the slow way. */
static double toil(unsigned n)
{
    volatile double sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += 2.0 * i + 1;
    return sum;
}

int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "imbalance", 100, 100);
    while (kernel_more(&k)) {
        unsigned most = (unsigned)k.size * 1000;
        unsigned steps = lot(k.rank, k.round) % (most + 1);
        double sum, want = 0, own = toil(steps);

        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int r = 0; r < k.tasks; r++) {
            double n = lot(r, k.round) % (most + 1);

            want += n * n;
        }
        kernel_check(&k, sum, want);
    }
    return kernel_end(&k);
}
