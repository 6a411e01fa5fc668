/* mm.c - the example of the Hector paper: a distributed matrix multiply
 * with time stamps before its sends, broadcasts and receives.
 *
 *   mm FILE [ROUNDS]
 *
 * FILE holds "M K N" and then, row by row, A (M x K) and B (K x N), as text;
 * tests/apps/mm-make.sh writes one. Task 0 sends each task some rows of A and
 * all of B, every task multiplies its rows, task 0 collects the result and
 * compares it with a product it makes alone. Exit status 1 if they differ.
 * With ROUNDS each task multiplies its rows so many times: machines have
 * become fast.
 *
 * Section 3.3 of Russ, Jean-Baptiste, Kumar, Harmon: Transparent Real-Time
 * Monitoring in MPI (1999) shows the output of theirs. */
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct matrix { int rows, columns; double *v; };

static int event;               /* counts tags: each stamp has its own number */
static int rounds = 1;
static double start;

static struct matrix matrix_new(int rows, int columns)
{
    struct matrix m = { rows, columns,
                        calloc((size_t)rows * (size_t)columns + 1,
                               sizeof(double)) };

    if (!m.v) {
        fprintf(stderr, "mm: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return m;
}

static struct matrix matrix_read(FILE *f, int rows, int columns)
{
    struct matrix m = matrix_new(rows, columns);

    for (int i = 0; i < rows * columns; i++)
        if (fscanf(f, "%lf", &m.v[i]) != 1) {
            fprintf(stderr, "mm: the matrix file ends too early\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    return m;
}

/* Rows of a, times b, into c. */
static void multiply_once(const struct matrix *a, const struct matrix *b,
                          struct matrix *c)
{
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->columns; j++) {
            double sum = 0;

            for (int k = 0; k < b->rows; k++)
                sum += a->v[i * a->columns + k] * b->v[k * b->columns + j];
            c->v[i * c->columns + j] = sum;
        }
}

static void multiply(const struct matrix *a, const struct matrix *b,
                     struct matrix *c)
{
    for (int i = 0; i < rounds; i++)
        multiply_once(a, b, c);
}

static int count_differences(const struct matrix *x, const struct matrix *y)
{
    int n = 0;

    for (int i = 0; i < x->rows * x->columns; i++)
        n += x->v[i] < y->v[i] || x->v[i] > y->v[i];
    return n;
}

/* Rows first .. first + count - 1 of the whole belong to a task. */
static int first_row(int rows, int tasks, int task)
{
    return (int)((long)rows * task / tasks);
}

static int lead(const char *path, int tasks)
{
    char where[4096];
    int size[3];                        /* M, K, N */
    FILE *f = fopen(path, "r");
    double begin = MPI_Wtime();

    printf("0: There are %d other processes\n", tasks - 1);
    printf("Opening matrix file %s\n", path);
    if (!f || fscanf(f, "%d %d %d", &size[0], &size[1], &size[2]) != 3 ||
        size[0] < 1 || size[1] < 1 || size[2] < 1) {
        fprintf(stderr, "mm: cannot read sizes from %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    printf("Current working directory = %s\n",
           getcwd(where, sizeof(where)) ? where : "?");

    int *assignment = calloc((size_t)tasks, sizeof(*assignment)), mine;
    for (int t = 0; t < tasks; t++)
        assignment[t] = first_row(size[0], tasks, t + 1) -
                        first_row(size[0], tasks, t);
    HCT_RT_Tag(event++, "Sending assignment...");
    MPI_Scatter(assignment, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(assignment);

    HCT_RT_Tag(event++, "About to bcast N and K...");
    MPI_Bcast(size, 3, MPI_INT, 0, MPI_COMM_WORLD);

    struct matrix a = matrix_read(f, size[0], size[1]);
    struct matrix b = matrix_read(f, size[1], size[2]);
    struct matrix c = matrix_new(size[0], size[2]);
    fclose(f);
    printf("0: Got Matrix of %d X %d X %d\n", size[0], size[1], size[2]);

    HCT_RT_Tag(event++, "Bcast some rows...");
    MPI_Bcast(b.v, size[1] * size[2], MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int t = 1; t < tasks; t++) {
        int from = first_row(size[0], tasks, t);
        int to = first_row(size[0], tasks, t + 1);

        HCT_RT_Tag(event++, "About to send some rows...");
        MPI_Send(a.v + from * size[1], (to - from) * size[1], MPI_DOUBLE, t,
                 0, MPI_COMM_WORLD);
    }
    printf("This is 0....Multiplying matrices!\n");
    struct matrix own = { mine, size[1], a.v };
    multiply(&own, &b, &c);
    printf("This is 0....Done with mine\n");

    for (int t = 1; t < tasks; t++) {
        int from = first_row(size[0], tasks, t);
        int to = first_row(size[0], tasks, t + 1);

        printf("This is 0....Ready to receive results from %d\n", t);
        HCT_RT_Tag(event++, "About to rcv some rows...");
        MPI_Recv(c.v + from * size[2], (to - from) * size[2], MPI_DOUBLE, t,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("This is 0....Got results from %d\n", t);
    }
    printf("Start is %.6f\nEnd is %.6f\n", begin - start,
           MPI_Wtime() - start);

    struct matrix serial = matrix_new(size[0], size[2]);
    multiply_once(&a, &b, &serial);
    int wrong = count_differences(&c, &serial);
    if (wrong)
        printf("0: %d elements of the product are wrong\n", wrong);
    else
        printf("0: The product is right\n");
    free(a.v);
    free(b.v);
    free(c.v);
    free(serial.v);
    return wrong != 0;
}

static void work(int task)
{
    int size[3], mine;

    MPI_Scatter(NULL, 0, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(size, 3, MPI_INT, 0, MPI_COMM_WORLD);

    struct matrix a = matrix_new(mine, size[1]);
    struct matrix b = matrix_new(size[1], size[2]);
    struct matrix c = matrix_new(mine, size[2]);
    MPI_Bcast(b.v, size[1] * size[2], MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Recv(a.v, mine * size[1], MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    printf("This is %d....Multiplying matrices!\n", task);
    multiply(&a, &b, &c);
    HCT_RT_Tag(event++, "Returning my rows...");
    MPI_Send(c.v, mine * size[2], MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    free(a.v);
    free(b.v);
    free(c.v);
}

int main(int argc, char **argv)
{
    int task, tasks, status = 0;

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    MPI_Init(&argc, &argv);
    start = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &task);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    if (argc < 2 || argc > 3) {
        if (task == 0)
            fprintf(stderr, "usage: mm FILE [ROUNDS]\n");
        MPI_Finalize();
        return 2;
    }
    if (argc > 2)
        rounds = atoi(argv[2]);
    if (task == 0)
        status = lead(argv[1], tasks);
    else
        work(task);
    MPI_Finalize();
    return status;
}
