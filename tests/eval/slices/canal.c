/* canal.c - basins along a canal are shared out, filled until the water is
 * still, and barges go down through them; tolls are paid against receipts, and
 * a keeper asks all for their books. FAULT chooses one of its faults; the line
 * that has it is marked by its number. Nothing was chosen by it: it was written
 * before, and only measured afterwards. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASINS = 22, BARGES = 9, BOOKS = 3, LEAVES = 6 };
enum { TAG_BASIN = 3, TAG_UP, TAG_DOWN, TAG_SUM, TAG_TOLD, TAG_MANY,
       TAG_BARGE = 20, TAG_TOLL = 40, TAG_RECEIPT, TAG_ASK, TAG_BOOK = 50 };

struct barge { int from, to, load, class; };

struct reach {                  /* the part of a task */
    int me, all, n;
    double *level, *gate;
    struct barge waiting[BARGES];
    int nwaiting, passed;
};

struct purse { int coins, debts, window; };

static int share_of(int task, int all)
{
    return BASINS / all + (task < BASINS % all);
}

static double random_level(int basin)
{
    return (basin * 37 + 11) % 23 / 23.0;
}

/* ------------------------------------------------------------ sharing out */

static void hand_out(struct reach *r)
{
    int basin = share_of(0, r->all);

    for (int i = 0; i < r->n; i++)
        r->level[i + 1] = random_level(i);
    for (int to = 1; to < r->all; to++)
        for (int i = 0; i < share_of(to, r->all); i++, basin++) {
            double level = random_level(basin);

            MPI_Ssend(&level, 1, MPI_DOUBLE, to, TAG_BASIN, MPI_COMM_WORLD);
        }
}

static void take_share(struct reach *r)
{
    for (int i = 0; i < r->n; i++)
        MPI_Recv(&r->level[i + 1], 1, MPI_DOUBLE, 0, TAG_BASIN, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void dig(struct reach *r)
{
    memset(r, 0, sizeof(*r));
    MPI_Comm_rank(MPI_COMM_WORLD, &r->me);
    MPI_Comm_size(MPI_COMM_WORLD, &r->all);
    r->n = share_of(r->me, r->all);
#if FAULT == 1
    r->n += r->me > BASINS % r->all;                            /*! 1 memory */
#endif
    r->level = calloc((size_t)r->n + 2, sizeof(*r->level));
    r->gate = calloc((size_t)r->n + 2, sizeof(*r->gate));
    if (r->me == 0)
        hand_out(r);
    else
        take_share(r);
}

/* ---------------------------------------------------------------- filling */

static double fold(const struct reach *r, double value)
{
    int bit = 1;

    while (bit < r->all) {
        double part;

        if (r->me & bit) {
            MPI_Send(&value, 1, MPI_DOUBLE, r->me - bit, TAG_SUM, MPI_COMM_WORLD);
            break;
        }
        MPI_Recv(&part, 1, MPI_DOUBLE, r->me + bit, TAG_SUM, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        value += part;
#if FAULT == 2
        bit += 1 + (value > 2);                                 /*! 2 local */
#else
        bit <<= 1;
#endif
    }
    return value;
}

static double unfold(const struct reach *r, double value)
{
    int last = r->all;

#if FAULT == 3
    if (r->n > 5 && value < 3)
        last--;                                                 /*! 3 local */
#endif
    if (r->me > 0)
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, TAG_TOLD, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    else
        for (int to = 1; to < last; to++)
            MPI_Send(&value, 1, MPI_DOUBLE, to, TAG_TOLD, MPI_COMM_WORLD);
    return value;
}

static void meet(struct reach *r)
{
    int up = r->me ? r->me - 1 : MPI_PROC_NULL;
    int down = r->me + 1 < r->all ? r->me + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(&r->level[1], 1, MPI_DOUBLE, up, TAG_UP, &r->level[r->n + 1], 1,
                 MPI_DOUBLE, down, TAG_UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&r->level[r->n], 1, MPI_DOUBLE, down, TAG_DOWN, &r->level[0], 1,
                 MPI_DOUBLE, up, TAG_DOWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double flow(struct reach *r)
{
    double moved = 0;

    for (int i = 1; i <= r->n; i++) {
        double up = r->me == 0 && i == 1 ? r->level[i] : r->level[i - 1];
        double down = r->me + 1 == r->all && i == r->n ? r->level[i]
                                                       : r->level[i + 1];

        r->gate[i] = (up + down - 2 * r->level[i]) / 4;
        moved += r->gate[i] < 0 ? -r->gate[i] : r->gate[i];
    }
    for (int i = 1; i <= r->n; i++)
        r->level[i] += r->gate[i];
    return moved;
}

static int fill(struct reach *r)
{
    int turns = 0;

    for (double moved = 1; moved > 0.4; turns++) {
        meet(r);
        moved = flow(r);
#if FAULT == 4
        if (moved < 0.05)
            break;                                              /*! 4 branch */
#endif
        moved = unfold(r, fold(r, moved));
    }
    return turns;
}

/* ----------------------------------------------------------------- barges */

static void build(struct reach *r, int day)
{
    for (int i = 0; i < BARGES; i++)
        if ((i + day) % r->all == r->me) {
            struct barge *b = &r->waiting[r->nwaiting++];

            b->from = r->me;
            b->to = r->me + i % 3;
            b->load = 10 * i + day;
#if FAULT == 5
            b->class = b->load > 60 ? i % 3 : i % 2;            /*! 5 memory */
#else
            b->class = i % 2;
#endif
            if (b->to >= r->all)
                b->to = r->all - 1;
        }
}

static int by_class(const void *a, const void *b)
{
    const struct barge *x = a, *y = b;

    return x->class != y->class ? x->class - y->class : x->load - y->load;
}

/* How many of a class are told first, then each is sent. */
static void send_down(struct reach *r)
{
    int many[2] = { 0 };

    for (int i = 0; i < r->nwaiting; i++)
        if (r->waiting[i].to > r->me)
            many[r->waiting[i].class & 1]++;
#if FAULT == 6
    if (r->passed > 3)
        many[1] += r->passed % 2;                               /*! 6 local */
#endif
    MPI_Send(many, 2, MPI_INT, r->me + 1, TAG_MANY, MPI_COMM_WORLD);
    qsort(r->waiting, (size_t)r->nwaiting, sizeof(r->waiting[0]), by_class);
    for (int i = 0; i < r->nwaiting; i++)
        if (r->waiting[i].to > r->me)
            MPI_Ssend(&r->waiting[i], sizeof(struct barge), MPI_BYTE, r->me + 1,
                      TAG_BARGE + r->waiting[i].class, MPI_COMM_WORLD);
}

static void take_down(struct reach *r)
{
    int many[2];

    MPI_Recv(many, 2, MPI_INT, r->me - 1, TAG_MANY, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    for (int class = 0; class < 2; class++)
        for (int i = 0; i < many[class] && r->nwaiting < BARGES; i++) {
            MPI_Recv(&r->waiting[r->nwaiting], sizeof(struct barge), MPI_BYTE,
                     r->me - 1, TAG_BARGE + class, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            r->nwaiting++;
            r->passed++;
        }
}

static void travel(struct reach *r, int day)
{
    r->nwaiting = 0;
    build(r, day);
    if (r->me > 0)
        take_down(r);
    if (r->me + 1 < r->all)
        send_down(r);
}

/* ------------------------------------------------------------------ tolls */

static void pay(struct purse *p, int to)
{
    MPI_Send(&p->coins, 1, MPI_INT, to, TAG_TOLL, MPI_COMM_WORLD);
    p->coins++;
    if (++p->debts == p->window) {
        MPI_Recv(&p->debts, 1, MPI_INT, to, TAG_RECEIPT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        p->debts = 0;
    }
}

static void collect(struct purse *p, int from, int due)
{
    int none = 0, open = 0, coin;

    for (int i = 0; i < due; i++) {
        MPI_Recv(&coin, 1, MPI_INT, from, TAG_TOLL, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#if FAULT == 7
        if (++open == p->window && coin % 7 != 5) {             /*! 7 branch */
#else
        if (++open == p->window) {
#endif
            MPI_Send(&none, 1, MPI_INT, from, TAG_RECEIPT, MPI_COMM_WORLD);
            open = 0;
        }
    }
}

static void toll(const struct reach *r, struct purse *p, int day)
{
    int next = r->me ^ 1, due = 6 + day;

    p->debts = 0;
#if FAULT == 8
    if (r->passed > 1)
        p->window = 3;                                          /*! 8 memory */
#endif
    if (r->me & 1) {
        for (int i = 0; i < due; i++)
            pay(p, next);
        collect(p, next, due);
    } else {
        collect(p, next, due);
        for (int i = 0; i < due; i++)
            pay(p, next);
    }
}

/* ------------------------------------------------------------------ books */

static void order_of(int order[], int all, int keeper)
{
    for (int i = 0; i < all; i++)
#if FAULT == 9
        order[i] = (keeper + i) % (all - (keeper == 2));        /*! 9 memory */
#else
        order[i] = (keeper + i) % all;
#endif
}

static int keep(const struct reach *r, int keeper, int leaves)
{
    int order[16], got = 0, word;

    order_of(order, r->all, keeper);
    for (int k = 1; k < r->all; k++)
        MPI_Ssend(&leaves, 1, MPI_INT, order[k], TAG_ASK, MPI_COMM_WORLD);
    for (int k = 1; k < r->all; k++)
        for (int i = 0; i < leaves; i++) {
            MPI_Recv(&word, 1, MPI_INT, order[k], TAG_BOOK + i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            got += word;
        }
    return got;
}

static void show(const struct reach *r, int keeper)
{
    int leaves, stride = 1;

    MPI_Recv(&leaves, 1, MPI_INT, keeper, TAG_ASK, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
#if FAULT == 10
    stride += leaves < LEAVES && r->passed < 3;                        /*! 10 local */
#endif
    for (int i = 0; i < leaves; i += stride)
        MPI_Ssend(&r->passed, 1, MPI_INT, keeper, TAG_BOOK + i, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct reach r;
    struct purse p = { 1, 0, 2 };
    int sum = 0, turns = 0;

    MPI_Init(&argc, &argv);
    dig(&r);
    for (int day = 0; day < BOOKS; day++) {
        turns += fill(&r);
        travel(&r, day);
        toll(&r, &p, day);
        if (day % r.all == r.me)
            sum += keep(&r, r.me, LEAVES - day);
        else
            show(&r, day % r.all);
    }
    if (r.me == 0)
        printf("%d %d %d\n", sum, turns, r.passed);
    free(r.level);
    free(r.gate);
    MPI_Finalize();
    return 0;
}
