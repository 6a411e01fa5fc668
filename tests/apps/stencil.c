/* stencil.c - five-point stencil on a grid of tasks, each with SIZE x SIZE
 * points and a halo that is exchanged in every step: rows as they are,
 * columns as a derived type, without blocking.
 *
 * The field is u = 3x + 5y + 7t, which the scheme "mean of the neighbours, and
 * 7 more" keeps exactly; a halo that is missing or old gives wrong points. */
#include <mpi.h>

#include "kernel.h"

struct field { int n, x0, y0; double *u; };

static double *at(const struct field *f, int i, int j)
{
    return &f->u[i * (f->n + 2) + j];
}

static double exact(const struct field *f, int i, int j, int t)
{
    return 3.0 * (f->x0 + i) + 5.0 * (f->y0 + j) + 7.0 * t;
}

/* Where there is no neighbour the halo is the border of the whole. */
static void set_border(struct field *f, const int side[4], int t)
{
    for (int k = 1; k <= f->n; k++) {
        if (side[0] == MPI_PROC_NULL)
            *at(f, 0, k) = exact(f, 0, k, t);
        if (side[1] == MPI_PROC_NULL)
            *at(f, f->n + 1, k) = exact(f, f->n + 1, k, t);
        if (side[2] == MPI_PROC_NULL)
            *at(f, k, 0) = exact(f, k, 0, t);
        if (side[3] == MPI_PROC_NULL)
            *at(f, k, f->n + 1) = exact(f, k, f->n + 1, t);
    }
}

static void exchange(struct field *f, const int side[4], MPI_Datatype column,
                     MPI_Comm grid)
{
    int n = f->n;
    MPI_Request r[8];

    MPI_Irecv(at(f, 0, 1), n, MPI_DOUBLE, side[0], 1, grid, &r[0]);
    MPI_Irecv(at(f, n + 1, 1), n, MPI_DOUBLE, side[1], 0, grid, &r[1]);
    MPI_Irecv(at(f, 1, 0), 1, column, side[2], 3, grid, &r[2]);
    MPI_Irecv(at(f, 1, n + 1), 1, column, side[3], 2, grid, &r[3]);
    MPI_Isend(at(f, 1, 1), n, MPI_DOUBLE, side[0], 0, grid, &r[4]);
    MPI_Isend(at(f, n, 1), n, MPI_DOUBLE, side[1], 1, grid, &r[5]);
    MPI_Isend(at(f, 1, 1), 1, column, side[2], 2, grid, &r[6]);
    MPI_Isend(at(f, 1, n), 1, column, side[3], 3, grid, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    struct kernel k;
    struct field old, new;
    int dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, me[2], side[4];
    MPI_Datatype column;
    MPI_Comm grid;

    MPI_Init(&argc, &argv);
    kernel_init(&k, argc, argv, "stencil", 64, 100);
    MPI_Dims_create(k.tasks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, k.rank, 2, me);
    MPI_Cart_shift(grid, 0, 1, &side[0], &side[1]);
    MPI_Cart_shift(grid, 1, 1, &side[2], &side[3]);
    MPI_Type_vector(k.size, 1, k.size + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    size_t points = (size_t)(k.size + 2) * (size_t)(k.size + 2);
    old = (struct field){ k.size, me[0] * k.size, me[1] * k.size,
                          kernel_alloc(points, sizeof(double)) };
    new = old;
    new.u = kernel_alloc(points, sizeof(double));
    for (int i = 1; i <= k.size; i++)
        for (int j = 1; j <= k.size; j++)
            *at(&old, i, j) = exact(&old, i, j, 0);

    while (kernel_more(&k)) {
        double *swap = old.u;

        set_border(&old, side, k.round);
        exchange(&old, side, column, grid);
        for (int i = 1; i <= k.size; i++)
            for (int j = 1; j <= k.size; j++)
                *at(&new, i, j) = 7 + 0.25 *
                    (*at(&old, i - 1, j) + *at(&old, i + 1, j) +
                     *at(&old, i, j - 1) + *at(&old, i, j + 1));
        old.u = new.u;
        new.u = swap;
    }
    for (int i = 1; i <= k.size; i++)
        for (int j = 1; j <= k.size; j++)
            kernel_check(&k, *at(&old, i, j), exact(&old, i, j, k.round));
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    free(old.u);
    free(new.u);
    return kernel_end(&k);
}
