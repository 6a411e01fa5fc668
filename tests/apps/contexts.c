/* contexts.c - one call of MPI that is reached in several ways, with the stack
 * equally high: from the warm-up once, from the loop 50 times, and two levels up
 * from two places 7 and 9 times. */
#include <mpi.h>

static volatile int sum;

static __attribute__((noinline)) void step(void)
{
    int one = 1, all;

    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
}

static __attribute__((noinline)) void solve(void)
{
    step();
    sum++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    step();                             /* the warm-up */
    for (int i = 0; i < 50; i++)
        step();                         /* the loop */
    for (int i = 0; i < 7; i++)
        solve();                        /* seven */
    for (int i = 0; i < 9; i++)
        solve();                        /* nine */
    MPI_Finalize();
    return sum == 0;
}
