/* grid.c - tasks on a torus that swap edges by requests, send lists in pieces
 * along rows, tell news and add up in rows. FAULT chooses one of its faults; the
 * line that has it is marked by its number. What a step of a slice costs was not
 * chosen by it, nor what is followed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDES = 4, WORDS = 40, CHUNK = 12, TASKS = 64, STEPS = 12, TURNS = 6 };
enum { TAG_EDGE = 10, TAG_LIST = 30, TAG_NEWS = 50, TAG_STAIR = 60,
       TAG_ROLE = 70, TAG_TURN = 80 };
enum side { WEST, EAST, SOUTH, NORTH };
enum role { ROLE_GIVES, ROLE_TAKES };

struct control { int version, fresh; };

struct grid {
    int rank, size, wide, high, x, y;
    int near[SIDES + 1];        /* the last one: across the corner */
    MPI_Comm row;
    struct control *control;
    double value;
};

static int turns_of[TASKS];

static int rank_at(const struct grid *g, int x, int y)
{
#if FAULT == 1
    x = x < 0 ? 0 : x % g->wide;                                /*! 1 local */
#else
    x = (x + g->wide) % g->wide;
#endif
    y = (y + g->high) % g->high;
    return y * g->wide + x;
}

static struct grid *create(void)
{
    struct grid *g = calloc(1, sizeof(*g));

    MPI_Comm_rank(MPI_COMM_WORLD, &g->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g->size);
    g->wide = g->size / 2;
    g->high = 2;
    g->x = g->rank % g->wide;
    g->y = g->rank / g->wide;
    g->near[WEST] = rank_at(g, g->x - 1, g->y);
    g->near[EAST] = rank_at(g, g->x + 1, g->y);
    g->near[SOUTH] = rank_at(g, g->x, g->y - 1);
    g->near[NORTH] = rank_at(g, g->x, g->y + 1);
    g->near[SIDES] = rank_at(g, g->x + 1, g->y + 1);
#if FAULT == 2
    MPI_Comm_split(MPI_COMM_WORLD, g->x, g->x, &g->row);        /*! 2 memory */
#else
    MPI_Comm_split(MPI_COMM_WORLD, g->y, g->x, &g->row);
#endif
    g->control = calloc(1, sizeof(*g->control));
    g->value = 1 + g->rank;
#if FAULT == 3
    for (int i = 0; i < g->size - 1; i++)                       /*! 3 branch */
#else
    for (int i = 0; i < g->size; i++)
#endif
        turns_of[i] = TURNS;
    return g;
}

__attribute__((noinline)) static void swap_edges(struct grid *g)
{
    MPI_Request request[2 * SIDES + 2];
    double in[SIDES + 1] = { 0 };
    int n = 0;

#if FAULT == 4
    for (int k = 0; k <= SIDES; k++) {                          /*! 4 branch */
#else
    for (int k = 0; k < SIDES; k++) {
#endif
#if FAULT == 5
        int tag = TAG_EDGE + (k + 1) % SIDES;                   /*! 5 local */
#else
        int tag = TAG_EDGE + (k ^ 1);
#endif

        MPI_Irecv(&in[k], 1, MPI_DOUBLE, g->near[k], tag, MPI_COMM_WORLD,
                  &request[n++]);
    }
    for (int k = 0; k < SIDES; k++)
        MPI_Isend(&g->value, 1, MPI_DOUBLE, g->near[k], TAG_EDGE + k,
                  MPI_COMM_WORLD, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    g->value *= in[0] > 0 ? 0.8 : 0.9;
}

static int pieces_of(int words)
{
    return (words + CHUNK - 1) / CHUNK;
}

__attribute__((noinline)) static void send_list(struct grid *g, int step)
{
    double out[WORDS] = { g->value }, in[WORDS];
    MPI_Request request[WORDS / CHUNK + 1];
    int words = WORDS - step % 5, pieces = pieces_of(words);
#if FAULT == 6
    int expected = words / CHUNK + 1;                           /*! 6 local */
#else
    int expected = pieces;
#endif

    for (int k = 0; k < pieces; k++)
        MPI_Isend(out, CHUNK, MPI_DOUBLE, g->near[EAST], TAG_LIST,
                  MPI_COMM_WORLD, &request[k]);
    for (int k = 0; k < expected; k++)
        MPI_Recv(in, CHUNK, MPI_DOUBLE, g->near[WEST], TAG_LIST,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(pieces, request, MPI_STATUSES_IGNORE);
}

__attribute__((noinline)) static void learn(struct grid *g)
{
    struct control *c = g->control;

    c->version++;
#if FAULT == 7
    c->fresh |= c->version % g->size == g->rank;                /*! 7 memory */
#else
    c->fresh = c->version % g->size == g->rank;
#endif
}

/* Who is fresh tells all others. */
static void tell(struct grid *g)
{
    int news = g->control->version;

    if (g->control->fresh) {
        for (int k = 1; k < g->size; k++)
            MPI_Ssend(&news, 1, MPI_INT, (g->rank + k) % g->size, TAG_NEWS,
                      MPI_COMM_WORLD);
    } else {
        MPI_Recv(&news, 1, MPI_INT, news % g->size, TAG_NEWS, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* From row to row, upwards. */
static void climb(struct grid *g)
{
    double below = 0;

#if FAULT == 8
    if (!(g->y > 0))                                            /*! 8 branch */
#else
    if (g->y > 0)
#endif
        MPI_Recv(&below, 1, MPI_DOUBLE, g->near[SOUTH], TAG_STAIR,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    below += g->value;
    if (g->y + 1 < g->high)
        MPI_Send(&below, 1, MPI_DOUBLE, g->near[NORTH], TAG_STAIR,
                 MPI_COMM_WORLD);
}

static void play(struct grid *g, int step)
{
    enum role role = (g->x + step) % 2 ? ROLE_GIVES : ROLE_TAKES;
    int word = step;

    switch (role) {
    case ROLE_GIVES:
#if FAULT == 9
        MPI_Ssend(&word, 1, MPI_INT, g->near[EAST], TAG_ROLE,   /*! 9 branch */
                  MPI_COMM_WORLD);
#else
        MPI_Ssend(&word, 1, MPI_INT, g->near[EAST], TAG_ROLE, MPI_COMM_WORLD);
        break;
#endif
    case ROLE_TAKES:
        MPI_Recv(&word, 1, MPI_INT, g->near[WEST], TAG_ROLE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        break;
    }
}

__attribute__((noinline)) static double sum_of_row(struct grid *g, int step)
{
    double others = 0, all = 0;

#if FAULT == 10
    if (step > 4 && g->value < 0.3)                             /*! 10 branch */
        return g->value;
#else
    (void)step;
#endif
    MPI_Sendrecv(&g->value, 1, MPI_DOUBLE, 1 - g->x, step, &others, 1,
                 MPI_DOUBLE, 1 - g->x, step, g->row, MPI_STATUS_IGNORE);
    MPI_Allreduce(&others, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void take_turns(struct grid *g)
{
    int mine = g->rank, other = 0;

    for (int i = 0; i < turns_of[g->rank]; i++)
        MPI_Sendrecv(&mine, 1, MPI_INT, (g->rank + 1) % g->size, TAG_TURN,
                     &other, 1, MPI_INT, (g->rank + g->size - 1) % g->size,
                     TAG_TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    struct grid *g;
    double sum = 0;

    MPI_Init(&argc, &argv);
    g = create();
    for (int step = 0; step < STEPS; step++) {
        swap_edges(g);
        send_list(g, step);
        learn(g);
        tell(g);
        climb(g);
        play(g, step);
        sum += sum_of_row(g, step);
    }
    take_turns(g);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (g->rank == 0)
        printf("%g\n", sum);
    free(g->control);
    free(g);
    return 0;
}
