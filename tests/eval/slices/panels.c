/* panels.c - factors of a matrix, panel by panel: who has a panel factors it
 * and sends it around, and who gets one hands it on; then the panels are solved
 * backwards, and their norms collected. FAULT chooses one of its faults; the
 * line that has it is marked by its number. What decides how near a line of a
 * slice is was chosen with it in view. */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER(l, k) ((k) % (l).size)
#define NEXT(l) (((l).rank + 1) % (l).size)
#define CHECK(call)                                             \
    do {                                                        \
        if ((call) != MPI_SUCCESS)                              \
            MPI_Abort(MPI_COMM_WORLD, 1);                       \
    } while (0)

enum { PANELS = 10, ROWS = 16, TAG_PANEL = 100, TAG_SOLVE = 300, TAG_NORM = 500 };

struct layout { int rank, size, panels, rows; };

struct panel { double pivot, v[ROWS]; };

struct work {
    struct layout l;
    struct panel panel[PANELS];
    char ready[PANELS];
    MPI_Request out[PANELS];
    int nout;
};

static struct layout make_layout(void)
{
    struct layout l = { .panels = PANELS, .rows = ROWS };

    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &l.rank));
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &l.size));
#if FAULT == 1
    l.panels -= l.rank / (l.size - 1);                          /*! 1 local */
#endif
    return l;
}

static inline int count_of(struct layout l)
{
    int n = l.panels / l.size;

#if FAULT == 2
    if (l.rank <= l.panels % l.size)                            /*! 2 branch */
#else
    if (l.rank < l.panels % l.size)
#endif
        n++;
    return n;
}

static inline int tag_of(int number)
{
#if FAULT == 3
    return TAG_PANEL + number % 8;                              /*! 3 local */
#else
    return TAG_PANEL + number;
#endif
}

static void fill(struct work *w, int sweep)
{
    memset(w->ready, 0, sizeof(w->ready));
    for (int k = 0; k < w->l.panels; k++)
        for (int i = 0; i < w->l.rows; i++)
            w->panel[k].v[i] = 1.0 / (1 + (k * 7 + i * 3 + sweep) % 11);
}

static void send_on(struct work *w, int number)
{
#if FAULT == 4
    int to = (w->l.rank + 1 + (number > 6)) % w->l.size;        /*! 4 local */
#else
    int to = NEXT(w->l);
#endif

    CHECK(MPI_Isend(w->panel[number].v, ROWS, MPI_DOUBLE, to, tag_of(number),
                    MPI_COMM_WORLD, &w->out[w->nout++]));
}

static void take_one(struct work *w)
{
    int from = (w->l.rank + w->l.size - 1) % w->l.size, number;
    double v[ROWS];
    MPI_Status status;

    CHECK(MPI_Recv(v, ROWS, MPI_DOUBLE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    number = status.MPI_TAG - TAG_PANEL;
    memcpy(w->panel[number].v, v, sizeof(v));
#if FAULT == 5
    w->ready[number] = v[0] > 0.1;                              /*! 5 memory */
#else
    w->ready[number] = 1;
#endif
#if FAULT == 6
    if (NEXT(w->l) > OWNER(w->l, number))                       /*! 6 branch */
#else
    if (NEXT(w->l) != OWNER(w->l, number))
#endif
        send_on(w, number);
}

/* The first value that is large enough, or the largest one. */
static int find_pivot(const struct panel *p, int rows)
{
    int best = 0;

    for (int i = 0; i < rows; i++) {
        if (p->v[i] == 1.0)
            return i;
        if (isnan(p->v[i]))
            return -1;
        if (fabs(p->v[i]) > fabs(p->v[best]))
            best = i;
    }
#if FAULT == 7
    if (p->v[best] < 0.95)                                       /*! 7 branch */
        return -1;
#endif
    return best;
}

static int factor(struct work *w, int k)
{
    struct panel *p = &w->panel[k];
    int at = find_pivot(p, w->l.rows);

    if (at < 0)
        return -1;
    p->pivot = p->v[at];
    for (int i = 0; i < w->l.rows; i++)
        p->v[i] /= p->pivot;
    return 0;
}

static void update(struct work *w, int with)
{
    for (int k = with + 1; k < w->l.panels; k++)
        if (OWNER(w->l, k) == w->l.rank)
            for (int i = 0; i < w->l.rows; i++)
                w->panel[k].v[i] -= 0.1 * w->panel[with].v[i];
}

static int eliminate(struct work *w)
{
    int rc = 0;

    w->nout = 0;
    for (int k = 0; k < w->l.panels; k++) {
#if FAULT == 8
        int owner = OWNER(w->l, k + k / 8);                     /*! 8 local */
#else
        int owner = OWNER(w->l, k);
#endif

        if (owner != w->l.rank) {
            while (!w->ready[k])
                take_one(w);
        } else {
            if (factor(w, k)) {
                rc = -1;
                goto done;
            }
            send_on(w, k);
        }
        update(w, k);
    }
done:
    CHECK(MPI_Waitall(w->nout, w->out, MPI_STATUSES_IGNORE));
    return rc;
}

static double solve(struct work *w)
{
    double x = 1;

    for (int k = w->l.panels - 1; k >= 0; k--) {
        int after = OWNER(w->l, k + 1), before = OWNER(w->l, k + w->l.size - 1);

        if (OWNER(w->l, k) != w->l.rank)
            continue;
#if FAULT == 9
        if (k == 4)
            after = before;                                     /*! 9 local */
#endif
        if (k + 1 < w->l.panels)
            CHECK(MPI_Recv(&x, 1, MPI_DOUBLE, after, TAG_SOLVE + k, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
        x += w->panel[k].v[1];
        if (k > 0)
            CHECK(MPI_Send(&x, 1, MPI_DOUBLE, before, TAG_SOLVE + k - 1,
                           MPI_COMM_WORLD));
    }
    return x;
}

static double norms(const struct work *w)
{
    double sum = 0, x;

    if (w->l.rank) {
        for (int k = w->l.rank; k < w->l.panels; k += w->l.size) {
            x = fabs(w->panel[k].v[0]);
            CHECK(MPI_Send(&x, 1, MPI_DOUBLE, 0, TAG_NORM, MPI_COMM_WORLD));
        }
        return 0;
    }
    for (int r = 1; r < w->l.size; r++) {
        struct layout other = w->l;

        other.rank = r;
        for (int n = count_of(other); n > 0; n--) {
            CHECK(MPI_Recv(&x, 1, MPI_DOUBLE, r, TAG_NORM, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
            sum += x;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct work *w;
    double x = 0, sum = 0;
    int sweeps = 3;

    MPI_Init(&argc, &argv);
    w = calloc(1, sizeof(*w));
    w->l = make_layout();
#if FAULT == 10
    sweeps -= count_of(w->l) / 3 && w->l.rank;                  /*! 10 local */
#endif
    for (int sweep = 0; sweep < sweeps; sweep++) {
        fill(w, sweep);
        if (eliminate(w))
            break;
        x += solve(w);
        sum += norms(w);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (w->l.rank == 0)
        printf("%g %g\n", x, sum);
    free(w);
    return 0;
}
