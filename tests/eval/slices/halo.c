/* halo.c - a ring of tasks that exchange edges, step by step. FAULT chooses one
 * of its faults; the line that has it is marked by its number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 64, CONTROL = 900 };

struct grid {
    int rank, size, left, right, steps, every;
    double cell[CELLS];
};

static int stride = 1;
static int first_tag = 100;

static void configure(struct grid *g, int argc, char **argv)
{
    g->steps = argc > 1 ? atoi(argv[1]) : 40;
    g->every = 10;
#if FAULT == 1
    stride = g->rank % 2 + 1;                                   /*! 1 memory */
#else
    stride = 1;
#endif
#if FAULT == 2
    first_tag = 100 + g->rank;                                  /*! 2 memory */
#else
    first_tag = 100;
#endif
}

__attribute__((noinline)) static int neighbour(const struct grid *g, int by)
{
    int at = g->rank + by;

#if FAULT == 3
    if (at >= g->size - 1)                                      /*! 3 branch */
        at -= g->size - 1;
#else
    if (at >= g->size)
        at -= g->size;
#endif
    if (at < 0)
        at += g->size;
    return at % g->size;
}

__attribute__((noinline)) static int tag_of(const struct grid *g, int step)
{
    int tag = first_tag + step;

#if FAULT == 4
    if (g->rank == 1)
        tag |= 1;                                               /*! 4 local */
#else
    (void)g;
#endif
    return tag;
}

__attribute__((noinline)) static double relax(struct grid *g)
{
    double change = 0;

    for (int i = 1; i < CELLS - 1; i++) {
        double new = 0.25 * g->cell[i - 1] + 0.5 * g->cell[i] +
                     0.25 * g->cell[i + 1];

        change += new > g->cell[i] ? new - g->cell[i] : g->cell[i] - new;
        g->cell[i] = new;
    }
    return change;
}

__attribute__((noinline)) static void receive_edge(struct grid *g, int from,
                                                   int tag)
{
    double edge;

    MPI_Recv(&edge, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    g->cell[0] = edge;
}

__attribute__((noinline)) static void exchange(struct grid *g, int step, int tag)
{
    double edge = g->cell[CELLS - 2];
    int to = g->right, from = g->left;
#if FAULT == 5
    int parts = step == 7 && g->rank == 2 ? 2 : 1;              /*! 5 local */
#else
    int parts = 1;
#endif

#if FAULT == 6
    if (step % 4 == 3)
        from = (from + 1) % g->size;                            /*! 6 local */
#endif
    MPI_Send(&edge, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
    for (int k = 0; k < parts; k++) {
#if FAULT == 7
        receive_edge(g, from, tag + step / 5);                  /*! 7 local */
#else
        receive_edge(g, from, tag);
#endif
    }
}

static void report(const struct grid *g, double change)
{
    double sum = 0;
#if FAULT == 8
    int root = g->rank / 2;                                     /*! 8 local */
#else
    int root = 0;
#endif

    MPI_Reduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    if (g->rank == 0)
        printf("change %g\n", sum);
}

static void run(struct grid *g)
{
#if FAULT == 9
    int last = g->rank == 3 ? g->steps - 1 : g->steps;          /*! 9 local */
#else
    int last = g->steps;
#endif

    for (int step = 0; step < last; step++) {
        double change = relax(g);

        exchange(g, step, tag_of(g, step));
#if FAULT == 10
        if ((step + g->rank) % g->every == 0)                   /*! 10 branch */
            report(g, change);
#else
        if (step % g->every == 0)
            report(g, change);
#endif
    }
}

int main(int argc, char **argv)
{
    struct grid g = { 0 };
    int go = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    configure(&g, argc, argv);
    g.right = neighbour(&g, stride);
    g.left = neighbour(&g, -1);
#if FAULT == 11
    MPI_Bcast(&go, 1, MPI_INT, g.rank == 2 ? 1 : 0, MPI_COMM_WORLD);    /*! 11 local */
#else
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
    if (go)
        run(&g);
#if FAULT == 12
    if (g.rank < g.size - 1)                                    /*! 12 branch */
        MPI_Barrier(MPI_COMM_WORLD);
#else
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    MPI_Finalize();
    return 0;
}
