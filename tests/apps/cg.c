/* cg.c - conjugate gradients for a tridiagonal matrix (2.02 on the diagonal,
 * -1 beside it) with SIZE rows a task: neighbours exchange one element each,
 * dot products are global sums. The right-hand side is that of x = 1. */
#include <mpi.h>

#include "kernel.h"

enum { ITERATIONS = 1000 };

/* y = A x; x[0] and x[n + 1] are the neighbours' elements. */
static void multiply(const struct kernel *k, double *x, double *y)
{
    int n = k->size;
    int left = k->rank > 0 ? k->rank - 1 : MPI_PROC_NULL;
    int right = k->rank + 1 < k->tasks ? k->rank + 1 : MPI_PROC_NULL;

    x[0] = x[n + 1] = 0;
    MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 0, &x[n + 1], 1, MPI_DOUBLE,
                 right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[n], 1, MPI_DOUBLE, right, 1, &x[0], 1, MPI_DOUBLE, left,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= n; i++)
        y[i] = 2.02 * x[i] - x[i - 1] - x[i + 1];
}

static double dot(int n, const double *x, const double *y)
{
    double own = 0, sum;

    for (int i = 1; i <= n; i++)
        own += x[i] * y[i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void solve(const struct kernel *k, double *x, double *r, double *p,
                  double *q)
{
    int n = k->size;
    double rho, before;

    for (int i = 1; i <= n; i++)
        x[i] = 1;
    multiply(k, x, r);          /* the right-hand side, and what is left */
    for (int i = 1; i <= n; i++) {
        x[i] = 0;
        p[i] = r[i];
    }
    rho = dot(n, r, r);
    for (int step = 0; step < ITERATIONS && rho > 1e-20; step++) {
        double alpha;

        multiply(k, p, q);
        alpha = rho / dot(n, p, q);
        for (int i = 1; i <= n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        before = rho;
        rho = dot(n, r, r);
        for (int i = 1; i <= n; i++)
            p[i] = r[i] + rho / before * p[i];
    }
}

int main(int argc, char **argv)
{
    struct kernel k;
    double *v[4];

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "cg", 200, 5);
    for (int i = 0; i < 4; i++)
        v[i] = kernel_alloc((size_t)k.size + 2, sizeof(double));
    while (kernel_more(&k)) {
        solve(&k, v[0], v[1], v[2], v[3]);
        for (int i = 1; i <= k.size; i++)
            kernel_check(&k, v[0][i], 1);
    }
    for (int i = 0; i < 4; i++)
        free(v[i]);
    return kernel_end(&k);
}
