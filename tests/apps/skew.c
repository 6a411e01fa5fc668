/* skew.c - tasks that are far from each other: collectives on communicators of all
 * kinds, which are made and freed meanwhile, large messages of a derived type that
 * wait, wildcards whose order is checked, an operator of the program, computation,
 * sleep, allocation and output at moments that differ from task to task. What it
 * says in the end does not depend on when anything happened.
 *
 * usage: skew ROUNDS|FILE [SEED]   FILE: until that is there; at least 4 tasks */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rounds.h"

enum { BIG = 40000, SLOTS = 3, TAG_ANY = 9000 };

static int rank, size, to, from;
static uint64_t sum = 5381;
static unsigned seed;
static volatile double sink;
static FILE *nothing;

static void note(const void *data, size_t n)
{
    const unsigned char *c = data;

    while (n--)
        sum = sum * 33 + *c++;
}

static void note_double(double x)
{
    note(&x, sizeof(x));
}

static void fail(const char *what, int a, int b)
{
    printf("rank %d: wrong: %s: %d, %d\n", rank, what, a, b);
    exit(3);
}

static unsigned chance(void)
{
    seed = seed * 1103515245u + 12345u;
    return seed >> 16;
}

static void work(double ms)
{
    double start = MPI_Wtime();

    while (MPI_Wtime() - start < ms * 1e-3)
        for (int i = 0; i < 200; i++)
            sink = 1 / (1 + sink * sink + i);
}

static void skew(int round, int place)
{
    unsigned x = chance();

    if (x % 7 == 0)
        work((x >> 3) % 6);
    else if (x % 11 == 0)
        usleep((x >> 3) % 8000);
    if ((round + rank * 3 + place) % 37 == 0)
        work(15);
    if (x % 5 == 0) {
        char *p = malloc(x % 70000 + 1);

        p[0] = 1;
        fprintf(nothing, "%d %p\n", round, (void *)p);
        free(p);
    }
}

static void largest(void *in, void *inout, int *n, MPI_Datatype *type)
{
    double *a = in, *b = inout;

    (void)type;
    for (int i = 0; i < *n; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i] + 1e-3;
}

static MPI_Comm copy, ordered, row, column, three = MPI_COMM_NULL, grid;
static MPI_Datatype vector;
static MPI_Op op;
static double *out[SLOTS], *in[SLOTS];

static void begin(void)
{
    int dims[1] = { size }, periodic[1] = { 1 };
    MPI_Comm w = MPI_COMM_WORLD;

    MPI_Comm_dup(w, &copy);
    MPI_Comm_dup(w, &ordered);
    MPI_Comm_split(w, rank / 2, rank, &row);
    MPI_Comm_split(copy, rank % 2, -rank, &column);
    MPI_Comm_split(w, rank < 3 ? 0 : MPI_UNDEFINED, rank, &three);
    MPI_Cart_create(w, 1, dims, periodic, 0, &grid);
    MPI_Type_vector(BIG / 4, 2, 4, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MPI_Op_create(largest, 1, &op);
    for (int i = 0; i < SLOTS; i++) {
        out[i] = calloc(BIG, sizeof(double));
        in[i] = calloc(BIG, sizeof(double));
    }
}

/* Three of one envelope a round, taken two rounds later. */
static void send_ordered(int round)
{
    for (int k = 0; k < 3; k++) {
        int m = round * 10 + k;

        MPI_Send(&m, 1, MPI_INT, to, 5, ordered);
        if (k == 1)
            skew(round, 1);
    }
}

static void take_ordered(int round)
{
    for (int k = 0; k < 3; k++) {
        int m = -1, n;
        MPI_Status s;

        if (k == 0)
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, ordered, &s);
        MPI_Recv(&m, 1, MPI_INT, k == 2 ? MPI_ANY_SOURCE : from,
                 k ? MPI_ANY_TAG : 5, ordered, &s);
        MPI_Get_count(&s, MPI_INT, &n);
        if (m != round * 10 + k || n != 1 || s.MPI_SOURCE != from)
            fail("order", m, round * 10 + k);
        note(&m, sizeof(m));
    }
}

/* Whoever of all sends it. */
static int target(int r, int round)
{
    return (r * 5 + round * 3 + 1) % size;
}

static double take_any(int round)
{
    double x = 0;

    for (int i = 0; i < size; i++) {
        MPI_Status s;
        int m;

        if (target(i, round) != rank)
            continue;
        MPI_Recv(&m, 1, MPI_INT, MPI_ANY_SOURCE, TAG_ANY + round % 100,
                 MPI_COMM_WORLD, &s);
        if (m != s.MPI_SOURCE * 1000 + round)
            fail("any source", m, s.MPI_SOURCE);
        x += m;
    }
    return x;
}

/* Communicators that live for a moment: a copy, one of a group, one of two. */
static void make(int round, double value)
{
    MPI_Comm c, both, merged;
    MPI_Request made;
    MPI_Group world, some;
    double x = 0;
    int mine, other, ranks[2] = { 0, 1 };

    MPI_Comm_dup(column, &c);
    MPI_Allreduce(&value, &x, 1, MPI_DOUBLE, MPI_MAX, c);
    note_double(x);
    MPI_Comm_free(&c);
    MPI_Comm_idup(copy, &c, &made);
    skew(round, 5);
    MPI_Wait(&made, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &x, 1, MPI_DOUBLE, MPI_MIN, c);
    note_double(x);
    MPI_Comm_free(&c);
    if (rank < 2) {
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 2, ranks, &some);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &c);
        MPI_Allreduce(&value, &x, 1, MPI_DOUBLE, MPI_SUM, c);
        note_double(x);
        MPI_Comm_free(&c);
        MPI_Group_free(&some);
        MPI_Group_free(&world);
    }
    if (size < 4 || size % 2 || round % 32 != 5)
        return;
    other = rank / 2 % 2 ? rank / 2 * 2 - 2 : rank / 2 * 2 + 2;
    if (other >= size)                  /* the last row of an odd number */
        return;
    MPI_Intercomm_create(row, 0, MPI_COMM_WORLD, other, 11, &both);
    mine = rank;
    MPI_Sendrecv_replace(&mine, 1, MPI_INT, rank % 2, 1, rank % 2, 1, both,
                         MPI_STATUS_IGNORE);
    note(&mine, sizeof(mine));
    MPI_Intercomm_merge(both, rank / 2 % 2, &merged);
    skew(round, 6);
    MPI_Allreduce(&value, &x, 1, MPI_DOUBLE, MPI_MIN, merged);
    note_double(x);
    MPI_Comm_free(&both);
    MPI_Comm_free(&merged);
}

static double value, total, sums;

static void play(int round)
{
    double one = value, two = 0, three_of = 0, cast, big = 0, z;
    int m = rank * 1000 + round, slot = round % SLOTS;
    MPI_Request large[2], reduction, barrier;
    MPI_Datatype moment;

    for (int i = 0; i < BIG; i++)
        out[slot][i] = value + i * 0.5;
    MPI_Type_dup(vector, &moment);
    MPI_Irecv(in[slot], 1, moment, from, round, copy, &large[0]);
    MPI_Type_free(&moment);
    skew(round, 0);
    MPI_Isend(out[slot], 1, vector, to, round, copy, &large[1]);
    MPI_Iallreduce(&one, &two, 1, MPI_DOUBLE, MPI_SUM, copy, &reduction);
    send_ordered(round);
    MPI_Send(&m, 1, MPI_INT, target(rank, round), TAG_ANY + round % 100,
             MPI_COMM_WORLD);
    skew(round, 2);
    MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, row);
    note_double(total);
    if (rank == 3 && round % 3 == 0) {  /* 0 needs it before its next row */
        skew(round, 9);
        z = total;
        MPI_Send(&z, 1, MPI_DOUBLE, 0, 777, MPI_COMM_WORLD);
    }
    if (three != MPI_COMM_NULL) {
        MPI_Allreduce(&value, &three_of, 1, MPI_DOUBLE, op, three);
        note_double(three_of);
        sums += three_of;
    }
    if (rank == 0 && round % 3 == 0 && size > 3) {
        MPI_Recv(&z, 1, MPI_DOUBLE, 3, 777, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note_double(z);
    }
    skew(round, 3);
    cast = value;
    MPI_Bcast(&cast, 1, MPI_DOUBLE, round % 2, column);
    note_double(cast);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    skew(round, 4);
    sums += take_any(round);
    if (round >= 2)
        take_ordered(round - 2);
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    note_double(two);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (round % 4 == 3) {
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, to, 88, &z, 1, MPI_DOUBLE, from, 88,
                     grid, MPI_STATUS_IGNORE);
        note_double(z);
        MPI_Neighbor_allgather(&rank, 1, MPI_INT, (int[2]){ 0 }, 1, MPI_INT,
                               grid);
    }
    MPI_Waitall(2, large, MPI_STATUSES_IGNORE);
    for (int i = 0; i < BIG; i++)
        big += in[slot][i];
    note_double(big);
    if (round % 16 == 5)
        make(round, value);
    value = value * 1.37 + total * 0.01 + two * 0.001 + big * 1e-9;
    value -= 1000 * (double)(long)(value / 1000);
}

int main(int argc, char **argv)
{
    int round;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    nothing = fopen("/dev/null", "w");
    seed = (unsigned)(rank * 77 + (argc > 2 ? atoi(argv[2]) : 1));
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    value = rank + 1;
    begin();
    for (round = 0; rounds_more(argv[1], round); round++)
        play(round);
    for (int i = round > 2 ? round - 2 : 0; i < round; i++)
        take_ordered(i);
    note_double(sums);
    printf("rank %d rounds %d sum %lx\n", rank, round, (unsigned long)sum);
    return MPI_Finalize();
}
