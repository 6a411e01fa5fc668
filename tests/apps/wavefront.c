/* wavefront.c - every point needs the one above and the one to the left:
 * columns are distributed, SIZE a task, and each row goes through the tasks
 * like through a pipeline: receive the left edge, compute, send the right one.
 *
 * u(i,j) = 1 + max(u(i-1,j), u(i,j-1)) gives i + j where the borders do. */
#include <mpi.h>

#include "kernel.h"

enum { ROWS = 40 };

int main(int argc, char **argv)
{
    struct kernel k;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "wavefront", 50, 20);
    int left = k.rank > 0 ? k.rank - 1 : MPI_PROC_NULL;
    int right = k.rank + 1 < k.tasks ? k.rank + 1 : MPI_PROC_NULL;
    int first = k.rank * k.size;
    int *u = kernel_alloc((size_t)k.size + 1, sizeof(*u));

    while (kernel_more(&k)) {
        for (int j = 0; j < k.size; j++)
            u[j + 1] = first + j + 1 + k.round;         /* row 0 */
        for (int i = 1; i <= ROWS; i++) {
            u[0] = i + k.round;                         /* column 0 */
            MPI_Recv(&u[0], 1, MPI_INT, left, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            for (int j = 1; j <= k.size; j++)
                u[j] = 1 + (u[j] > u[j - 1] ? u[j] : u[j - 1]);
            MPI_Send(&u[k.size], 1, MPI_INT, right, i, MPI_COMM_WORLD);
        }
        for (int j = 1; j <= k.size; j++)
            kernel_check(&k, u[j], ROWS + first + j + k.round);
    }
    free(u);
    return kernel_end(&k);
}
