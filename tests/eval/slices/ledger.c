/* ledger.c - tasks keep a log that all of them have: in each term another one leads,
 * hands its entries to the others, and waits until they have taken them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef FAULT
#define FAULT 0
#endif

enum { TERMS = 14, ROOM = 128, TAG_HEAD = 5, TAG_ENTRY = 10, TAG_ACK = 30,
       TAG_HAND = 40 };

struct header { int term, count; };

struct node {
    int rank, size, term;
    int needed, acks, n;
    long digest;
    int log[ROOM];
};

static int leader_of(const struct node *n, int term)
{
#if FAULT == 1
    int late = n->rank == 2 && term == 7;                       /*! 1 local */

    return (term + late) % n->size;
#else
    return term % n->size;
#endif
}

static void set_up(struct node *n)
{
    memset(n, 0, sizeof(*n));
    MPI_Comm_rank(MPI_COMM_WORLD, &n->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n->size);
#if FAULT == 2
    n->needed = n->size;                                        /*! 2 memory */
#else
    n->needed = n->size - 1;
#endif
}

static int tag_of(const struct node *n, int i)
{
#if FAULT == 4
    return TAG_ENTRY + (i + (n->rank == 1 && n->term > 4)) % 8; /*! 4 local */
#else
    (void)n;
    return TAG_ENTRY + i % 8;
#endif
}

static void append(struct node *n, int entry)
{
    n->log[n->n++ % ROOM] = entry;
    n->digest = n->digest * 31 + entry;
}

__attribute__((noinline)) static void confirm(struct node *n, int entry)
{
#if FAULT == 8
    int to = leader_of(n, n->term + (n->term == 5 && n->rank == 3)); /*! 8 local */
#else
    int to = leader_of(n, n->term);
#endif

#if FAULT == 3
    if (entry % 7 == 3 && n->term > 2)                          /*! 3 branch */
        return;
#endif
    MPI_Send(&entry, 1, MPI_INT, to, TAG_ACK + n->term % 4, MPI_COMM_WORLD);
}

static void wait_for_all(struct node *n)
{
#if FAULT == 9
    n->acks = n->term > 6 ? -1 : 0;                             /*! 9 memory */
#else
    n->acks = 0;
#endif
    while (n->acks < n->needed) {
        int entry;

        MPI_Recv(&entry, 1, MPI_INT, MPI_ANY_SOURCE, TAG_ACK + n->term % 4,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        n->acks++;
    }
}

static void to_others(struct node *n, void *what, int count, int tag)
{
#if FAULT == 5
    int first = n->term > 5 ? 1 : 0;                            /*! 5 local */
#else
    int first = 0;
#endif

    for (int k = first; k < n->size; k++)
        if (k != n->rank)
            MPI_Send(what, count, MPI_INT, k, tag, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void lead(struct node *n)
{
    int entries = 2 + n->term % 3;
    struct header h = { n->term, entries };

#if FAULT == 6
    if (n->term == 6)
        h.count++;                                              /*! 6 memory */
#endif
    to_others(n, &h, 2, TAG_HEAD);
    for (int i = 0; i < entries; i++) {
        int entry = n->term * 10 + i;

        append(n, entry);
        to_others(n, &entry, 1, tag_of(n, i));
        wait_for_all(n);
    }
}

__attribute__((noinline)) static void follow(struct node *n, int leader)
{
    struct header h;

    MPI_Recv(&h, 2, MPI_INT, leader, TAG_HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < h.count; i++) {
        int entry;

        MPI_Recv(&entry, 1, MPI_INT, leader, tag_of(n, i), MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        append(n, entry);
        confirm(n, entry);
    }
}

/* The next one gets to know what the log is to look like. */
static int hand_over(struct node *n, int leader)
{
    int next = leader_of(n, n->term + 1);
    long digest = n->digest;

    if (n->rank == leader) {
        MPI_Ssend(&digest, 1, MPI_LONG, next, TAG_HAND, MPI_COMM_WORLD);
#if FAULT == 7
    } else if (n->rank == next && n->size > n->term % 6) {      /*! 7 branch */
#else
    } else if (n->rank == next) {
#endif
        MPI_Recv(&digest, 1, MPI_LONG, leader, TAG_HAND, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    return digest == n->digest;
}

static long snapshot(struct node *n)
{
    long all[16] = { 0 }, sum = 0;

    MPI_Gather(&n->digest, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int k = 0; k < n->size; k++)
        sum += all[k] % 1000;
    MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    struct node n;
    long sum = 0;
    int good = 0;

    MPI_Init(&argc, &argv);
    set_up(&n);
    for (n.term = 0; n.term < TERMS; n.term++) {
        int leader = leader_of(&n, n.term);

        if (n.rank == leader)
            lead(&n);
        else
            follow(&n, leader);
        good += hand_over(&n, leader);
#if FAULT == 10
        if (n.term % 4 == 3 - n.rank / 3)                       /*! 10 branch */
#else
        if (n.term % 4 == 3)
#endif
            sum += snapshot(&n);
    }
    MPI_Finalize();
    if (n.rank == 0)
        printf("%d %ld\n", good, sum);
    return 0;
}
