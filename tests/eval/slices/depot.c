/* depot.c - depots that order from each other: orders go out, and how many
 * there were; each takes what comes until it has all, balances its books with a
 * partner, and is audited now and then. FAULT chooses one of its faults; the
 * line that has it is marked by its number. What decides how near a line of a
 * slice is was chosen with it in view. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SEND(to, word, tag, comm)                                       \
    do {                                                                \
        int word_ = (word);                                             \
                                                                        \
        MPI_Send(&word_, 1, MPI_INT, (to), (tag), (comm));              \
    } while (0)

enum { TAG_ORDER = 1, TAG_END = 2, TAG_BOOKS = 100, TAG_ASK = 300, TAG_PAGE = 400,
       ROUNDS = 14, PAGE = 40 };

struct id { int rank, size; };

struct plan { int n, to[MOST], count[MOST]; };

struct depot {
    struct id me;
    MPI_Comm road;              /* of orders */
    int stock, debt, orders;
    int open, last;
    int (*answer)(struct depot *d, int asked);
};

static void make_plan(const struct depot *d, int round, struct plan *p)
{
    memset(p, 0, sizeof(*p));
    p->n = 3 + (d->me.rank * 5 + round * 3) % 4;
    for (int i = 0; i < p->n; i++) {
        int far = 1 + (i * round + d->stock) % (d->me.size - 1);
        int to = (d->me.rank + far) % d->me.size;

        p->to[i] = to;
#if FAULT == 1
        p->count[to] += 1 + (i == 5 && p->count[to] > 2);       /*! 1 memory */
#else
        p->count[to]++;
#endif
    }
}

static void ship(const struct depot *d, const struct plan *p, int round)
{
    (void)round;
    for (int i = 0; i < p->n; i++)
        SEND(p->to[i], i + 1, TAG_ORDER, d->road);
#if FAULT == 2
    for (int to = 0; to < d->me.size - (d->debt > 20); to++) {  /*! 2 branch */
#else
    for (int to = 0; to < d->me.size; to++) {
#endif
#if FAULT == 3
        int count = p->count[(to + round / 5) % d->me.size];    /*! 3 local */
#else
        int count = p->count[to];
#endif

        if (to != d->me.rank)
            SEND(to, count, TAG_END, d->road);
    }
}

static void unload(struct depot *d)
{
    int ended = 0, got = 0, due = 0, word;
    MPI_Status status;

    for (;;) {
        if (ended == d->me.size - 1) {
#if FAULT == 4
            if (got > due - (d->debt < 15))                     /*! 4 branch */
#else
            if (got == due)
#endif
                break;
        }
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, d->road,
                 &status);
        switch (status.MPI_TAG) {
        case TAG_ORDER:
            got++;
            d->stock -= MIN(word, d->stock);
            d->debt += word;
            continue;
        case TAG_END:
            ended++;
            due += word;
            break;
        default:
            fprintf(stderr, "what is %d?\n", status.MPI_TAG);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    d->orders += got;
    d->stock += 30;
}

static inline int partner_of(struct id me, int round)
{
    return round % 2 ? me.size - 1 - me.rank : me.rank ^ 1;
}

static void balance(struct depot *d, int round)
{
    int other = 0, with, tag;

#if FAULT == 5
    with = partner_of(d->me, d->orders > 30 ? round + d->orders : round); /*! 5 local */
#else
    with = partner_of(d->me, round);
#endif
#if FAULT == 6
    tag = TAG_BOOKS + MIN(round, 8 + d->orders % 3);            /*! 6 local */
#else
    tag = TAG_BOOKS + round;
#endif
    MPI_Sendrecv(&d->debt, 1, MPI_INT, with, tag, &other, 1, MPI_INT, with, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    d->debt -= MIN(d->debt, other) / 2;
}

static int pages_of(int orders)
{
    int pages = 0;

    while (orders > 0) {
        pages++;
        orders -= PAGE;
        if (pages == MOST)
            break;
    }
    return pages;
}

static int show_books(struct depot *d, int auditor)
{
    int pages = pages_of(d->orders);

    SEND(auditor, d->orders, TAG_ASK, MPI_COMM_WORLD);
    for (int i = 0; i < pages; i++)
        MPI_Ssend(&d->stock, 1, MPI_INT, auditor, TAG_PAGE + i, MPI_COMM_WORLD);
    return pages;
}

static int read_books(struct depot *d, int of)
{
    int orders, page, sum = 0, pages;

    SEND(of, d->me.rank, TAG_ASK, MPI_COMM_WORLD);
    MPI_Recv(&orders, 1, MPI_INT, of, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#if FAULT == 7
    pages = pages_of(orders + d->debt);                         /*! 7 local */
#else
    pages = pages_of(orders);
#endif
    for (int i = 0; i < pages; i++) {
        MPI_Recv(&page, 1, MPI_INT, of, TAG_PAGE + i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        sum += page;
    }
    return sum;
}

static int audit(struct depot *d, int round)
{
    int auditor = round / 3 % d->me.size, sum = 0, who;

#if FAULT == 8
    if (d->stock > 60)
        auditor = d->me.rank;                                   /*! 8 local */
#endif
    if (auditor != d->me.rank) {
        MPI_Recv(&who, 1, MPI_INT, auditor, TAG_ASK, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return d->answer(d, who);
    }
    for (int of = 0; of < d->me.size; of++)
        if (of != auditor)
            sum += read_books(d, of);
    return sum;
}

static void close_round(struct depot *d, int round)
{
    int all = 0;

    MPI_Allreduce(&d->orders, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#if FAULT == 9
    if (round == d->last && d->orders > all / 4)                /*! 9 branch */
#else
    if (round == d->last)
#endif
        d->open = 0;
}

int main(int argc, char **argv)
{
    struct depot d = { .stock = 50, .open = 1, .last = ROUNDS,
                       .answer = show_books };
    struct plan p;
    int sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &d.me.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &d.me.size);
    MPI_Comm_dup(MPI_COMM_WORLD, &d.road);
#if FAULT == 10
    d.last -= d.me.rank * 5 % 3 / 2;                            /*! 10 memory */
#endif
    for (int round = 1; d.open; round++) {
        make_plan(&d, round, &p);
        ship(&d, &p, round);
        unload(&d);
        balance(&d, round);
        if (round % 3 == 0)
            sum += audit(&d, round);
        close_round(&d, round);
    }
    MPI_Finalize();
    if (d.me.rank == 0)
        printf("%d %d\n", d.orders, sum);
    return 0;
}
