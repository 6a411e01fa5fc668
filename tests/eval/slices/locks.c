/* locks.c - tasks that ask the first one for two locks at a time, move money
 * between the accounts of these, and settle with who owns the accounts. FAULT
 * chooses one of its faults; the line that has it is marked by its number. What
 * decides how near a line of a slice is was chosen with it in view. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 6, TURNS = 400, WAITING = 8 };
enum { TAG_ASK = 1, TAG_GRANT, TAG_RELEASE, TAG_BYE, TAG_SETTLE = 20 };

struct lock {
    int holder;                 /* -1: nobody */
    int waiting[WAITING], first, n;
};

struct desk {
    struct lock locks[ACCOUNTS];
    int here;                   /* clients that have not gone */
    long granted;
};

struct client {
    int rank, size;
    unsigned seed;
    long balance[ACCOUNTS], moved;
};

/* ------------------------------------------------------------------ the desk */

static void grant(struct desk *d, int account, int to)
{
    int tag = TAG_GRANT;

#if FAULT == 1
    if (account == 4 && d->granted > 90)
        tag = TAG_RELEASE;                                      /*! 1 local */
#endif
    d->locks[account].holder = to;
    d->granted++;
    MPI_Send(&account, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void ask(struct desk *d, int account, int from)
{
    struct lock *l = &d->locks[account];

    if (l->holder < 0) {
        grant(d, account, from);
        return;
    }
#if FAULT == 2
    l->waiting[(l->first + l->n++) % WAITING] = l->holder;      /*! 2 memory */
#else
    l->waiting[(l->first + l->n++) % WAITING] = from;
#endif
}

static void give_back(struct desk *d, int account)
{
    struct lock *l = &d->locks[account];
    int next;

    l->holder = -1;
#if FAULT == 3
    if (l->n <= 1)                                              /*! 3 branch */
#else
    if (l->n == 0)
#endif
        return;
    next = l->waiting[l->first];
    l->first = (l->first + 1) % WAITING;
    l->n--;
    grant(d, account, next);
}

static void open_desk(struct desk *d, int size)
{
    for (int i = 0; i < ACCOUNTS; i++) {
        d->locks[i].holder = -1;
        d->locks[i].first = d->locks[i].n = 0;
    }
    d->granted = 0;
#if FAULT == 4
    d->here = size;                                             /*! 4 memory */
#else
    d->here = size - 1;
#endif
}

static void serve(struct desk *d)
{
    while (d->here > 0) {
        int account;
        MPI_Status st;

        MPI_Recv(&account, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &st);
        switch (st.MPI_TAG) {
        case TAG_ASK:
            ask(d, account, st.MPI_SOURCE);
            break;
        case TAG_RELEASE:
            give_back(d, account);
            break;
        case TAG_BYE:
            d->here--;
            break;
        }
    }
}

/* --------------------------------------------------------------- the clients */

static unsigned dice(struct client *c)
{
    c->seed = c->seed * 1103515245u + 12345u;
    return c->seed >> 16;
}

__attribute__((noinline)) static void take_lock(int account)
{
    int got;

    MPI_Send(&account, 1, MPI_INT, 0, TAG_ASK, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, 0, TAG_GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void drop_lock(int account)
{
    MPI_Send(&account, 1, MPI_INT, 0, TAG_RELEASE, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void move(struct client *c, int from, int to)
{
    long amount = dice(c) % 100;
#if FAULT == 5
    int first = from, second = to;                              /*! 5 local */
#else
    int first = from < to ? from : to, second = from < to ? to : from;
#endif

    take_lock(first);
    take_lock(second);
    c->balance[from] -= amount;
    c->balance[to] += amount;
    c->moved += amount;
#if FAULT == 6
    if (c->balance[to] > -900 || c->rank != 3)                  /*! 6 branch */
        drop_lock(second);
#else
    drop_lock(second);
#endif
    drop_lock(first);
}

static int owner_of(int account, int size)
{
#if FAULT == 7
    return 1 + (account + account / 5) % (size - 1);            /*! 7 local */
#else
    return 1 + account % (size - 1);
#endif
}

__attribute__((noinline)) static long settle(struct client *c)
{
    MPI_Request request[ACCOUNTS];
    long sum = 0;
#if FAULT == 8
    int step = c->size;                                         /*! 8 local */
#else
    int step = c->size - 1;
#endif

    for (int i = 0; i < ACCOUNTS; i++)
        MPI_Issend(&c->balance[i], 1, MPI_LONG, owner_of(i, c->size),
                   TAG_SETTLE + i, MPI_COMM_WORLD, &request[i]);
    for (int i = c->rank - 1; i < ACCOUNTS; i += step)
        for (int from = 1; from < c->size; from++) {
            long part;

            MPI_Recv(&part, 1, MPI_LONG, from, TAG_SETTLE + i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            sum += part;
        }
    MPI_Waitall(ACCOUNTS, request, MPI_STATUSES_IGNORE);
    return sum;
}

static long be_client(struct client *c)
{
    int turns = TURNS, nothing = 0;
    long sum;

    for (int i = 0; i < turns; i++) {
        int from = dice(c) % ACCOUNTS, to = dice(c) % ACCOUNTS;

        if (from != to)
            move(c, from, to);
    }
    sum = settle(c);
#if FAULT == 9
    if (sum >= 0)                                               /*! 9 branch */
#endif
    MPI_Send(&nothing, 1, MPI_INT, 0, TAG_BYE, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    struct client c = { .seed = 7 };
    struct desk d;
    long sum = 0, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.size);
    c.seed += c.rank;
    if (c.rank == 0) {
        open_desk(&d, c.size);
        serve(&d);
    } else {
        sum = be_client(&c);
    }
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (c.rank == 0)
        printf("%ld\n", all);
    return 0;
}
