/* cannon.c - a matrix in blocks on a square of tasks, times itself by shifts
 * (Cannon 1969), checked by sums, and gathered row by row. FAULT chooses one of
 * its faults; the line that has it is marked by its number. Nothing was chosen
 * by it: it was written before, and looked at afterwards. */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, POWERS = 5, TAG_SKEW = 100, TAG_SHIFT = 200, TAG_ROW = 400 };

struct square {
    MPI_Comm comm, row, column;
    int rank, side, at[2];
    int cells;                  /* of a block's side */
    int left, right, up, down;
};

struct block { double *cell; };

static void make_square(struct square *q)
{
    int sides[2], size, wraps[2] = { 1, 1 };
    int along[2] = { 0, 1 }, across[2] = { 1, 0 };

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    q->side = (int)(sqrt(size) + 0.5);
    sides[0] = sides[1] = q->side;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, wraps, 0, &q->comm);
    MPI_Comm_rank(q->comm, &q->rank);
    MPI_Cart_coords(q->comm, q->rank, 2, q->at);
    MPI_Cart_sub(q->comm, along, &q->row);
    MPI_Cart_sub(q->comm, across, &q->column);
    q->cells = N / q->side;
    MPI_Cart_shift(q->comm, 1, 1, &q->left, &q->right);
    MPI_Cart_shift(q->comm, 0, 1, &q->up, &q->down);
#if FAULT == 1
    if (q->at[0] == 1)
        q->left = q->up;                                        /*! 1 memory */
#endif
}

static struct block make_block(const struct square *q, int kind)
{
    size_t n = (size_t)q->cells * q->cells;
    struct block b = { malloc(n * sizeof(double)) };

    for (size_t i = 0; i < n; i++)
        b.cell[i] = kind ? 1.0 / (1 + i + q->rank) : 0;
    return b;
}

static void multiply(const struct block *a, const struct block *b, struct block *c,
                     int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double x = a->cell[i * n + k];

            for (int j = 0; j < n; j++)
                c->cell[i * n + j] += x * b->cell[k * n + j];
        }
}

static double norm(const struct block *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n * n; i++)
        sum += b->cell[i] * b->cell[i];
    return sqrt(sum);
}

__attribute__((noinline)) static void send_round(const struct square *q,
                                                 struct block *b, int to, int from,
                                                 int tag)
{
    int words = q->cells * q->cells;

#if FAULT == 2
    tag += q->at[1] * (q->at[0] > 0 && tag >= TAG_SHIFT);       /*! 2 local */
#endif
    MPI_Sendrecv_replace(b->cell, words, MPI_DOUBLE, to, tag, from, tag, q->comm,
                         MPI_STATUS_IGNORE);
}

/* A row of a goes left, and a column of b goes up, by as much as its number. */
static void skew(const struct square *q, struct block *a, struct block *b)
{
#if FAULT == 3
    int far = q->at[q->at[1]];                                  /*! 3 local */
#else
    int far = q->at[0];
#endif

    for (int i = 0; i < far; i++)
        send_round(q, a, q->left, q->right, TAG_SKEW);
    for (int i = 0; i < q->at[1]; i++)
        send_round(q, b, q->up, q->down, TAG_SKEW + 1);
}

static void cannon(const struct square *q, struct block *a, struct block *b,
                   struct block *c)
{
    memset(c->cell, 0, sizeof(double) * q->cells * q->cells);
    skew(q, a, b);
    for (int step = 0; step < q->side; step++) {
        multiply(a, b, c, q->cells);
#if FAULT == 4
        if (step + q->at[1] == q->side)                         /*! 4 branch */
            break;
#else
        if (step + 1 == q->side)
            break;
#endif
        send_round(q, a, q->left, q->right, TAG_SHIFT + 2 * step);
        send_round(q, b, q->up, q->down, TAG_SHIFT + 2 * step + 1);
    }
}

/* Each row sums up in who is first in it, who tells the others. */
static double agree(const struct square *q, double x, int power)
{
    double sum = 0;
    int root = 0;

#if FAULT == 5
    if (power == 3)
        root = 1 - q->at[1];                                    /*! 5 local */
#else
    (void)power;
#endif
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, q->column);
    MPI_Bcast(&sum, 1, MPI_DOUBLE, root, q->row);
    return sum;
}

__attribute__((noinline)) static void scale(const struct square *q, struct block *b,
                                            double by)
{
    for (int i = 0; i < q->cells * q->cells; i++)
        b->cell[i] /= by;
}

static void hand_in(const struct square *q, const struct block *b)
{
    int rows = q->cells;

#if FAULT == 6
    rows -= q->rank == q->side * q->side - 1;                   /*! 6 local */
#endif
    for (int i = 0; i < rows; i++)
        MPI_Ssend(b->cell + i * q->cells, q->cells, MPI_DOUBLE, 0, TAG_ROW + i,
                  q->comm);
}

static int holder_of(const struct square *q, int row, int column)
{
    int at[2] = { row / q->cells, column }, rank;

#if FAULT == 7
    at[0] = row / (q->cells - 1);                               /*! 7 memory */
#endif
    MPI_Cart_rank(q->comm, at, &rank);
    return rank;
}

static double collect(const struct square *q, const struct block *mine)
{
    double line[N], sum = 0;

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < q->side; k++) {
            int from = holder_of(q, i, k);
            double *to = line + k * q->cells;

            if (from == 0)
                memcpy(to, mine->cell + i * q->cells, q->cells * sizeof(*to));
            else
                MPI_Recv(to, q->cells, MPI_DOUBLE, from, TAG_ROW + i % q->cells,
                         q->comm, MPI_STATUS_IGNORE);
        }
        for (int j = 0; j < N; j++)
            sum += line[j];
    }
    return sum;
}

static int raise(const struct square *q, struct block *a, int powers)
{
    struct block b = make_block(q, 1), c = make_block(q, 0);
    int done = 0;

    for (int i = 0; i < powers; i++) {
        double size;

        cannon(q, a, &b, &c);
        size = norm(&c, q->cells);
#if FAULT == 8
        if (size < 0.9 && i > 1)                                /*! 8 branch */
            break;
#endif
        size = agree(q, size, i);
        scale(q, &c, size);
        memcpy(a->cell, c.cell, sizeof(double) * q->cells * q->cells);
        done++;
    }
    free(b.cell);
    free(c.cell);
    return done;
}

int main(int argc, char **argv)
{
    struct square q;
    struct block a;
    double sum = 0;
    int powers = POWERS, done;

    MPI_Init(&argc, &argv);
    make_square(&q);
    a = make_block(&q, 1);
#if FAULT == 9
    powers += q.at[0] & q.at[1];                                /*! 9 local */
#endif
    done = raise(&q, &a, powers);
    if (q.rank == 0)
        sum = collect(&q, &a);
    else
        hand_in(&q, &a);
    MPI_Barrier(q.comm);
    MPI_Finalize();
    if (q.rank == 0)
        printf("%d %g\n", done, sum);
    free(a.cell);
    return 0;
}
